import { type Insertable, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import type { DB } from '../../platform/db/schema.ts';
import { usedId } from '../uploads/uploads.sql.ts';

export interface ContactListRow {
  id: string;
  original_file_name: string;
  row_count: number;
  recent_job_count: number;
  has_jobs: boolean;
  template_type: 'sms' | 'email';
  language?: string;
  service_id: string;
  /** The name of the user. */
  created_by: string;
  created_at: Timestamp;
}

/** Selects the newest lists first. `since` says, by channel, from when jobs are recent. */
export async function selectContactLists(
  db: Db,
  serviceId: string,
  since: { sms: Timestamp; email: Timestamp },
  id?: string,
): Promise<ContactListRow[]> {
  const { rows } = await sql<Omit<ContactListRow, 'language'> & { language: string | null }>`
    select list.id, list.original_file_name, list.row_count, list.template_type, list.language, list.service_id, list.created_at,
      coalesce(users.name, '') as created_by,
      count(job.id) filter (
        where coalesce(job.scheduled_for, job.created_at)
          >= case list.template_type when 'sms' then ${since.sms}::timestamptz else ${since.email}::timestamptz end
      ) as recent_job_count,
      count(job.id) > 0 as has_jobs
    from contact_lists list
    left join users on users.id = list.created_by_id
    left join jobs job on job.contact_list_id = list.id
    where list.service_id = ${serviceId} and not list.archived and ${id === undefined ? sql`true` : sql`list.id = ${id}`}
    group by list.id, users.name
    order by list.created_at desc, list.id desc
  `.execute(db);
  return rows.map(({ language, ...row }) => (language === null ? row : { ...row, language }));
}

/** Also finds deleted lists. */
export async function hasContactList(db: Db, serviceId: string, id: string): Promise<boolean> {
  const list = await db
    .selectFrom('contact_lists')
    .select('id')
    .where('id', '=', id)
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  return list !== undefined;
}

export async function insertContactList(tx: Tx, row: Insertable<DB['contact_lists']>): Promise<void> {
  await tx.insertInto('contact_lists').values(row).execute();
}

export async function archiveContactList(tx: Tx, serviceId: string, id: string, now: Timestamp): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('contact_lists')
    .set({ archived: true, updated_at: now })
    .where('id', '=', id)
    .where('service_id', '=', serviceId)
    .where('archived', '=', false)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Turns the upload into the rows of a contact list. Returns false if another request did so first. */
export async function markUploadSaved(tx: Tx, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('uploads')
    .set({ state: 'saved' })
    .where('id', '=', id)
    .where('state', '=', 'checked')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Copies the rows of a contact list as an unchecked upload. Returns false if the list was deleted meanwhile. */
export async function copyAsUpload(
  tx: Tx,
  { id, contact_list_id, created_at }: { id: string; contact_list_id: string; created_at: Timestamp },
): Promise<boolean> {
  const copy = sql`
    insert into uploads (id, service_id, state, original_file_name, encoding, header, row_count, digest, contact_list_id, language,
      created_at)
    select ${id}, service_id, 'checked', original_file_name, encoding, header, row_count, digest, ${contact_list_id},
      (select list.language from contact_lists list where list.id = ${contact_list_id}), ${created_at}
    from uploads where id = ${contact_list_id} and state = 'saved'`;
  const copied = await withConstraints({ uploads_pkey: usedId }, () => copy.execute(tx));
  await sql`
    insert into upload_chunks (upload_id, first_row, row_count, cells)
    select ${id}, first_row, row_count, cells from upload_chunks where upload_id = ${contact_list_id}
  `.execute(tx);
  return (copied.numAffectedRows ?? 0n) > 0n;
}
