import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';

export async function selectUnsubscribeCount(db: Db, serviceId: string, since: Timestamp) {
  const { rows } = await sql<{ unhandled: number; latest: Timestamp }>`
    select count(*) filter (where created_at >= ${since} and not processed) as unhandled, max(created_at) as latest
    from unsubscribe_requests where service_id = ${serviceId} having count(*) > 0`.execute(db);
  return rows[0];
}

export interface UnsubscribeReport {
  /** Null for the group of requests that are not in a report yet. */
  id: string | null;
  count: number;
  earliest_timestamp: Timestamp;
  latest_timestamp: Timestamp;
  processed_by_service_at: Timestamp | null;
  created_at: Timestamp | null;
}

export async function selectUnreported(db: Db, serviceId: string): Promise<UnsubscribeReport | undefined> {
  const { rows } = await sql<UnsubscribeReport>`
    select null::uuid as id, count(*) as count, min(created_at) as earliest_timestamp,
      max(created_at) as latest_timestamp, null::timestamptz as processed_by_service_at, null::timestamptz as created_at
    from unsubscribe_requests where service_id = ${serviceId} and report_id is null
    having count(*) > 0`.execute(db);
  return rows[0];
}

const reportColumns = [
  'id',
  'count',
  'earliest_timestamp',
  'latest_timestamp',
  'processed_by_service_at',
  'created_at',
] as const;

export function selectUnsubscribeReports(db: Db, serviceId: string): Promise<UnsubscribeReport[]> {
  return db
    .selectFrom('unsubscribe_reports')
    .select(reportColumns)
    .where('service_id', '=', serviceId)
    .orderBy('id', 'desc')
    .execute();
}

export function selectUnsubscribeReport(db: Db, serviceId: string, id: string) {
  return db
    .selectFrom('unsubscribe_reports')
    .select(reportColumns)
    .where('service_id', '=', serviceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

interface RequestPage {
  before?: string | undefined;
  limit?: number;
}

export async function countRequestsOfReport(db: Db, reportId: string): Promise<number> {
  const { count } = await db
    .selectFrom('unsubscribe_requests')
    .select((request) => request.fn.countAll<number>().as('count'))
    .where('report_id', '=', reportId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Selects requests, newest first, with the names of the template version and of the file that were sent. */
export function selectRequestsOfReport(db: Db, reportId: string, { before, limit }: RequestPage = {}) {
  let query = db
    .selectFrom('unsubscribe_requests as request')
    .innerJoin('templates_history as template', (join) =>
      join.onRef('template.id', '=', 'request.template_id').onRef('template.version', '=', 'request.template_version'),
    )
    .leftJoin('jobs', 'jobs.id', 'request.job_id')
    .select([
      'request.id',
      'request.notification_id',
      'request.email_address',
      'request.created_at',
      'template.name',
      'jobs.original_file_name',
    ])
    .where('request.report_id', '=', reportId)
    .orderBy('request.id', 'desc');
  if (before !== undefined) query = query.where('request.id', '<', before);
  if (limit !== undefined) query = query.limit(limit);
  return query.execute();
}

/** Uses a single statement, so that a request cannot be in two reports. Returns undefined if there are no requests. */
export async function insertUnsubscribeReport(
  db: Db,
  report: { id: string; service_id: string; created_at: Timestamp },
  { from, to }: { from: Timestamp | undefined; to: Timestamp | undefined },
): Promise<{ id: string } | undefined> {
  const { rows } = await sql<{ id: string }>`
    with taken as (
      update unsubscribe_requests set report_id = ${report.id}
      where service_id = ${report.service_id} and report_id is null
        and ${from === undefined ? sql`true` : sql`created_at >= ${from}`}
        and ${to === undefined ? sql`true` : sql`created_at <= ${to}`}
      returning created_at
    )
    insert into unsubscribe_reports (id, service_id, count, earliest_timestamp, latest_timestamp, created_at)
    select ${report.id}::uuid, ${report.service_id}::uuid, count(*), min(created_at), max(created_at),
      ${report.created_at}::timestamptz
    from taken having count(*) > 0
    returning id`.execute(db);
  return rows[0];
}

export async function updateProcessed(tx: Tx, id: string, processed_by_service_at: Timestamp | null): Promise<void> {
  await tx.updateTable('unsubscribe_reports').set({ processed_by_service_at }).where('id', '=', id).execute();
  // The recipient may have unsubscribed again since then; one open request per message is enough.
  await sql`
    update unsubscribe_requests request set processed = ${processed_by_service_at !== null}
    where report_id = ${id} and (${processed_by_service_at !== null} or not exists (
      select from unsubscribe_requests other
      where other.notification_id = request.notification_id and not other.processed
    ))`.execute(tx);
}

/** Deletes the processed requests of an address and counts the unprocessed ones, in one batch of rows. */
interface OfRecipient {
  emailAddress: string;
  /** Undefined for all services. */
  serviceId: string | undefined;
}

export async function deleteRequestsOf(db: Db, { emailAddress, serviceId }: OfRecipient, after: string, size: number) {
  const { rows } = await sql<{ erased: number; left: number; last: string | null }>`
    with part as (
      select id, processed, lower(email_address) = ${emailAddress} as is_theirs from unsubscribe_requests
      where id > ${after} and ${serviceId === undefined ? sql`true` : sql`service_id = ${serviceId}`}
      order by id limit ${size}
    ), gone as (
      delete from unsubscribe_requests where id in (select id from part where is_theirs and processed) returning id
    )
    select (select count(*)::int from gone) as erased, count(*) filter (where is_theirs and not processed)::int as left,
      max(id::text) as last from part`.execute(db);
  return rows[0] ?? { erased: 0, left: 0, last: null };
}

export function selectRequestsOf(db: Db, { emailAddress, serviceId }: OfRecipient) {
  let query = db
    .selectFrom('unsubscribe_requests')
    .select(['id', 'service_id', 'notification_id', 'template_id', 'created_at', 'processed'])
    .where(sql<boolean>`lower(email_address) = ${emailAddress}`);
  if (serviceId !== undefined) query = query.where('service_id', '=', serviceId);
  return query.orderBy('id').execute();
}

/** Deleting a report also deletes its requests. */
export async function deleteUnsubscribeRequests(
  db: Db,
  before: { reported: Timestamp; received: Timestamp },
): Promise<void> {
  await db.deleteFrom('unsubscribe_reports').where('created_at', '<', before.reported).execute();
  await db
    .deleteFrom('unsubscribe_requests')
    .where('report_id', 'is', null)
    .where('created_at', '<', before.received)
    .execute();
}

/** Keeps one open request per message: unsubscribing again before the service has processed it changes nothing. */
export async function insertUnsubscribeRequest(
  tx: Tx,
  row: {
    id: string;
    service_id: string;
    notification_id: string;
    template_id: string;
    template_version: number;
    email_address: string;
    created_at: Timestamp;
  },
): Promise<void> {
  await tx
    .insertInto('unsubscribe_requests')
    // The link may outlive its message, and then its job is unknown.
    .values({ ...row, job_id: sql`(select job_id from notifications where id = ${row.notification_id})` })
    .onConflict((conflict) => conflict.column('notification_id').where('processed', '=', false).doNothing())
    .execute();
}
