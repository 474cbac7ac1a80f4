import { forgetDocuments } from '../documents/documents.ts';
import { forgetInboundTexts } from '../inbound/inbound-texts.ts';
import { addDays, londonDay, londonInstant, utcDay } from '../platform/calendar.ts';
import { timestamp } from '../platform/clock.ts';
import { firstIdAt, nilId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { forgetUnsubscribeRequests } from '../unsubscribe/unsubscribe-reports.ts';
import { deleteIdempotencyKeys } from './idempotency.sql.ts';
import { replayLimit } from './idempotency.ts';
import { dropPartition, selectPartitionNames } from './partitions.sql.ts';
import { dayOfPartition, partitionOf } from './partitions.ts';
import { forgetOldRateWindows } from './rate-limits.ts';
import {
  deleteExpiredAfter,
  deleteNotificationsOf,
  deleteOldCounters,
  deleteOrphanedQueue,
  hasMessagesToKeep,
  type RetentionRule,
  selectRetentionRules,
} from './retention.sql.ts';
import { forgetUploadedLetters } from './uploaded-letters.ts';

type Needs = Pick<Platform, 'db' | 'files' | 'clock' | 'log'>;

/** Unless a service has a rule of its own. */
export const defaultRetentionDays = 7;

// Small enough to hold no lock for longer than a few milliseconds.
const batch = 2_000;

/** Forgets the messages whose time is over: at London midnight, so many days back. Figures stay: they are kept apart. */
export async function applyRetention(app: Needs): Promise<void> {
  const rules = await selectRetentionRules(app.db);
  const deleted = (await deleteEarly(app, rules)) + (await deleteWhatIsDue(app, rules));
  await deleteOrphanedQueue(app.db, cutOff(app, defaultRetentionDays));
  const texts = rules
    .filter(({ notification_type }) => notification_type === 'sms')
    .map(({ service_id, days_of_retention }) => ({ service_id, before_id: cutOff(app, days_of_retention) }));
  const inbound = await forgetInboundTexts(app.db, cutOff(app, defaultRetentionDays), texts);
  app.log.info({ notifications: deleted, inbound_texts: inbound }, 'old messages were deleted');
}

/** Smallest id that is kept. */
function cutOff(app: Needs, days: number): string {
  return firstIdAt(londonInstant(addDays(londonDay(app.clock.now()), -days)));
}

/** Services that keep less than the others. */
async function deleteEarly(app: Needs, rules: RetentionRule[]): Promise<number> {
  let deleted = 0;
  for (const rule of rules.filter(({ days_of_retention }) => days_of_retention < defaultRetentionDays)) {
    for (let went = batch; went === batch; deleted += went) {
      went = await deleteNotificationsOf(app.db, rule, cutOff(app, rule.days_of_retention), batch);
    }
  }
  return deleted;
}

/** A day that nobody keeps goes as a whole, without a look at its messages; of the other days, one by one. */
async function deleteWhatIsDue(app: Needs, rules: RetentionRule[]): Promise<number> {
  const before = cutOff(app, defaultRetentionDays);
  await dropWholeDays(app, before);
  const kept = rules
    .filter(({ days_of_retention }) => days_of_retention > defaultRetentionDays)
    .map((rule) => ({ ...rule, before_id: cutOff(app, rule.days_of_retention) }));
  let deleted = 0;
  for (let after: string | undefined = nilId; after !== undefined; ) {
    const step = await deleteExpiredAfter(app.db, after, before, kept, batch);
    deleted += step.deleted;
    after = step.next;
  }
  return deleted;
}

async function dropWholeDays(app: Needs, before: string): Promise<void> {
  for (const name of await selectPartitionNames(app.db)) {
    const day = dayOfPartition(name);
    if (day === undefined) continue;
    const partition = partitionOf(day);
    if (partition.to_id > before || (await hasMessagesToKeep(app.db, partition, defaultRetentionDays))) continue;
    try {
      await dropPartition(app.db, name);
      app.log.info({ partition: name }, 'a day of messages was dropped');
    } catch (error) {
      app.log.warn({ err: error, partition: name }, 'a partition could not be dropped and will be tried again');
    }
  }
}

/** What outlives its use within hours. */
export async function forgetLeftovers(app: Needs): Promise<void> {
  const now = app.clock.now();
  for (let went = batch; went === batch; ) {
    went = await deleteIdempotencyKeys(app.db, timestamp(replayLimit(now)), batch);
  }
  await deleteOldCounters(app.db, addDays(utcDay(now), -2));
  await forgetOldRateWindows(app);
  await forgetDocuments(app);
  await forgetUploadedLetters(app);
  await forgetUnsubscribeRequests(app);
}
