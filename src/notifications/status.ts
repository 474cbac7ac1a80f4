import type { Country } from '../countries/country.ts';
import { timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import type { ChangedNotification, StatusChange } from './notification.ts';
import { updateStatuses } from './status-change.shared.sql.ts';

/**
 * Changes statuses, statistics and usage atomically, with the same statement parts as delivery. Returns the notifications that actually
 * changed.
 */
export async function recordStatusChanges(
  { calendar }: Country,
  tx: Tx,
  changes: StatusChange[],
  now: Date,
): Promise<ChangedNotification[]> {
  const changed: ChangedNotification[] = [];
  for (const round of splitIntoRounds(changes)) {
    changed.push(...(await updateStatuses(calendar, tx, round, timestamp(now))));
  }
  return changed;
}

/** Splits changes into rounds with distinct ids, so that changes of the same notification apply in order. */
function splitIntoRounds(changes: StatusChange[]): StatusChange[][] {
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
