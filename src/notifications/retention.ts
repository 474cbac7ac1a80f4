import { forgetDocuments } from '../documents/documents.ts';
import { forgetInboundTexts } from '../inbound/inbound-texts.ts';
import { addDays, londonDay, londonInstant, utcDay } from '../platform/calendar.ts';
import { timestamp } from '../platform/clock.ts';
import { firstIdAt } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { forgetUnsubscribeRequests } from '../unsubscribe/unsubscribe-reports.ts';
import { deleteAll, deleteFromDefault, deleteFromKept, retireDays } from './expired-days.ts';
import { deleteOldRateWindows } from './limits/rate-limits.ts';
import { forgetUploadedLetters } from './one-off/uploaded-letters.ts';
import { deleteOldCounters, deleteOrphanedQueue, selectRetentionRules } from './retention.sql.ts';
import { deleteIdempotencyKeys } from './sending/idempotency.sql.ts';
import { replayLimit } from './sending/idempotency.ts';
import { deleteFilesWithoutMessage } from './unconfirmed-files.ts';

type Needs = Pick<Platform, 'db' | 'files' | 'clock' | 'log'>;

/** Unless a service has a rule of its own. */
export const defaultRetentionDays = 7;

const batch = 2_000;

/**
 * Deletes the messages whose time is over: at London midnight, so many days back. Figures stay: they are kept apart. A message
 * that is not finished stays until it is: something is still to happen to it, and its service is to be told.
 */
export async function applyRetention(app: Needs): Promise<void> {
  const rules = await selectRetentionRules(app.db);
  const keepers = rules.map((rule) => ({ ...rule, before_id: cutOff(app, rule.days_of_retention) }));
  const usual = cutOff(app, defaultRetentionDays);
  let deleted = 0;
  for (const keeper of keepers) if (keeper.before_id > usual) deleted += await deleteAll(app, 'notifications', keeper);
  deleted += await deleteFromKept(app, usual, keepers);
  deleted += await deleteFromDefault(app, usual, keepers);
  await deleteOrphanedQueue(app.db, usual);
  const texts = rules
    .filter(({ notification_type }) => notification_type === 'sms')
    .map(({ service_id, days_of_retention }) => ({ service_id, before_id: cutOff(app, days_of_retention) }));
  const inbound = await forgetInboundTexts(app.db, usual, texts);
  app.log.info({ notifications: deleted, inbound_texts: inbound }, 'old messages were deleted');
  // Last: while a table is in use for long, by a backup say, it fails and is tried again.
  await retireDays(app, usual, keepers);
}

/** Smallest id that is kept. */
function cutOff(app: Needs, days: number): string {
  return firstIdAt(londonInstant(addDays(londonDay(app.clock.now()), -days)));
}

/** What outlives its use within hours. */
export async function forgetLeftovers(app: Needs): Promise<void> {
  const now = app.clock.now();
  for (let went = batch; went === batch; ) {
    went = await deleteIdempotencyKeys(app.db, timestamp(replayLimit(now)), batch);
  }
  await deleteOldCounters(app.db, addDays(utcDay(now), -2));
  await deleteOldRateWindows(app);
  await forgetDocuments(app);
  await forgetUploadedLetters(app);
  await deleteFilesWithoutMessage(app);
  await forgetUnsubscribeRequests(app);
}
