import { type ChangedNotification, recordStatusChanges } from '../../notifications/status.ts';
import { londonDay } from '../../platform/calendar.ts';
import { timestamp } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { insertDespatches, selectLettersToDespatch } from './despatch.sql.ts';

/** A letter posted by the printer. */
interface Despatch {
  notification_id: string;
  despatched_at: Date;
  cost_threshold: CostThreshold;
}

interface PostedLetter {
  notification_id: string;
  sheets: number;
}

/** The postal rate of the printer: lower for letters that it sorts itself. */
type CostThreshold = 'sorted' | 'unsorted';

export function costThreshold(mailingProduct: string, postageClass: string): CostThreshold {
  const sorted = ['MM', 'MM ECONOMY'].includes(mailingProduct) && postageClass === '2ND';
  return sorted ? 'sorted' : 'unsorted';
}

/** Idempotent: repeated reports, and reports for letters with a final status, change nothing. */
export async function recordDespatches(tx: Tx, despatches: Despatch[], now: Date): Promise<PostedLetter[]> {
  const changes = despatches.map(({ notification_id: id }) => ({
    id,
    status: 'delivered' as const,
    event: 'despatched' as const,
  }));
  const changed = await recordStatusChanges(tx, changes, now);
  if (changed.length === 0) return [];
  const letters = await selectLettersToDespatch(
    tx,
    changed.map(({ id }) => id),
  );
  const byId = new Map(despatches.map((despatch) => [despatch.notification_id, despatch]));
  const rows = letters.flatMap(({ id, service_id, postage, billable_units }) => {
    const despatch = byId.get(id);
    if (!despatch) return [];
    return {
      notification_id: id,
      service_id,
      despatched_on: londonDay(despatch.despatched_at),
      postage,
      sheets: billable_units,
      cost_threshold: despatch.cost_threshold,
      created_at: timestamp(now),
    };
  });
  await insertDespatches(tx, rows);
  return rows;
}

/** The printer rejected the letters; they will not be posted. */
export async function recordRejections(tx: Tx, ids: string[], now: Date): Promise<ChangedNotification[]> {
  const changes = ids.map((id) => ({ id, status: 'technical-failure' as const, event: 'givenUp' as const }));
  return recordStatusChanges(tx, changes, now);
}
