import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';

/** Deletes queue entries without a message. */
export async function deleteOrphanedQueue(db: Db, beforeId: string): Promise<void> {
  await sql`delete from delivery_queue q where q.notification_id < ${beforeId}
    and not exists (select from notifications n where n.id = q.notification_id)`.execute(db);
}

export async function deleteOldCounters(db: Db, beforeDay: string): Promise<void> {
  await db.deleteFrom('daily_message_counts').where('utc_day', '<', beforeDay).execute();
}
