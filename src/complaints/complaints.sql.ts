import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { anyOf } from '../platform/db/expressions.ts';

export interface NewComplaint {
  notification_id: string;
  service_id: string;
  ses_feedback_id: string | null;
  complaint_type: string | null;
  complaint_date: string | null;
}

/**
 * Returns undefined for a duplicate: the message already has a complaint with this feedback id. `is_first`: whether it is the first
 * complaint about the message.
 */
export async function insertComplaint(tx: Tx, row: NewComplaint & { id: string; created_at: Timestamp }) {
  const { id, notification_id, service_id, ses_feedback_id, complaint_type, complaint_date, created_at } = row;
  // Two reports of one complaint may arrive at the same time.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`complaints ${notification_id}`}, 0))`.execute(tx);
  const { rows } = await sql<{ id: string; complaint_date: Timestamp | null; is_first: boolean }>`
    insert into complaints (id, notification_id, service_id, ses_feedback_id, complaint_type, complaint_date, created_at)
    select ${id}::uuid, ${notification_id}::uuid, ${service_id}::uuid, ${ses_feedback_id}::text, ${complaint_type}::text,
      ${complaint_date}::timestamptz, ${created_at}::timestamptz
    where not exists (
      select from complaints
      where service_id = ${service_id} and notification_id = ${notification_id} and ses_feedback_id = ${ses_feedback_id})
    returning id, complaint_date, not exists (
      select from complaints other where other.service_id = ${service_id} and other.notification_id = ${notification_id}) as is_first`.execute(
    tx,
  );
  return rows[0];
}

/** Clears the provider's feedback id, which identifies the person, in one batch of rows. The complaint itself still counts. */
export async function clearFeedback(db: Db, notificationIds: string[], after: string, size: number) {
  const { rows } = await sql<{ erased: number; last: string | null }>`
    with part as (
      select id, notification_id from complaints where id > ${after} order by id limit ${size}
    ), cleared as (
      update complaints set ses_feedback_id = null
      where id in (select id from part where notification_id = any (${notificationIds}::uuid[])) returning id
    )
    select (select count(*)::int from cleared) as erased, max(id::text) as last from part`.execute(db);
  return rows[0] ?? { erased: 0, last: null };
}

export function selectComplaintsAbout(db: Db, notificationIds: readonly string[]) {
  return db
    .selectFrom('complaints')
    .select(['id', 'service_id', 'notification_id', 'complaint_type', 'complaint_date', 'created_at'])
    .where('notification_id', '=', anyOf(notificationIds))
    .orderBy('id')
    .execute();
}

export async function deleteComplaintsBefore(db: Db, before: Timestamp, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from complaints where id in (
      select id from complaints where created_at < ${before} order by created_at limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Selects complaints, newest first. */
export function selectComplaints(db: Db, page: { size: number; skip: number }) {
  return db
    .selectFrom('complaints')
    .innerJoin('services', 'services.id', 'complaints.service_id')
    .select([
      'complaints.id',
      'complaints.notification_id',
      'complaints.service_id',
      'services.name as service_name',
      'complaints.ses_feedback_id',
      'complaints.complaint_type',
      'complaints.complaint_date',
      'complaints.created_at',
    ])
    .orderBy('complaints.created_at', 'desc')
    .orderBy('complaints.id', 'desc')
    .limit(page.size)
    .offset(page.skip)
    .execute();
}

/** Counts all complaints, or those created in [`from`, `until`). */
export async function selectComplaintCount(db: Db, range?: { from: Timestamp; until: Timestamp }): Promise<number> {
  let query = db.selectFrom('complaints').select((complaint) => complaint.fn.countAll<number>().as('count'));
  if (range) query = query.where('created_at', '>=', range.from).where('created_at', '<', range.until);
  const { count } = await query.executeTakeFirstOrThrow();
  return count;
}
