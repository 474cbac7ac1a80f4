import { timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import type { allowedBefore } from './allowed-changes.ts';
import type { Postage, Status } from './notification.ts';
import { type ChangedNotification, updateStatuses } from './status.sql.ts';

export { allowedBefore } from './allowed-changes.ts';
export type { ChangedNotification } from './status.sql.ts';

export interface StatusChange {
  id: string;
  /** Left out: it stays, and only the rest is kept. */
  status?: Status;
  because: keyof typeof allowedBefore;
  provider?: string;
  provider_reference?: string;
  billable_units?: number;
  sent_at?: Date;
  postage?: Postage;
  international?: boolean;
  recipient?: string;
  normalised_recipient?: string;
}

/**
 * A status changes here, or in a statement of delivery that is made of the same parts: statuses, statistics and usage move
 * together. Returns what really changed.
 */
export async function recordStatusChanges(tx: Tx, changes: StatusChange[], now: Date): Promise<ChangedNotification[]> {
  const changed: ChangedNotification[] = [];
  for (const round of withoutRepeatedIds(changes)) changed.push(...(await updateStatuses(tx, round, timestamp(now))));
  return changed;
}

/** Two changes of one notification in a batch must be applied one after the other. */
function withoutRepeatedIds(changes: StatusChange[]): StatusChange[][] {
  const rounds: { ids: Set<string>; changes: StatusChange[] }[] = [];
  for (const change of changes) {
    let round = rounds.find(({ ids }) => !ids.has(change.id));
    if (!round) {
      round = { ids: new Set(), changes: [] };
      rounds.push(round);
    }
    round.ids.add(change.id);
    round.changes.push(change);
  }
  return rounds.map((round) => round.changes);
}
