import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** Queued messages that were not handed over to a provider. */
export async function selectUnsent(db: Db, max: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select n.id from delivery_queue q join notifications n on n.id = q.notification_id
    where n.status = 'created' limit ${max}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Letters that were not handed over to a printer. */
export async function selectUnprintedLetters(db: Db, max: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from notifications
    where notification_type = 'letter' and status in ('created', 'pending-virus-check') and key_type <> 'test'
    limit ${max}`.execute(db);
  return rows.map(({ id }) => id);
}
