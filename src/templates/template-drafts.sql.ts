import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';

export interface DraftRow {
  id: string;
  service_id: string;
  user_id: string;
  template_id: string | null;
  fields: Record<string, string | string[]>;
  updated_at: Timestamp;
}

/** Returns false if the id belongs to somebody else's draft. */
export async function upsertDraft(tx: Tx, row: DraftRow): Promise<boolean> {
  const { rows } = await sql`
    insert into template_drafts (id, service_id, user_id, template_id, fields, updated_at)
    values (${row.id}, ${row.service_id}, ${row.user_id}, ${row.template_id}, ${JSON.stringify(row.fields)}::jsonb,
      ${row.updated_at})
    on conflict (id) do update set fields = excluded.fields, updated_at = excluded.updated_at
    where template_drafts.user_id = excluded.user_id and template_drafts.service_id = excluded.service_id
    returning id`.execute(tx);
  return rows.length > 0;
}

/** Deletes all but the newest `max` drafts of a person. */
export async function deleteDraftsBeyond(tx: Tx, userId: string, max: number): Promise<void> {
  await sql`
    delete from template_drafts where id in (
      select id from template_drafts where user_id = ${userId} order by updated_at desc, id offset ${max})`.execute(tx);
}

export function selectDraft(
  db: Db,
  which: { id: string; service_id: string; user_id: string },
): Promise<DraftRow | undefined> {
  return db
    .selectFrom('template_drafts')
    .selectAll()
    .$narrowType<DraftRow>()
    .where((draft) => draft.and(which))
    .executeTakeFirst();
}

/** Newest first. A template of null selects drafts of new templates; drafts without a word are left out. */
export function selectDraftsOf(db: Db, which: { service_id: string; user_id: string; template_id: string | null }) {
  return db
    .selectFrom('template_drafts')
    .select([
      'id',
      'updated_at',
      sql<string>`coalesce(fields->>'channel', '')`.as('channel'),
      sql<string>`coalesce(fields->>'name', '')`.as('name'),
      sql<string>`coalesce(fields->>'folder', '')`.as('folder'),
    ])
    .where((draft) => draft.and(which))
    .where(sql<boolean>`concat(fields->>'name', fields->>'subject', fields->>'content') <> ''`)
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .execute();
}

export async function deleteDraft(db: Db | Tx, which: { id: string; user_id: string }): Promise<void> {
  await db
    .deleteFrom('template_drafts')
    .where((draft) => draft.and(which))
    .execute();
}

export async function deleteDraftsBefore(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('template_drafts').where('updated_at', '<', moment).execute();
}
