import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';

/** Jobs beyond the retention of their channel, counted from London midnight. */
export async function selectExpiredJobs(
  db: Db,
  { today, defaultDays, limit }: { today: string; defaultDays: number; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select j.id from jobs j
    left join service_data_retention r on r.service_id = j.service_id and r.notification_type = j.notification_type
    where not j.archived and j.status not in ('pending', 'in progress', 'scheduled')
      and coalesce(j.scheduled_for, j.created_at) <
        (${today}::date - coalesce(r.days_of_retention, ${defaultDays}))::timestamp at time zone 'Europe/London'
    order by j.id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Deletes their uploads, with all rows. */
export async function deleteRowsOf(tx: Tx, ids: string[]): Promise<void> {
  await tx.deleteFrom('uploads').where('id', 'in', ids).execute();
  await tx.updateTable('jobs').set({ archived: true }).where('id', 'in', ids).execute();
}
