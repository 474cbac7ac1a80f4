import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Calendar } from '../countries/calendar.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { anyOf } from '../platform/db/expressions.ts';
import { localDay } from '../platform/db/local-day.ts';
import type { DB } from '../platform/db/schema.ts';
import type { Channel } from '../protocol/channels.ts';

export type JobRow = Selectable<DB['jobs']>;

export async function countUploadRows(
  tx: Tx,
  uploadId: string,
): Promise<{ rows: number; problems: number; abroad: number; parts: number }> {
  return tx
    .selectFrom('upload_chunks')
    .select((chunk) => [
      chunk.fn.coalesce(chunk.fn.sum<number>('row_count'), sql<number>`0`).as('rows'),
      chunk.fn.coalesce(chunk.fn.sum<number>('problem_count'), sql<number>`0`).as('problems'),
      chunk.fn.coalesce(chunk.fn.sum<number>('abroad_count'), sql<number>`0`).as('abroad'),
      chunk.fn.coalesce(chunk.fn.sum<number>('part_count'), sql<number>`0`).as('parts'),
    ])
    .where('upload_id', '=', uploadId)
    .executeTakeFirstOrThrow();
}

export async function markUploadSent(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('uploads').set({ state: 'sent' }).where('id', '=', id).execute();
}

export async function insertJob(tx: Tx, row: Insertable<DB['jobs']>): Promise<JobRow> {
  return tx.insertInto('jobs').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function updateJob(tx: Tx, id: string, changes: Updateable<DB['jobs']>): Promise<JobRow> {
  return tx.updateTable('jobs').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export function selectJob(db: Db | Tx, id: string): Promise<JobRow | undefined> {
  return db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Every change of a job locks it first, so that expanding and cancelling wait for each other. */
export function lockJob(tx: Tx, id: string): Promise<JobRow | undefined> {
  return tx.selectFrom('jobs').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

/**
 * The commit does not wait for the disk. For changes that are made again if the server loses them: a later commit that does
 * wait also makes this one durable.
 */
export async function commitWithoutWaiting(tx: Tx): Promise<void> {
  await sql`select set_config('synchronous_commit', 'off', true)`.execute(tx);
}

/** Serialises the acceptance of a service's jobs, so that the number of unfinished ones is exact. */
export async function lockJobsOf(tx: Tx, serviceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`jobs ${serviceId}`}, 0))`.execute(tx);
}

export async function countUnfinishedJobs(tx: Tx, serviceId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('jobs')
    .select((job) => job.fn.countAll<number>().as('count'))
    .where('service_id', '=', serviceId)
    .where('status', 'in', ['pending', 'in progress'])
    .executeTakeFirstOrThrow();
  return count;
}

/** Omits the original cells of the file, which are as long as the messages. */
export function selectNextChunk(tx: Tx, jobId: string) {
  return tx
    .selectFrom('upload_chunks')
    .select(['upload_id', 'first_row', 'row_count', 'messages', 'abroad_count', 'part_count'])
    .where('upload_id', '=', jobId)
    .where('expanded_at', 'is', null)
    .orderBy('first_row')
    .limit(1)
    .executeTakeFirst();
}

export async function markChunkExpanded(
  tx: Tx,
  { upload_id, first_row }: Pick<Selectable<DB['upload_chunks']>, 'upload_id' | 'first_row'>,
  expanded_at: Timestamp,
): Promise<void> {
  await tx
    .updateTable('upload_chunks')
    .set({ expanded_at })
    .where('upload_id', '=', upload_id)
    .where('first_row', '=', first_row)
    .execute();
}

/** Counts a job's notifications by status. Omits statuses without notifications. */
export async function selectJobStatistics(
  db: Db | Tx,
  jobIds: string[],
): Promise<{ job_id: string; status: string; count: number }[]> {
  const { rows } = await sql<{ job_id: string; status: string; count: number }>`
    select job_id, status, sum(count)::bigint as count from job_statuses
    where job_id = any (${jobIds}::uuid[])
    group by job_id, status having sum(count) <> 0 order by job_id, status`.execute(db);
  return rows;
}

export async function isServiceActive(db: Db, serviceId: string): Promise<boolean> {
  const row = await db.selectFrom('services').select('active').where('id', '=', serviceId).executeTakeFirst();
  return row?.active ?? false;
}

/** Selects jobs with the names that their records show. */
function recordedJobs(db: Db | Tx) {
  return db
    .selectFrom('jobs')
    .innerJoin('services', 'services.id', 'jobs.service_id')
    .innerJoin('templates', 'templates.id', 'jobs.template_id')
    .leftJoin('users', 'users.id', 'jobs.created_by_id')
    .selectAll('jobs')
    .select(['services.name as service_name', 'templates.name as template_name', 'users.name as created_by_name']);
}

export type RecordedJob = NonNullable<Awaited<ReturnType<typeof selectRecordedJob>>>;

export function selectRecordedJob(db: Db | Tx, serviceId: string, id: string) {
  return recordedJobs(db).where('jobs.service_id', '=', serviceId).where('jobs.id', '=', id).executeTakeFirst();
}

export interface JobFilter {
  created_since?: Timestamp;
  statuses?: string[];
  contact_list_id?: string;
}

/** File names that the official front end uses for its own jobs. */
const unlistedNames = ['Test message', 'Report'];

const matches = (serviceId: string, { created_since, statuses, contact_list_id }: JobFilter) => sql<boolean>`(
  jobs.service_id = ${serviceId} and jobs.original_file_name <> all (${unlistedNames}::text[])
  and ${created_since === undefined ? sql`true` : sql`jobs.created_at >= ${created_since}`}
  and ${statuses === undefined ? sql`true` : sql`jobs.status = any (${statuses}::text[])`}
  and ${contact_list_id === undefined ? sql`true` : sql`jobs.contact_list_id = ${contact_list_id}`})`;

export function selectJobs(
  db: Db,
  serviceId: string,
  filter: JobFilter,
  { size, skip }: { size: number; skip: number },
) {
  return recordedJobs(db)
    .where(matches(serviceId, filter))
    .orderBy('jobs.processing_started', (order) => order.desc().nullsFirst())
    .orderBy('jobs.created_at', 'desc')
    .limit(size)
    .offset(skip)
    .execute();
}

export async function countJobs(db: Db, serviceId: string, filter: JobFilter): Promise<number> {
  const { count } = await db
    .selectFrom('jobs')
    .select((job) => job.fn.countAll<number>().as('count'))
    .where(matches(serviceId, filter))
    .executeTakeFirstOrThrow();
  return count;
}

export function selectScheduledJobs(db: Db, serviceId: string): Promise<JobRow[]> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('service_id', '=', serviceId)
    .where('status', '=', 'scheduled')
    .orderBy('id')
    .execute();
}

export async function hasJobs(db: Db, serviceId: string): Promise<boolean> {
  return (await db.selectFrom('jobs').select('id').where('service_id', '=', serviceId).limit(1).execute()).length > 0;
}

export async function selectScheduledStatistics(
  db: Db,
  serviceId: string,
): Promise<{ count: number; soonest: Timestamp | null }> {
  return db
    .selectFrom('jobs')
    .select((job) => [job.fn.countAll<number>().as('count'), job.fn.min('scheduled_for').as('soonest')])
    .where('service_id', '=', serviceId)
    .where('status', '=', 'scheduled')
    .executeTakeFirstOrThrow();
}

export function selectServiceState(db: Db, id: string) {
  return db.selectFrom('services').select(['active', 'restricted']).where('id', '=', id).executeTakeFirst();
}

/** Selects jobs that are older than the retention of their channel, in whole days. */
export async function selectExpiredJobs(
  db: Db,
  { calendar, today, defaultDays, limit }: { calendar: Calendar; today: string; defaultDays: number; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select j.id from jobs j
    left join service_data_retention r on r.service_id = j.service_id and r.notification_type = j.notification_type
    where not j.archived and j.status not in ('pending', 'in progress', 'scheduled')
      and ${localDay(calendar, 'coalesce(j.scheduled_for, j.created_at)')} <
        ${today}::date - coalesce(r.days_of_retention, ${defaultDays})
    order by j.id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Deletes the uploads of these jobs, with all rows. */
export async function deleteRowsOf(tx: Tx, ids: string[]): Promise<void> {
  await tx.deleteFrom('uploads').where('id', '=', anyOf(ids)).execute();
  await tx.updateTable('jobs').set({ archived: true }).where('id', '=', anyOf(ids)).execute();
}

/** Whether a job is due and not finished. */
const isUnfinished = (now: Timestamp) =>
  sql`(status in ('pending', 'in progress') or status = 'scheduled' and scheduled_for <= ${now})`;

const lastMove = sql`greatest(updated_at, scheduled_for, created_at)`;

export interface IdleJob {
  id: string;
  service_id: string;
  idle_s: number;
  /** Notifications that are not sent yet. A job with many of them waits for the delivery queue. */
  waiting: number;
  /** The guard has paused sending emails to many. */
  is_paused: boolean;
}

export async function selectIdleJobs(db: Db, now: Timestamp, idleSince: Timestamp): Promise<IdleJob[]> {
  const { rows } = await sql<IdleJob>`
    select id, service_id, extract(epoch from ${now}::timestamptz - ${lastMove})::integer as idle_s, coalesce((
      select sum(s.count) from job_statuses s where s.job_id = jobs.id and s.status = 'created'), 0)::integer as waiting,
      notification_type = 'email' and exists (
        select from service_guard g where g.service_id = jobs.service_id and g.state = 'paused') as is_paused
    from jobs where ${isUnfinished(now)} and ${lastMove} <= ${idleSince}
    order by id`.execute(db);
  return rows;
}

/** Counts rows of unfinished jobs that are not notifications yet. */
export async function countWaitingRows(
  db: Db,
  now: Timestamp,
): Promise<{ notification_type: Channel; rows: number }[]> {
  const { rows } = await sql<{ notification_type: Channel; rows: number }>`
    select notification_type, sum(row_count - rows_skipped - rows_done) as rows
    from jobs where ${isUnfinished(now)} group by notification_type`.execute(db);
  return rows;
}

/** Returns how many jobs it cancelled. */
export async function cancelUnfinishedJobs(db: Db, because: string, now: Timestamp): Promise<number> {
  const { numAffectedRows } = await sql`
    update jobs set status = 'cancelled', cancelled_because = ${because}, processing_finished = ${now}, updated_at = ${now},
      reserved_day = null, reserved = 0, reserved_international = 0, reserved_parts = null
    where status in ('pending', 'in progress', 'scheduled')`.execute(db);
  return Number(numAffectedRows ?? 0);
}
