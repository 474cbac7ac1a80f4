import { type Insertable, type Selectable, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { ReportRequests } from '../../platform/db/schema.ts';

export type ReportRequestRow = Selectable<ReportRequests>;
type SameReport = Pick<ReportRequestRow, 'service_id' | 'user_id' | 'notification_type' | 'notification_status'>;

/** Requests of one user are handled one after the other, so that a second click finds the first request. */
export async function lockReportRequestsOf(tx: Tx, userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`report requests ${userId}`}, 0))`.execute(tx);
}

/** An unfinished request for the same report. */
export function selectSameRequest(tx: Tx, report: SameReport, touchedSince: Timestamp) {
  return tx
    .selectFrom('report_requests')
    .selectAll()
    .where('service_id', '=', report.service_id)
    .where('user_id', '=', report.user_id)
    .where('notification_type', '=', report.notification_type)
    .where('notification_status', '=', report.notification_status)
    .where('status', 'in', ['pending', 'in progress'])
    .where((request) => request(request.fn.coalesce('updated_at', 'created_at'), '>=', touchedSince))
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
}

export function insertReportRequest(tx: Tx, row: Insertable<ReportRequests>): Promise<ReportRequestRow> {
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

export function selectReportRequest(db: Db, serviceId: string, id: string) {
  return db
    .selectFrom('report_requests')
    .selectAll()
    .where('service_id', '=', serviceId)
    .where('id', '=', id)
    .where('status', '<>', 'deleted')
    .executeTakeFirst();
}

export async function deleteReportRequests(db: Db, before: Timestamp): Promise<void> {
  await db.deleteFrom('report_requests').where('created_at', '<', before).execute();
}
