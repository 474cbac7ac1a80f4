import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';

interface JobMessage {
  id: string;
  job_row_number: number;
}

/**
 * Removes all waiting messages of a job from the queue at once, so that none of them is sent from then on. Leaves messages that a worker
 * has leased or a provider may have. Locks queue rows by id, as new sending times do, so that the two cannot deadlock.
 */
export async function dequeueRows(db: Db, jobId: string): Promise<void> {
  await sql`
    with queued as materialized (
      select q.notification_id from delivery_queue q join notifications n on n.id = q.notification_id
      where n.job_id = ${jobId} and n.job_row_number is not null and n.status = 'created'
        and q.leased_by is null and q.outcome_known
      order by q.notification_id for update of q
    ), dequeued as (
      delete from delivery_queue where notification_id = any (array(select notification_id from queued))
      returning notification_id
    )
    delete from held_messages h using dequeued where h.notification_id = dequeued.notification_id`.execute(db);
}

/** Selects messages of a job that are neither sent nor queued, in row order. */
export async function selectDequeuedRows(
  db: Db,
  jobId: string,
  { afterRow, limit }: { afterRow: number; limit: number },
): Promise<JobMessage[]> {
  const { rows } = await sql<JobMessage>`
    select n.id, n.job_row_number from notifications n
    where n.job_id = ${jobId} and n.job_row_number > ${afterRow} and n.status = 'created'
      and not exists (select from delivery_queue q where q.notification_id = n.id)
    order by n.job_row_number limit ${limit}`.execute(db);
  return rows;
}

/** Selects letters of a job that were accepted since a moment, in row order. */
export async function selectLetterRows(
  db: Db | Tx,
  jobId: string,
  { since, afterRow, limit }: { since: Timestamp; afterRow: number; limit: number },
): Promise<JobMessage[]> {
  const { rows } = await sql<JobMessage>`
    select id, job_row_number from notifications
    where job_id = ${jobId} and job_row_number > ${afterRow} and created_at >= ${since}
    order by job_row_number limit ${limit}`.execute(db);
  return rows;
}
