import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';

/**
 * Takes waiting messages of a job out of the queue, last rows first: workers lease the first ones. Leaves messages that a
 * worker holds, and those that a provider may have. Locks notifications before queue entries, as receipts do.
 */
export async function dequeueRows(tx: Tx, jobId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with waiting as (
      select n.id, n.job_row_number from notifications n
      where n.job_id = ${jobId} and n.job_row_number is not null and n.status = 'created'
        and exists (select from delivery_queue q
          where q.notification_id = n.id and q.leased_by is null and q.outcome_known)
      order by n.job_row_number desc limit ${limit} for update of n skip locked
    )
    delete from delivery_queue q
    where q.notification_id = any (array(select id from waiting)) and q.leased_by is null and q.outcome_known
    returning q.notification_id as id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Letters of a job that are not printed, accepted since a moment, in order of their rows. */
export async function selectLetterRows(
  db: Db | Tx,
  jobId: string,
  { since, afterRow, limit }: { since: Timestamp; afterRow: number; limit: number },
): Promise<{ id: string; job_row_number: number }[]> {
  const { rows } = await sql<{ id: string; job_row_number: number }>`
    select id, job_row_number from notifications
    where job_id = ${jobId} and job_row_number > ${afterRow} and created_at >= ${since}
    order by job_row_number limit ${limit}`.execute(db);
  return rows;
}
