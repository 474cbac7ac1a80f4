import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** In the queue and not handed over. A worker only takes others out of it. */
export async function selectUnsent(db: Db, most: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select n.id from delivery_queue q join notifications n on n.id = q.notification_id
    where n.status = 'created' limit ${most}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Letters that no printer has yet. */
export async function selectUnprintedLetters(db: Db, most: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from notifications
    where notification_type = 'letter' and status in ('created', 'pending-virus-check') and key_type <> 'test'
    limit ${most}`.execute(db);
  return rows.map(({ id }) => id);
}
