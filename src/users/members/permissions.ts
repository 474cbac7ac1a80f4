import { timestamp } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { invalidField, notFound } from '../../platform/failure.ts';
import { canonicalId, isUuid } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { isOperator, type UserRecord } from '../user-record.ts';
import { updateUserRow } from '../users.sql.ts';
import {
  copyFolderMembers,
  deleteFolderMembers,
  deleteFolderPermissions,
  deleteOrganisationMember,
  deleteServiceMember,
  insertActiveMembers,
  insertFolderMembers,
  insertFolderPermissions,
  insertOrganisationMember,
  insertServiceMember,
  isServiceMember,
  replaceOrganisationPermissions,
  type ServiceMember,
  updateServiceMemberPermissions,
} from './permissions.sql.ts';

export { alreadyMember, isServiceMember, type ServiceMember } from './permissions.sql.ts';

/** The specification's names, then those that existing front ends use. Names are stored and returned as given. */
export const servicePermissions = [
  'send_messages',
  'manage_templates',
  'manage_service',
  'manage_api_keys',
  'manage_users',
  'view_activity',
  'manage_settings',
  'send_texts',
  'send_emails',
  'send_letters',
  'platform_admin',
] as const;
export type ServicePermission = (typeof servicePermissions)[number];

/** A member manages the service if they have all permissions of one of these lists. */
export const managePermissionSets: readonly (readonly ServicePermission[])[] = [
  ['manage_service'],
  ['manage_users', 'manage_settings'],
];

export function manages(permissions: readonly string[]): boolean {
  return managePermissionSets.some((names) => names.every((name) => permissions.includes(name)));
}

/** A member may send if they have all permissions of one of these lists. */
export const sendPermissionSets: readonly (readonly ServicePermission[])[] = [
  ['send_messages'],
  ['send_texts', 'send_emails', 'send_letters'],
];

export function maySend(permissions: readonly string[]): boolean {
  return sendPermissionSets.some((names) => names.every((name) => permissions.includes(name)));
}

export const creatorPermissions: ServicePermission[] = [
  'manage_users',
  'manage_templates',
  'manage_settings',
  'send_texts',
  'send_emails',
  'send_letters',
  'manage_api_keys',
  'view_activity',
];

export const organisationPermissions = [
  'manage_services',
  'view_all_services',
  'manage_organisation',
  'can_make_services_live',
] as const;
export type OrganisationPermission = (typeof organisationPermissions)[number];

export async function refuseUnlessMember(app: Platform, member: ServiceMember): Promise<void> {
  if (!(await isServiceMember(app.db, member))) throw notFound();
}

/** Throws a 404 when the user does not exist, a 400 when they are already a member, a 404 when a folder belongs to another service. */
export async function addServiceMember(
  tx: Tx,
  member: ServiceMember & { permissions: ServicePermission[]; folder_permissions?: string[] },
  now: Date,
): Promise<void> {
  refuseDuplicates('permissions', member.permissions);
  await insertServiceMember(tx, {
    service_id: member.service_id,
    user_id: member.user_id,
    permissions: member.permissions,
    created_at: timestamp(now),
  });
  await addFolderPermissions(tx, member, member.folder_permissions ?? []);
}

/** Also deletes the folder permissions. */
export function removeServiceMember(tx: Tx, member: ServiceMember): Promise<void> {
  return deleteServiceMember(tx, member);
}

/** Replaces the whole set, and the folder permissions if given. Throws a 404 when the user is not a member. */
export async function setServiceMemberPermissions(
  tx: Tx,
  member: ServiceMember,
  set: { permissions: ServicePermission[]; folder_permissions?: string[] },
): Promise<void> {
  refuseDuplicates('permissions', set.permissions);
  if (!(await updateServiceMemberPermissions(tx, member, set.permissions))) throw notFound();
  if (set.folder_permissions === undefined) return;
  await deleteFolderPermissions(tx, member);
  await addFolderPermissions(tx, member, set.folder_permissions);
}

/** Adds the user unless already a member; replaces the permissions in either case. */
export async function addOrganisationMember(
  tx: Tx,
  member: { organisation_id: string; user_id: string; permissions: OrganisationPermission[] },
  now: Date,
): Promise<void> {
  await insertOrganisationMember(tx, {
    organisation_id: member.organisation_id,
    user_id: member.user_id,
    created_at: timestamp(now),
  });
  await setOrganisationPermissions(tx, member, member.permissions);
}

/** Also deletes the permissions. Returns false when the user was not a member. */
export async function removeOrganisationMember(
  tx: Tx,
  member: { organisation_id: string; user_id: string },
): Promise<boolean> {
  await replaceOrganisationPermissions(tx, member, []);
  return deleteOrganisationMember(tx, member);
}

/** Replaces the whole set; the user need not be a member. */
export async function setOrganisationPermissions(
  tx: Tx,
  member: { organisation_id: string; user_id: string },
  permissions: OrganisationPermission[],
): Promise<void> {
  refuseDuplicates('permissions', permissions);
  await replaceOrganisationPermissions(tx, member, permissions);
}

async function addFolderPermissions(tx: Tx, member: ServiceMember, folderIds: string[]): Promise<void> {
  const wanted = [...new Set(folderIds.map((id) => id.toLowerCase()))];
  if (!wanted.every(isUuid)) throw notFound();
  if ((await insertFolderPermissions(tx, member, wanted)) !== wanted.length) throw notFound();
}

function refuseDuplicates(field: string, values: readonly string[]): void {
  if (new Set(values).size !== values.length) throw invalidField(field, 'Must not contain duplicates.');
}

interface Folder {
  id: string;
  service_id: string;
}

/** A new folder inherits the members of its parent; a root folder is visible to every active member of the team. */
export function openNewFolder(tx: Tx, folder: Folder, parentId: string | null): Promise<void> {
  return parentId === null ? insertActiveMembers(tx, folder) : copyFolderMembers(tx, folder, parentId);
}

/** Replaces the whole set; throws a 400 when a user is not in the service's team. */
export async function setFolderMembers(tx: Tx, folder: Folder, userIds: string[]): Promise<void> {
  const wanted = [...new Set(userIds.map(canonicalId))];
  await deleteFolderMembers(tx, folder);
  if ((await insertFolderMembers(tx, folder, wanted)) < wanted.length) {
    throw invalidField('users_with_permission', 'No result found');
  }
}

type Person = Pick<UserRecord, 'id' | 'platform_admin' | 'read_only_operator' | 'auth_type' | 'mobile_number'>;

/** A service may choose between text codes and email links for its members, but not for operators or people with a security key. */
export function canChooseSignInMethod(person: Omit<Person, 'id' | 'mobile_number'>): boolean {
  return !isOperator(person) && person.auth_type !== 'webauthn_auth';
}

/** Does nothing for operators, for people with a security key, or if text codes need a number that is missing. */
export async function setSignInMethod(
  tx: Tx,
  person: Person,
  auth_type: UserRecord['auth_type'],
  now: Date,
): Promise<void> {
  if (!canChooseSignInMethod(person) || person.auth_type === auth_type) return;
  const isPossible = auth_type === 'email_auth' || (auth_type === 'sms_auth' && person.mobile_number);
  if (isPossible) await updateUserRow(tx, person.id, { auth_type, updated_at: timestamp(now) });
}
