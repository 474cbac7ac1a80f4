import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';
import type { Channel } from '../protocol/channels.ts';

/** Due and not finished. */
const isUnfinished = (now: Timestamp) =>
  sql`(status in ('pending', 'in progress') or status = 'scheduled' and scheduled_for <= ${now})`;

const lastMove = sql`greatest(updated_at, scheduled_for, created_at)`;

interface IdleJob {
  id: string;
  service_id: string;
  idle_s: number;
  /** Notifications that are not sent yet: a job with many of them waits for the delivery queue. */
  waiting: number;
}

export async function selectIdleJobs(db: Db, now: Timestamp, idleSince: Timestamp): Promise<IdleJob[]> {
  const { rows } = await sql<IdleJob>`
    select id, service_id, extract(epoch from ${now}::timestamptz - ${lastMove})::integer as idle_s, coalesce((
      select sum(s.count) from job_statuses s where s.job_id = jobs.id and s.status = 'created'), 0)::integer as waiting
    from jobs where ${isUnfinished(now)} and ${lastMove} <= ${idleSince}
    order by id`.execute(db);
  return rows;
}

/** Rows of unfinished jobs that are not notifications yet. */
export async function countWaitingRows(
  db: Db,
  now: Timestamp,
): Promise<{ notification_type: Channel; rows: number }[]> {
  const { rows } = await sql<{ notification_type: Channel; rows: number }>`
    select notification_type, sum(row_count - rows_skipped - rows_done) as rows
    from jobs where ${isUnfinished(now)} group by notification_type`.execute(db);
  return rows;
}

/** Returns their number. */
export async function cancelUnfinishedJobs(db: Db, because: string, now: Timestamp): Promise<number> {
  const { numAffectedRows } = await sql`
    update jobs set status = 'cancelled', cancelled_because = ${because}, processing_finished = ${now}, updated_at = ${now},
      reserved_day = null, reserved = 0, reserved_international = 0
    where status in ('pending', 'in progress', 'scheduled')`.execute(db);
  return Number(numAffectedRows ?? 0);
}
