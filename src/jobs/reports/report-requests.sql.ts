import { type Insertable, type Selectable, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { DB } from '../../platform/db/schema.ts';

export type ReportRequestRow = Selectable<DB['report_requests']>;
type SameReport = Pick<ReportRequestRow, 'service_id' | 'user_id' | 'notification_type' | 'notification_status'>;

/**
 * Requests of one user or service are handled one after the other, so that a second click finds the first request, and a limit
 * is exact.
 */
export async function lockReportRequestsOf(tx: Tx, ownerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`report requests ${ownerId}`}, 0))`.execute(tx);
}

/** Selects an unfinished request for the same report. */
export function selectSameRequest(tx: Tx, report: SameReport, touchedSince: Timestamp) {
  return tx
    .selectFrom('report_requests')
    .selectAll()
    .where('service_id', '=', report.service_id)
    .where('user_id', '=', report.user_id)
    .where('notification_type', '=', report.notification_type)
    .where('notification_status', '=', report.notification_status)
    .where('api_key_id', 'is', null)
    .where('status', 'in', ['pending', 'in progress'])
    .where((request) => request(request.fn.coalesce('updated_at', 'created_at'), '>=', touchedSince))
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
}

export function insertReportRequest(tx: Tx, row: Insertable<DB['report_requests']>): Promise<ReportRequestRow> {
  return tx.insertInto('report_requests').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function markStored(db: Db, id: string, updated_at: Timestamp): Promise<void> {
  await db
    .updateTable('report_requests')
    .set({ status: 'stored', updated_at })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute();
}

/** People do not see the reports of API keys, and the other way round. */
export function selectReportRequest(db: Db, serviceId: string, id: string, by: 'person' | 'key') {
  return db
    .selectFrom('report_requests')
    .selectAll()
    .where('service_id', '=', serviceId)
    .where('id', '=', id)
    .where('status', '<>', 'deleted')
    .where('api_key_id', by === 'key' ? 'is not' : 'is', null)
    .executeTakeFirst();
}

/** Selects the newest requests first. */
export async function selectReportsOfKeys(
  db: Db | Tx,
  serviceId: string,
  { older_than, since, size }: { older_than?: string | undefined; since?: Timestamp; size: number },
): Promise<ReportRequestRow[]> {
  let query = db
    .selectFrom('report_requests')
    .selectAll()
    .where('service_id', '=', serviceId)
    .where('status', '<>', 'deleted')
    .where('api_key_id', 'is not', null);
  if (older_than !== undefined) query = query.where('id', '<', older_than);
  if (since !== undefined) query = query.where('created_at', '>', since);
  return query.orderBy('id', 'desc').limit(size).execute();
}

export async function deleteReportRequests(db: Db, before: Timestamp): Promise<void> {
  await db.deleteFrom('report_requests').where('created_at', '<', before).execute();
}
