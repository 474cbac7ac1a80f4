import { sql } from 'kysely';
import type { Status } from '../../notifications/notification.ts';
import type { Db } from '../../platform/db/database.ts';

export function selectJob(db: Db, serviceId: string, id: string) {
  return db.selectFrom('jobs').selectAll().where('id', '=', id).where('service_id', '=', serviceId).executeTakeFirst();
}

/** From the statistics, which outlive the messages. */
export async function countByStatistics(db: Db, jobId: string, statuses: Status[] | undefined): Promise<number> {
  const counted = statuses ? sql`status = any (${statuses}::text[])` : sql`true`;
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(count), 0)::int as count from job_statuses where job_id = ${jobId} and ${counted}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function countMessages(db: Db, jobId: string, statuses: Status[] | undefined): Promise<number> {
  const counted = statuses ? sql`status = any (${statuses}::text[])` : sql`true`;
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from notifications where job_id = ${jobId} and ${counted}`.execute(db);
  return rows[0]?.count ?? 0;
}
