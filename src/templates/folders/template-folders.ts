import { timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import { invalid, invalidField, notFound } from '../../platform/failure.ts';
import { canonicalId, newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { openNewFolder, setFolderMembers } from '../../users/members/permissions.ts';
import {
  deleteFolderRow,
  insertFolder,
  lockFolders,
  moveFolders,
  moveTemplates,
  selectFolder,
  selectFolders,
  selectTemplateIds,
  updateFolderName,
} from './template-folders.sql.ts';

export async function listFolders(db: Db | Tx, serviceId: string) {
  await refuseUnlessExists(db, 'services', serviceId);
  return selectFolders(db, serviceId);
}

async function getFolder(db: Db | Tx, serviceId: string, id: string) {
  const folder = await selectFolder(db, serviceId, id);
  if (!folder) throw notFound();
  return folder;
}

export async function createFolder(
  { db, clock }: Platform,
  serviceId: string,
  request: { name: string; parent_id: string | null },
) {
  await refuseUnlessExists(db, 'services', serviceId);
  return inTransaction(db, async (tx) => {
    const { parent_id } = request;
    if (parent_id !== null && !(await selectFolder(tx, serviceId, parent_id))) throw invalid('parent_id not found');
    const id = await addFolder(tx, serviceId, { name: trimmedName(request.name), parent_id }, clock.now());
    return getFolder(tx, serviceId, id);
  });
}

async function addFolder(tx: Tx, serviceId: string, folder: { name: string; parent_id: string | null }, now: Date) {
  const id = newId(now);
  await insertFolder(tx, { id, service_id: serviceId, ...folder, created_at: timestamp(now) });
  await openNewFolder(tx, { id, service_id: serviceId }, folder.parent_id);
  return id;
}

/** Returns the innermost folder of a path of names from the root; null for the root. Creates missing folders. */
export async function getOrCreateFolders(
  tx: Tx,
  serviceId: string,
  path: readonly string[],
  now: Date,
): Promise<string | null> {
  const folders = await selectFolders(tx, serviceId);
  let parent_id: string | null = null;
  for (const name of path.map(trimmedName)) {
    const found = folders.find((folder) => folder.parent_id === parent_id && folder.name === name);
    parent_id = found?.id ?? (await addFolder(tx, serviceId, { name, parent_id }, now));
  }
  return parent_id;
}

export async function updateFolder(
  { db }: Platform,
  serviceId: string,
  id: string,
  request: { name: string; users_with_permission?: string[] },
) {
  return inTransaction(db, async (tx) => {
    const folder = await getFolder(tx, serviceId, id);
    await updateFolderName(tx, id, trimmedName(request.name));
    if (request.users_with_permission) await setFolderMembers(tx, folder, request.users_with_permission);
    return getFolder(tx, serviceId, id);
  });
}

export async function deleteFolder({ db }: Platform, serviceId: string, id: string): Promise<void> {
  await getFolder(db, serviceId, id);
  await deleteFolderRow(db, id);
}

/** Moves folders and templates into a folder or to the root, atomically. */
export async function moveIntoFolder(
  { db }: Platform,
  serviceId: string,
  target: string | null,
  contents: { folders: string[]; templates: string[] },
): Promise<void> {
  await refuseUnlessExists(db, 'services', serviceId);
  const folders = contents.folders.map(canonicalId);
  const templates = contents.templates.map(canonicalId);
  const into = target === null ? null : canonicalId(target);
  await inTransaction(db, async (tx) => {
    const parents = new Map((await lockFolders(tx, serviceId)).map(({ id, parent_id }) => [id, parent_id]));
    if (into !== null && !parents.has(into)) throw notFound();
    for (const folder of folders) refuseUnlessMovable(folder, into, parents, serviceId);
    const found = new Set(await selectTemplateIds(tx, serviceId, templates));
    const unknown = templates.find((id) => !found.has(id));
    if (unknown !== undefined) {
      throw invalid(`Could not move to folder: No template found with id ${unknown} for service ${serviceId}`);
    }
    await moveFolders(tx, folders, into);
    await moveTemplates(tx, templates, into);
  });
}

function refuseUnlessMovable(
  folder: string,
  into: string | null,
  parents: Map<string, string | null>,
  serviceId: string,
): void {
  if (!parents.has(folder)) throw invalid(`No folder found with id ${folder} for service ${serviceId}`);
  if (folder === into) throw invalid('You cannot move a folder to itself');
  for (let above = into; above; above = parents.get(above) ?? null) {
    if (above === folder) throw invalid('You cannot move a folder to one of its subfolders');
  }
}

function trimmedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw invalidField('name', 'Shorter than minimum length 1.');
  return trimmed;
}
