import { addDays } from '../countries/calendar.ts';
import { timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { defaultRetentionDays, firstKeptId, listRetentionRules } from '../services/settings/data-retention.ts';
import { deleteAttemptsWithoutMessage } from './attempts/attempts.ts';
import { deleteOldCounters, deleteOrphanedQueue } from './expired-days.sql.ts';
import { deleteAll, deleteFromDefault, deleteFromKept, dropExpiredDays } from './expired-days.ts';
import { deleteOldRateWindows } from './limits/rate-limits.ts';
import { deleteOldUploadedLetters } from './one-off/uploaded-letters.ts';
import { deleteOldTraces } from './queue/message-spans.ts';
import { deleteOldRefusedRequests } from './refused/refused-requests.ts';
import { deleteIdempotencyKeys } from './sending/idempotency.sql.ts';
import { replayLimit } from './sending/idempotency.ts';
import { deleteFilesWithoutMessage } from './unconfirmed-files.ts';
import { deleteOldHeld } from './windows/held-messages.ts';

const batch = 2_000;

/**
 * Deletes messages beyond their retention, counted in whole days. Statistics are stored separately and kept. Unfinished messages are kept
 * until they are final, because the service still expects a callback.
 */
export async function applyRetention(app: Platform): Promise<void> {
  const { calendar } = app.country;
  const now = app.clock.now();
  const rules = await listRetentionRules(calendar, app.db, now);
  const defaultCutOff = firstKeptId(calendar, now, defaultRetentionDays);
  let deleted = 0;
  for (const rule of rules) if (rule.before_id > defaultCutOff) deleted += await deleteAll(app, 'notifications', rule);
  deleted += await deleteFromKept(app, defaultCutOff, rules);
  deleted += await deleteFromDefault(app, defaultCutOff, rules);
  await deleteOrphanedQueue(app.db, defaultCutOff);
  app.log.info({ event: 'messages.deleted', notifications: deleted }, 'Deleted old messages');
  // Last, because it fails and is retried while a long query, such as a backup, uses a table.
  await dropExpiredDays(app, defaultCutOff, rules);
  await deleteAttemptsWithoutMessage(app.db, firstKeptId(calendar, now, 0));
}

/** Deletes short-lived data that has expired. */
export async function deleteExpiredData(app: Platform): Promise<void> {
  const now = app.clock.now();
  for (let deletedKeys = batch; deletedKeys === batch; ) {
    deletedKeys = await deleteIdempotencyKeys(app.db, timestamp(replayLimit(now)), batch);
  }
  await deleteOldCounters(app.db, addDays(app.country.limitCalendar.day(now), -2));
  await deleteOldRateWindows(app);
  await deleteOldUploadedLetters(app);
  await deleteOldRefusedRequests(app);
  await deleteOldTraces(app);
  await deleteOldHeld(app);
  await deleteFilesWithoutMessage(app);
}
