import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { Jobs, UploadChunks } from '../platform/db/schema.ts';

export type JobRow = Selectable<Jobs>;

/** What accepting a job needs of its upload. */
export function selectUpload(db: Db | Tx, serviceId: string, id: string) {
  return db
    .selectFrom('uploads')
    .selectAll()
    .where('service_id', '=', serviceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function lockUpload(tx: Tx, serviceId: string, id: string) {
  return tx
    .selectFrom('uploads')
    .selectAll()
    .where('service_id', '=', serviceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export async function countUploadRows(
  tx: Tx,
  uploadId: string,
): Promise<{ rows: number; problems: number; abroad: number }> {
  return tx
    .selectFrom('upload_chunks')
    .select((chunk) => [
      chunk.fn.coalesce(chunk.fn.sum<number>('row_count'), sql<number>`0`).as('rows'),
      chunk.fn.coalesce(chunk.fn.sum<number>('problem_count'), sql<number>`0`).as('problems'),
      chunk.fn.coalesce(chunk.fn.sum<number>('abroad_count'), sql<number>`0`).as('abroad'),
    ])
    .where('upload_id', '=', uploadId)
    .executeTakeFirstOrThrow();
}

export async function markUploadSent(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('uploads').set({ state: 'sent' }).where('id', '=', id).execute();
}

export async function insertJob(tx: Tx, row: Insertable<Jobs>): Promise<JobRow> {
  return tx.insertInto('jobs').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function updateJob(tx: Tx, id: string, changes: Updateable<Jobs>): Promise<JobRow> {
  return tx.updateTable('jobs').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export function selectJob(db: Db | Tx, id: string): Promise<JobRow | undefined> {
  return db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Every change of a job locks it first: expanding waits for cancelling, and cancelling for expanding. */
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

/** Jobs of one service are accepted one after the other, so that the number of unfinished ones is exact. */
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

/** Without the cells as they were in the file, which are as long as the messages. */
export function selectNextChunk(tx: Tx, jobId: string) {
  return tx
    .selectFrom('upload_chunks')
    .select(['upload_id', 'first_row', 'row_count', 'messages', 'abroad_count'])
    .where('upload_id', '=', jobId)
    .where('expanded_at', 'is', null)
    .orderBy('first_row')
    .limit(1)
    .executeTakeFirst();
}

export async function markChunkExpanded(
  tx: Tx,
  { upload_id, first_row }: Pick<Selectable<UploadChunks>, 'upload_id' | 'first_row'>,
  expanded_at: Timestamp,
): Promise<void> {
  await tx
    .updateTable('upload_chunks')
    .set({ expanded_at })
    .where('upload_id', '=', upload_id)
    .where('first_row', '=', first_row)
    .execute();
}

/** Statuses of a job's notifications; statuses without any are left out. */
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

/** A job with the names that its record shows. */
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

/** Files that other software sends in the name of a user. */
const unlistedNames = ['Test message', 'Report'];

const matches = (serviceId: string, { created_since, statuses, contact_list_id }: JobFilter) => sql<boolean>`(
  jobs.service_id = ${serviceId} and jobs.original_file_name <> all (${unlistedNames}::text[])
  and (${created_since ?? null}::timestamptz is null or jobs.created_at >= ${created_since ?? null})
  and (${statuses ?? null}::text[] is null or jobs.status = any (${statuses ?? null}::text[]))
  and (${contact_list_id ?? null}::uuid is null or jobs.contact_list_id = ${contact_list_id ?? null}))`;

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
