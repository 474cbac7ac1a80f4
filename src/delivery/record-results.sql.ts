import { sql } from 'kysely';
import { type FailedAttemptRow, keepFailures } from '../notifications/attempts/attempts.ts';
import {
  heldBy,
  queueRowBroughtForward,
  queueRowChange,
  queueRowColumns,
} from '../notifications/queue/delivery-queue.ts';
import { type ChangedNotification, changeColumns, type StatusChange, statusChange } from '../notifications/status.ts';
import { earlier, type Timestamp, timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { announcement } from './callbacks/service-callbacks.sql.ts';
import { type HealthChange, handOverHealth, receiptHealth } from './failover/provider-health.sql.ts';
import { inTime_ms } from './failover/provider-health.ts';
import { listUnfinished, type UnfinishedRow } from './time-outs.sql.ts';

/** Without `event` its status stays; without `due_at` it leaves the queue. */
export interface ResultRow extends Partial<StatusChange> {
  id: string;
  due_at?: Timestamp;
  attempts?: number;
  outcome_known?: boolean;
}

interface Results {
  worker: string;
  rows: ResultRow[];
  failures: FailedAttemptRow[];
  /** Messages to look at again later. */
  unfinished: UnfinishedRow[];
  health: HealthChange[];
  now: Date;
}

const namesOfStatement = {
  results: { alone: sql`/* prepared: record-results */`, listed: sql`/* prepared: record-results-listed */` },
  failures: { alone: sql`/* prepared: record-failures */`, listed: sql`/* prepared: record-failures-listed */` },
};

/** A single statement: one round trip, atomic. Returns the messages that the worker still held. */
export async function updateResults(
  db: Db,
  { worker, rows, failures, unfinished, health, now }: Results,
): Promise<Set<string>> {
  const ids = rows.map(({ id }) => id);
  // Without failures the statement is another one, which does not name their table. The same for unfinished messages.
  const kept = failures.length > 0 ? sql`, ${keepFailures(failures)}` : sql``;
  const listed = unfinished.length > 0 ? sql`, ${listUnfinished(unfinished)}` : sql``;
  const name =
    namesOfStatement[failures.length > 0 ? 'failures' : 'results'][unfinished.length > 0 ? 'listed' : 'alone'];
  const { rows: held } = await sql<{ id: string }>`${name}
    with result as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as r (${changeColumns}, ${queueRowColumns})
    ), ${heldBy(worker, ids)}, wanted as (
      select * from held where event is not null
    ), ${statusChange(timestamp(now))}, ${queueRowChange(worker)}, ${handOverHealth(health)}, ${announcement(now)}${kept}${listed}
    select id from held`.execute(db);
  return new Set(held.map(({ id }) => id));
}

/** The same for receipts and timeouts. The ids must be distinct. */
export async function updateReported(
  db: Db | Tx,
  changes: StatusChange[],
  { now, ofProvider }: { now: Date; ofProvider: boolean },
): Promise<ChangedNotification[]> {
  const inTimeSince = timestamp(earlier(now, inTime_ms));
  const { rows } = await sql<ChangedNotification>`/* prepared: record-reported */
    with wanted as (
      select * from json_to_recordset(${JSON.stringify(changes)}::json) as w (${changeColumns})
    ), ${statusChange(timestamp(now))}, ${queueRowBroughtForward(timestamp(now))},
    ${receiptHealth(inTimeSince, ofProvider)}, ${announcement(now)}
    select id, service_id, notification_type, key_type, previous_status, status, provider, created_at, sent_at
    from after`.execute(db);
  return rows;
}
