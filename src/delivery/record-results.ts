import { type Requeued, removeQueued, requeue, selectHeld } from '../notifications/delivery-queue.ts';
import { recordStatusChanges } from '../notifications/status.ts';
import { timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import { lateFacts, type Result } from './deliver.ts';
import { type HandOver, recordHandOverHealth } from './provider-health.ts';
import { announceStatuses } from './service-callbacks.ts';

/**
 * Statuses, places in the queue, health and callbacks of many attempts, together or not at all. Results of messages that
 * another worker holds by now are left out: what that one does counts. Returns those that were recorded.
 */
export async function recordResults(tx: Tx, worker: string, attempts: Result[], now: Date): Promise<Result[]> {
  const ids = attempts.map(({ queued }) => queued.id);
  const held = await selectHeld(tx, worker, ids);
  const results = attempts.filter(({ queued }) => held.has(queued.id));
  const changed = await recordStatusChanges(
    tx,
    results.flatMap(({ changes }) => changes),
    now,
  );
  const took = new Set(changed.map(({ id }) => id));
  const late = results
    .flatMap(({ changes }) => changes.slice(0, 1))
    .filter(({ id, because }) => because === 'handedOver' && !took.has(id));
  if (late.length > 0) await recordStatusChanges(tx, late.map(lateFacts), now);

  const leaving = results.filter(({ later }) => !later).map(({ queued }) => queued.id);
  if (leaving.length > 0) await removeQueued(tx, worker, leaving);
  const staying = results.flatMap(requeued);
  if (staying.length > 0) await requeue(tx, worker, staying);

  await recordHandOverHealth(tx, results.flatMap(handOvers), results.flatMap(errors), now);
  await announceStatuses(tx, changed, now);
  return results;
}

function requeued({ queued, later }: Result): Requeued[] {
  return later ? [{ id: queued.id, ...later, due_at: timestamp(later.due_at) }] : [];
}

export function handOvers({ queued, provider, outcome, changes: [change] }: Result): HandOver[] {
  if (outcome !== 'accepted' || !provider || !change?.sent_at) return [];
  return [{ provider, due: new Date(queued.scheduled_for ?? queued.created_at), sent: change.sent_at }];
}

function errors({ provider, outcome }: Result): string[] {
  return outcome === 'retry' && provider ? [provider] : [];
}
