import { withdrawUnsent } from '../notifications/plan-steps.shared.sql.ts';
import { recordStatusChanges } from '../notifications/status.ts';
import { timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import { type StoredStep, updateStep } from './plan-messages.sql.ts';

/** Cancels the notifications of steps that nobody can have got; the others stay. */
export async function withdrawSteps(
  { country }: Platform,
  tx: Tx,
  steps: readonly StoredStep[],
  now: Date,
): Promise<void> {
  const ids = steps.flatMap(({ notification_id }) => notification_id ?? []);
  if (ids.length === 0) return;
  const withdrawn = await withdrawUnsent(tx, ids, timestamp(country.letterDays.lastCutOff(now)));
  const changes = withdrawn.map((id) => ({ id, status: 'cancelled', event: 'cancelled', billable_units: 0 }) as const);
  const changed = await recordStatusChanges(country, tx, changes, now);
  for (const step of steps) {
    if (!changed.some(({ id }) => id === step.notification_id)) continue;
    await updateStep(tx, step, { state: 'cancelled', reason: 'withdrawn', ended_at: timestamp(now) });
  }
}
