import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Status } from '../notification.ts';

interface AttachmentRow {
  id: string;
  service_id: string;
  notification_id: string;
}

export async function insertAttachments(tx: Tx, rows: AttachmentRow[]): Promise<void> {
  await tx.insertInto('attachments').values(rows).execute();
}

export function selectAttachmentsOf(db: Db, notificationIds: string[]) {
  return db
    .selectFrom('attachments')
    .select(['id', 'service_id'])
    .where('notification_id', '=', sql<string>`any (${notificationIds}::uuid[])`)
    .execute();
}

/** Checks one batch of attachments in id order; `last` is undefined at the end. */
export async function selectUnneededAttachments(db: Db, after: string, limit: number, needed: readonly Status[]) {
  const { rows } = await sql<{ id: string; service_id: string; is_needed: boolean }>`
    select a.id, a.service_id, coalesce(n.status = any (${[...needed]}::text[]), false) as is_needed
    from (select * from attachments where id > ${after} order by id limit ${limit}) a
      left join notifications n on n.id = a.notification_id
    order by a.id`.execute(db);
  return { unneeded: rows.filter(({ is_needed }) => !is_needed), last: rows.at(-1)?.id };
}

export async function deleteAttachments(db: Db, ids: string[]): Promise<void> {
  await sql`delete from attachments where id = any (${ids}::uuid[])`.execute(db);
}
