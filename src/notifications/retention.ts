import { forgetDocuments } from '../documents/documents.ts';
import { forgetInboundTexts } from '../inbound/inbound-texts.ts';
import { addDays, londonDay, londonInstant, utcDay } from '../platform/calendar.ts';
import { timestamp } from '../platform/clock.ts';
import { firstIdAt } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { forgetUnsubscribeRequests } from '../unsubscribe/unsubscribe-reports.ts';
import { deleteAll, deleteFromDefault, deleteFromKept, retireDays } from './expired-days.ts';
import { deleteOldRateWindows } from './limits/rate-limits.ts';
import { deleteOldUploadedLetters } from './one-off/uploaded-letters.ts';
import { deleteOldCounters, deleteOrphanedQueue, selectRetentionRules } from './retention.sql.ts';
import { deleteIdempotencyKeys } from './sending/idempotency.sql.ts';
import { replayLimit } from './sending/idempotency.ts';
import { deleteFilesWithoutMessage } from './unconfirmed-files.ts';

type Deps = Pick<Platform, 'db' | 'files' | 'clock' | 'log'>;

/** Applies to services without their own rule. */
export const defaultRetentionDays = 7;

const batch = 2_000;

/**
 * Deletes messages beyond their retention, counted from London midnight. Statistics are stored separately and stay.
 * Unfinished messages stay until they are final, because the service still expects a callback.
 */
export async function applyRetention(app: Deps): Promise<void> {
  const rules = await selectRetentionRules(app.db);
  const keepers = rules.map((rule) => ({ ...rule, before_id: cutOff(app, rule.days_of_retention) }));
  const defaultCutOff = cutOff(app, defaultRetentionDays);
  let deleted = 0;
  for (const keeper of keepers)
    if (keeper.before_id > defaultCutOff) deleted += await deleteAll(app, 'notifications', keeper);
  deleted += await deleteFromKept(app, defaultCutOff, keepers);
  deleted += await deleteFromDefault(app, defaultCutOff, keepers);
  await deleteOrphanedQueue(app.db, defaultCutOff);
  const texts = rules
    .filter(({ notification_type }) => notification_type === 'sms')
    .map(({ service_id, days_of_retention }) => ({ service_id, before_id: cutOff(app, days_of_retention) }));
  const inbound = await forgetInboundTexts(app.db, defaultCutOff, texts);
  app.log.info({ notifications: deleted, inbound_texts: inbound }, 'deleted old messages');
  // Last, because it fails and is retried while a long query, such as a backup, uses a table.
  await retireDays(app, defaultCutOff, keepers);
}

/** The smallest retained id. */
function cutOff(app: Deps, days: number): string {
  return firstIdAt(londonInstant(addDays(londonDay(app.clock.now()), -days)));
}

/** Deletes short-lived data that has expired. */
export async function deleteExpiredData(app: Deps): Promise<void> {
  const now = app.clock.now();
  for (let deletedKeys = batch; deletedKeys === batch; ) {
    deletedKeys = await deleteIdempotencyKeys(app.db, timestamp(replayLimit(now)), batch);
  }
  await deleteOldCounters(app.db, addDays(utcDay(now), -2));
  await deleteOldRateWindows(app);
  await forgetDocuments(app);
  await deleteOldUploadedLetters(app);
  await deleteFilesWithoutMessage(app);
  await forgetUnsubscribeRequests(app);
}
