import { timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Postage, Status } from './notification.ts';
import { type ChangedNotification, updateStatuses } from './status.sql.ts';

export type { ChangedNotification } from './status.sql.ts';

/** From where each change may come; whatever else is asked for, repeated or late, changes nothing. */
export const allowedBefore = {
  /** A provider took it. */
  handedOver: ['created'],
  /** As above, but its receipt was faster: what the hand-over adds is kept, the status stays. */
  handedOverLate: ['pending', 'delivered', 'temporary-failure', 'permanent-failure', 'technical-failure'],
  /** A delivery receipt: final states stay as they are. */
  receipt: ['created', 'sending', 'pending', 'sent', 'pending-virus-check'],
  /** No receipt came in time. */
  timedOut: ['sending', 'pending'],
  /** It could not be handed over at all. */
  givenUp: ['created', 'sending', 'pending-virus-check'],
  /** A letter’s file was checked or composed. */
  checked: ['created', 'pending-virus-check'],
  cancelled: ['created', 'pending-virus-check'],
  despatched: ['created', 'sending'],
  returned: ['created', 'sending', 'delivered'],
} as const satisfies Record<string, readonly Status[]>;

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
 * The only way a status changes: statuses, statistics and usage move together. Returns what really changed, so that the
 * caller can tell the service about exactly that in the same transaction.
 */
export async function recordStatusChanges(tx: Tx, changes: StatusChange[], now: Date): Promise<ChangedNotification[]> {
  const changed: ChangedNotification[] = [];
  for (const round of withoutRepeatedIds(changes)) {
    const rows = round.map(({ because, sent_at, ...change }) => ({
      ...change,
      allowed: allowedBefore[because],
      now: timestamp(now),
      sent_at: sent_at && timestamp(sent_at),
    }));
    changed.push(...(await updateStatuses(tx, rows)));
  }
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
