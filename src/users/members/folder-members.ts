import type { Tx } from '../../platform/db/database.ts';
import { invalidField } from '../../platform/failure.ts';
import { canonicalId } from '../../platform/id.ts';
import {
  copyFolderMembers,
  deleteFolderMembers,
  insertActiveMembers,
  insertFolderMembers,
} from './folder-members.sql.ts';

interface Folder {
  id: string;
  service_id: string;
}

/** A new folder inherits the members of its parent; a root folder is visible to every active member of the team. */
export function openNewFolder(tx: Tx, folder: Folder, parentId: string | null): Promise<void> {
  return parentId === null ? insertActiveMembers(tx, folder) : copyFolderMembers(tx, folder, parentId);
}

/** Replaces the whole set; 400 when a user is not in the service's team. */
export async function setFolderMembers(tx: Tx, folder: Folder, userIds: string[]): Promise<void> {
  const wanted = [...new Set(userIds.map(canonicalId))];
  await deleteFolderMembers(tx, folder);
  if ((await insertFolderMembers(tx, folder, wanted)) < wanted.length) {
    throw invalidField('users_with_permission', 'No result found');
  }
}
