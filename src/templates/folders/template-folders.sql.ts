import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import { anyOf } from '../../platform/db/expressions.ts';
import { invalid } from '../../platform/failure.ts';

const columns = [
  'id',
  'name',
  'parent_id',
  'service_id',
  sql<string[]>`array(select user_id from template_folder_members where template_folder_id = template_folders.id
    order by user_id)`.as('users_with_permission'),
] as const;

export function selectFolders(db: Db | Tx, serviceId: string) {
  return db
    .selectFrom('template_folders')
    .select(columns)
    .where('service_id', '=', serviceId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function selectFolder(db: Db | Tx, serviceId: string, id: string) {
  return db
    .selectFrom('template_folders')
    .select(columns)
    .where('service_id', '=', serviceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function insertFolder(
  tx: Tx,
  row: { id: string; service_id: string; name: string; parent_id: string | null; created_at: Timestamp },
): Promise<void> {
  await withConstraints({ template_folders_parent_id_fkey: () => invalid('parent_id not found') }, () =>
    tx.insertInto('template_folders').values(row).execute(),
  );
}

export async function updateFolderName(tx: Tx, id: string, name: string): Promise<void> {
  await tx.updateTable('template_folders').set({ name }).where('id', '=', id).execute();
}

/** Foreign keys of the contents prevent deleting a folder that is not empty. */
export async function deleteFolderRow(db: Db, id: string): Promise<void> {
  const notEmpty = () => invalid('Folder is not empty');
  await withConstraints({ template_folders_parent_id_fkey: notEmpty, templates_folder_fkey: notEmpty }, () =>
    db.deleteFrom('template_folders').where('id', '=', id).execute(),
  );
}

/** Locks every folder of the service until the transaction ends, so that concurrent moves see each other's tree. */
export function lockFolders(tx: Tx, serviceId: string) {
  return tx
    .selectFrom('template_folders')
    .select(['id', 'parent_id'])
    .where('service_id', '=', serviceId)
    .orderBy('id')
    .forUpdate()
    .execute();
}

export async function moveFolders(tx: Tx, ids: string[], parentId: string | null): Promise<void> {
  await tx.updateTable('template_folders').set({ parent_id: parentId }).where('id', '=', anyOf(ids)).execute();
}

export async function selectTemplateIds(tx: Tx, serviceId: string, ids: string[]): Promise<string[]> {
  const found = await tx
    .selectFrom('templates')
    .select('id')
    .where('service_id', '=', serviceId)
    .where('id', '=', anyOf(ids))
    .execute();
  return found.map(({ id }) => id);
}

/** Does not move archived templates. Moving creates no new version. */
export async function moveTemplates(tx: Tx, ids: string[], folder: string | null): Promise<void> {
  await tx
    .updateTable('templates')
    .set({ folder })
    .where('id', '=', anyOf(ids))
    .where('archived', '=', false)
    .execute();
}
