import { sql } from 'kysely';
import type { Calendar } from '../countries/calendar.ts';
import type { FailedAttemptRow } from '../notifications/attempts/attempts.ts';
import type { ChangedNotification, StatusChange } from '../notifications/notification.ts';
import {
  changeQueueRows,
  changeStatuses,
  heldResults,
  keepFailures,
  makeQueueRowsDue,
  type QueueColumn,
  type ResultRow,
  recordableOf,
  selectChanged,
  wantedChanges,
  wantedOf,
} from '../notifications/status-change.shared.sql.ts';
import { earlier, timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { Statement } from '../platform/db/statement.ts';
import {
  countDomainMail,
  countReportedRefusals,
  type DomainMailChange,
  type ReportedRefusal,
} from '../sending-domains/readiness/domain-mail.shared.sql.ts';
import { insertFinalStatusCallbacks } from './callbacks/service-callbacks.sql.ts';
import { countHandOvers, countReceipts, type HealthChange } from './failover/provider-health.sql.ts';
import { inTime_ms } from './failover/provider-health.ts';
import { listUnfinished, type UnfinishedRow } from './sweeps.sql.ts';

export interface HeldResult {
  id: string;
  is_recorded: boolean;
}

interface Results {
  worker: string;
  rows: ResultRow[];
  failures: FailedAttemptRow[];
  /** Messages to check again later. */
  unfinished: UnfinishedRow[];
  health: HealthChange[];
  mail: DomainMailChange[];
  now: Date;
}

/**
 * Records the results of messages that the worker still holds. Returns these, and whether each was recorded: not while another transaction
 * has locked the message.
 */
export async function updateResults(
  calendar: Calendar,
  db: Db,
  { worker, rows, failures, unfinished, health, mail, now }: Results,
): Promise<HeldResult[]> {
  const statement = new Statement();
  const held = heldResults(statement, worker, rows);
  const wanted = wantedOf(statement, held);
  const { before, after } = changeStatuses<QueueColumn>(calendar, statement, wanted, timestamp(now), {
    skipsLocked: true,
  });
  const recordable = recordableOf(statement, { held, before });
  changeQueueRows(statement, { recordable, after }, worker);
  countHandOvers(statement, health);
  countDomainMail(statement, mail);
  // Without failures, another prepared statement is used that omits their table. The same holds for unfinished messages.
  const kept = failures.length > 0 ? keepFailures(statement, recordable, failures) : undefined;
  insertFinalStatusCallbacks(statement, after, now, kept);
  if (unfinished.length > 0) listUnfinished(statement, unfinished);
  const name = nameOf({ hasFailures: failures.length > 0, isListed: unfinished.length > 0 });
  const found = sql`select held.id, recordable.id is not null as is_recorded
    from ${held} as held left join ${recordable} as recordable on recordable.id = held.id`;
  return (await statement.prepared<HeldResult>(name, found).execute(db)).rows;
}

function nameOf({ hasFailures, isListed }: { hasFailures: boolean; isListed: boolean }): string {
  if (hasFailures) return isListed ? 'record-failures-listed' : 'record-failures';
  return isListed ? 'record-results-listed' : 'record-results';
}

interface Reported {
  now: Date;
  ofProvider: boolean;
  /** The reasons for failures in the receipts. */
  failures?: FailedAttemptRow[];
  /** The failures in which a receiver refuses mail because of the domain or its servers. */
  refusals?: ReportedRefusal[];
  /** Changes no message that another transaction has locked, instead of waiting for it. */
  skipsLocked?: boolean;
}

/** Records the changes of receipts and timeouts. The ids must be distinct. Returns the messages that have changed. */
export async function updateReported(
  calendar: Calendar,
  db: Db | Tx,
  changes: StatusChange[],
  { now, ofProvider, failures = [], refusals = [], skipsLocked = false }: Reported,
): Promise<ChangedNotification[]> {
  const statement = new Statement();
  const { after } = changeStatuses(calendar, statement, wantedChanges(statement, changes), timestamp(now), {
    skipsLocked,
  });
  makeQueueRowsDue(statement, after, timestamp(now));
  countReceipts(statement, after, { inTimeSince: timestamp(earlier(now, inTime_ms)), isCounted: ofProvider });
  const kept = failures.length > 0 ? keepFailures(statement, after, failures) : undefined;
  if (kept) countReportedRefusals(statement, after, refusals);
  insertFinalStatusCallbacks(statement, after, now, kept);
  const name = `${skipsLocked ? 'record-receipts' : 'record-reported'}${kept ? '-failures' : ''}`;
  const { rows } = await statement.prepared<ChangedNotification>(name, selectChanged(after)).execute(db);
  return rows;
}
