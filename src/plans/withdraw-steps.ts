import { type CancelDeps, cancelMessages } from '../notifications/cancel-messages.ts';
import { withdrawUnsent } from '../notifications/plan-steps.shared.sql.ts';
import { timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import { type StoredStep, updateStep } from './plan-messages.sql.ts';

/** Cancels the notifications that cannot have reached anybody, among those of `withdraw`. Returns all steps as they are then. */
export async function withdrawSteps(
  app: CancelDeps,
  tx: Tx,
  { steps, withdraw, now }: { steps: readonly StoredStep[]; withdraw: readonly StoredStep[]; now: Date },
): Promise<StoredStep[]> {
  const ids = withdraw.flatMap(({ notification_id }) => notification_id ?? []);
  if (ids.length === 0) return [...steps];
  const unsent = await withdrawUnsent(tx, ids, timestamp(app.country.letterDays.lastCutOff(now)));
  const cancelled = new Set((await cancelMessages(app, tx, unsent, now)).map(({ id }) => id));
  const change = { state: 'cancelled', reason: 'withdrawn', ended_at: timestamp(now) } as const;
  const after: StoredStep[] = [];
  for (const step of steps) {
    const isCancelled = cancelled.has(step.notification_id ?? '');
    if (isCancelled) await updateStep(tx, step, change);
    after.push(isCancelled ? { ...step, ...change } : step);
  }
  return after;
}
