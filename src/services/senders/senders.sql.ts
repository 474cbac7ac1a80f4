import { type Selectable, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { DB } from '../../platform/db/schema.ts';

/** A service can have several senders per message type, at most one of them the default. */
export type SenderTable = 'service_sms_senders' | 'service_email_reply_to' | 'service_letter_contacts';

export async function selectSenders<T extends SenderTable>(
  db: Db,
  table: T,
  serviceId: string,
): Promise<Selectable<DB[T]>[]> {
  const found = await sql<Selectable<DB[T]>>`
    select * from ${sql.table(table)} where service_id = ${serviceId} and not archived
    order by is_default desc, created_at, id`.execute(db);
  return found.rows;
}

export async function selectSender<T extends SenderTable>(
  db: Db,
  table: T,
  serviceId: string,
  id: string,
): Promise<Selectable<DB[T]> | undefined> {
  const found = await sql<Selectable<DB[T]>>`
    select * from ${sql.table(table)} where service_id = ${serviceId} and id = ${id} and not archived`.execute(db);
  return found.rows[0];
}

export async function clearDefault(tx: Tx, table: SenderTable, serviceId: string, now: Timestamp): Promise<void> {
  await sql`
    update ${sql.table(table)} set is_default = false, updated_at = ${now}
    where service_id = ${serviceId} and is_default`.execute(tx);
}
