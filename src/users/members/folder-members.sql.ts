import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { anyOf } from '../../platform/db/expressions.ts';

interface Folder {
  id: string;
  service_id: string;
}

export async function deleteFolderMembers(tx: Tx, folder: Folder): Promise<void> {
  await tx.deleteFrom('template_folder_members').where('template_folder_id', '=', folder.id).execute();
}

/** Grants access to the folder to those users who are in the service's team; returns how many those are. */
export async function insertFolderMembers(tx: Tx, folder: Folder, userIds: string[]): Promise<number> {
  const added = await tx
    .insertInto('template_folder_members')
    .columns(['template_folder_id', 'service_id', 'user_id'])
    .expression(
      tx
        .selectFrom('service_members')
        .where('service_id', '=', folder.service_id)
        .where('user_id', '=', anyOf(userIds))
        .select([sql<string>`${folder.id}::uuid`.as('folder'), 'service_id', 'user_id']),
    )
    .returning('user_id')
    .execute();
  return added.length;
}

export async function insertActiveMembers(tx: Tx, folder: Folder): Promise<void> {
  await tx
    .insertInto('template_folder_members')
    .columns(['template_folder_id', 'service_id', 'user_id'])
    .expression(
      tx
        .selectFrom('service_members')
        .innerJoin('users', 'users.id', 'service_members.user_id')
        .where('service_id', '=', folder.service_id)
        .where('users.state', '=', 'active')
        .select([sql<string>`${folder.id}::uuid`.as('folder'), 'service_id', 'user_id']),
    )
    .execute();
}

export async function copyFolderMembers(tx: Tx, folder: Folder, parentId: string): Promise<void> {
  await tx
    .insertInto('template_folder_members')
    .columns(['template_folder_id', 'service_id', 'user_id'])
    .expression(
      tx
        .selectFrom('template_folder_members')
        .where('template_folder_id', '=', parentId)
        .select([sql<string>`${folder.id}::uuid`.as('folder'), 'service_id', 'user_id']),
    )
    .execute();
}
