import { type Static, Type } from 'typebox';
import { type Timestamp, timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/failure.ts';
import { nilId } from '../../platform/id.ts';
import { Datetime, Nullable, OneOf } from '../../protocol/fields.ts';
import { selectNotification } from '../history/stored-notifications.sql.ts';
import { deleteOrphanedAttempts, type FailedAttemptRow, selectFailedAttempts } from './attempts.sql.ts';

export type { FailedAttemptRow } from './attempts.sql.ts';

/** One attempt to hand a message over to a provider. */
export const AttemptRecord = Type.Object({
  provider: Nullable(Type.String({ description: 'Null if no provider in use could take the message' })),
  outcome: OneOf(['handed-over', 'failed', 'refused', 'unknown']),
  reason: Nullable(Type.String({ description: 'Why it failed, in the words of the provider; without recipients' })),
  duration_ms: Nullable(Type.Integer({ description: 'Of the call; only kept of failed attempts' })),
  at: Datetime,
  retry_at: Nullable(Datetime),
});

export type AttemptRecord = Static<typeof AttemptRecord>;

/** Lists failed attempts first, then the successful one. */
export async function listAttempts(db: Db, serviceId: string, notificationId: string): Promise<AttemptRecord[]> {
  const stored = await selectNotification(db, serviceId, notificationId);
  if (!stored) throw notFound();
  const failed = (await selectFailedAttempts(db, stored.id)).map(
    ({ provider, outcome, reason, duration_ms, failed_at, retry_at }): AttemptRecord => ({
      provider,
      outcome,
      reason,
      duration_ms,
      at: failed_at,
      retry_at,
    }),
  );
  return stored.sent_at === null ? failed : [...failed, handedOver(stored.provider, stored.sent_at)];
}

function handedOver(provider: string | null, at: Timestamp): AttemptRecord {
  return { provider, outcome: 'handed-over', reason: null, duration_ms: null, at, retry_at: null };
}

const maxReason = 255;

/** Limits the length and removes everything that looks like a recipient, because a provider may repeat it in its response. */
function reasonWithoutRecipient(reason: string): string {
  return reason
    .replaceAll(/\S+@\S+/g, '[address]')
    .replaceAll(/\+?\d(?:[\s()-]?\d){6,}/g, '[number]')
    .slice(0, maxReason);
}

interface Failure {
  provider: string | undefined;
  outcome: FailedAttemptRow['outcome'];
  reason: string;
  duration_ms?: number | undefined;
  at: Date;
}

export function failedAttemptRow(
  { id, attempts }: { id: string; attempts: number },
  { provider, outcome, reason, duration_ms, at }: Failure,
  retryAt: Date | undefined,
): FailedAttemptRow {
  return {
    notification_id: id,
    attempt: attempts + 1,
    provider: provider ?? null,
    outcome,
    reason: reasonWithoutRecipient(reason),
    duration_ms: duration_ms === undefined ? null : Math.round(duration_ms),
    failed_at: timestamp(at),
    retry_at: retryAt ? timestamp(retryAt) : null,
  };
}

/** Sorts after every attempt, because a message has fewer. */
const afterAttempts = 32_767;

/** Returns the failure that a receipt reported. A message has at most one such row. */
export function reportedFailureRow(
  id: string,
  { provider, reason }: { provider: string; reason: string },
  now: Date,
): FailedAttemptRow {
  const failure = { provider, outcome: 'reported' as const, reason, at: now };
  return failedAttemptRow({ id, attempts: afterAttempts - 1 }, failure, undefined);
}

const batchSize = 2_000;

/** Most messages are deleted with their partition, so their attempts are deleted afterwards. */
export async function deleteAttemptsWithoutMessage(db: Db, before: string): Promise<void> {
  for (let after: string | undefined = nilId; after !== undefined; ) {
    after = await deleteOrphanedAttempts(db, { after, before }, batchSize);
  }
}
