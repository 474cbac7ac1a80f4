import { list, type Text, t } from '../../../language/text.ts';
import type { Db } from '../../../platform/db/database.ts';
import type { Platform } from '../../../platform/platform.ts';
import { listServiceMembers } from '../../../services/members/service-members.ts';
import { listFolders } from '../../../templates/folders/template-folders.ts';
import { platformUserId } from '../../../users/platform-user.ts';
import { type GivenRight, givenRights, hasRight, type Right } from '../../access/may.ts';

export interface Folder {
  id: string;
  /** Its name, preceded by the names of its parent folders. */
  path: string;
  users_with_permission: string[];
}

export async function listFolderPaths(db: Db, serviceId: string): Promise<Folder[]> {
  const folders = await listFolders(db, serviceId);
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const pathOf = (id: string | null): string[] => {
    const folder = id === null ? undefined : byId.get(id);
    return folder ? [...pathOf(folder.parent_id), folder.name] : [];
  };
  return folders
    .map(({ id, users_with_permission }) => ({ id, users_with_permission, path: pathOf(id).join(' / ') }))
    .sort((a, b) => a.path.localeCompare(b.path));
}

export type Member = Awaited<ReturnType<typeof listMembers>>[number];

/** Lists members who are people, without the platform's own user, which creates the service of the demo. */
export async function listPeople(db: Db, serviceId: string) {
  const members = await listServiceMembers(db, serviceId);
  return members.filter(({ id, state }) => id !== platformUserId && state !== 'inactive');
}

/** Lists people who can sign in or have a pending account, by name, with the folders that they do not see. */
export async function listMembers(app: Platform, serviceId: string, folders: readonly Folder[]) {
  const members = await listPeople(app.db, serviceId);
  return members
    .map((member) => ({
      ...member,
      missing: folders.filter(({ users_with_permission }) => !users_with_permission.includes(member.id)),
    }))
    .sort((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id));
}

export function rightsOf(permissions: readonly string[]): GivenRight[] {
  return givenRights.filter((right) => hasRight(right, permissions));
}

export const methodNames = { sms_auth: t('Text code'), email_auth: t('Email link'), webauthn_auth: t('Security key') };

const maxNames = 3;

/** Names the people who have a right: "Ada, Grace or Linus". Undefined if nobody in the team has it. */
export async function whoCan(db: Db, serviceId: string, right: Right): Promise<Text | undefined> {
  const members = await listServiceMembers(db, serviceId);
  const holders = members.filter(({ state, permissions }) => state === 'active' && hasRight(right, permissions));
  return holders.length === 0
    ? undefined
    : list(
        holders.slice(0, maxNames).map(({ name }) => name),
        'disjunction',
      );
}
