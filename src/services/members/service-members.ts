import { forApi, t } from '../../language/text.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import { invalid, invalidField, notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { claimServiceInvite } from '../../users/invites/service-invites.ts';
import {
  addServiceMember,
  alreadyMember,
  isServiceMember,
  manages,
  removeServiceMember,
  type ServiceMember,
  type ServicePermission,
  setServiceMemberPermissions,
  setSignInMethod,
} from '../../users/members/permissions.ts';
import { platformUserId } from '../../users/platform-user.ts';
import { getUserRecord, listUserRecords } from '../../users/user-record.ts';
import { getService, getServiceForUpdate } from '../services.ts';
import { selectActiveMembers, selectFolderOwners, selectMembers } from './service-members.sql.ts';

/** Returns user records whose `permissions` are only those in this service. */
export async function listServiceMembers(db: Db, serviceId: string) {
  const members = await listMemberRecords(db, serviceId);
  return members.map(({ record, permissions }) => ({ ...record, permissions }));
}

/** Returns records with the members' permissions in all services; `permissions` are those in this one. */
export async function listMemberRecords(db: Db, serviceId: string) {
  await refuseUnlessExists(db, 'services', serviceId);
  const members = await selectMembers(db, serviceId);
  const records = await listUserRecords(
    db,
    members.map(({ id }) => id),
  );
  const recordOf = new Map(records.map((record) => [record.id, record]));
  return members.flatMap(({ id, permissions }) => {
    const record = recordOf.get(id);
    return record ? [{ record, permissions }] : [];
  });
}

/** Runs before the body is validated, as the API specifies. */
export async function refuseUnlessMayJoin(db: Db, member: ServiceMember): Promise<void> {
  await refuseUnlessExists(db, 'services', member.service_id);
  await getUserRecord(db, member.user_id);
  if (await isServiceMember(db, member)) throw alreadyMember(member);
}

export async function joinService(
  { db, clock }: Platform,
  member: ServiceMember,
  request: { permissions: ServicePermission[]; folder_permissions: string[] },
) {
  await refuseUnlessMayJoin(db, member);
  await inTransaction(db, async (tx) => {
    // Ignore folders that were deleted since the invitation.
    const folders = await selectFolderOwners(tx, request.folder_permissions);
    if (folders.some(({ service_id }) => service_id !== member.service_id)) {
      throw invalidField('folder_permissions', 'No result found');
    }
    const folder_permissions = folders.map(({ id }) => id);
    await addServiceMember(tx, { ...member, permissions: request.permissions, folder_permissions }, clock.now());
  });
  const service = await getService(db, member.service_id);
  const users = await selectMembers(db, member.service_id);
  return { ...service, users: users.map(({ id, name }) => ({ id, name })) };
}

const lastMember = forApi(
  'User cannot be removed from the service',
  t('Add another person first. A service needs at least one.'),
);

/** Throws unless an active member remains; with `keepsManager`, also unless a manager remains. */
export async function leaveService(
  { db }: Platform,
  member: ServiceMember,
  { keepsManager }: { keepsManager?: true } = {},
): Promise<void> {
  await inTransaction(db, async (tx) => {
    // Lock, so that two concurrent requests cannot remove the last two active members.
    await getServiceForUpdate(tx, member.service_id);
    const { id: userId } = await getUserRecord(tx, member.user_id);
    const members = await selectMembers(tx, member.service_id);
    const others = members.filter(({ id }) => id !== userId);
    if (others.length === members.length) throw notFound('User not found');
    if (!others.some(({ state }) => state === 'active')) throw invalid(lastMember);
    if (keepsManager) refuseUnlessManagerRemains(members, userId, []);
    await removeServiceMember(tx, member);
  });
}

/** The last person who manages the service cannot lose that right. */
export async function changeMember(
  { db, clock }: Platform,
  member: ServiceMember,
  change: {
    permissions: ServicePermission[];
    folder_permissions: string[];
    auth_type?: 'sms_auth' | 'email_auth' | undefined;
  },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await getServiceForUpdate(tx, member.service_id);
    const { auth_type, ...set } = change;
    const user = await getUserRecord(tx, member.user_id);
    refuseUnlessManagerRemains(await selectMembers(tx, member.service_id), user.id, set.permissions);
    if (auth_type === 'sms_auth' && user.mobile_number === null) {
      throw invalidField('auth_type', `${user.name} has no mobile number for text codes.`);
    }
    await setServiceMemberPermissions(tx, member, set);
    if (auth_type !== undefined) await setSignInMethod(tx, user, auth_type, clock.now());
  });
}

/** Lists the people to notify when something is wrong with the service. */
export async function listManagers(tx: Tx, serviceId: string) {
  return (await selectActiveMembers(tx, serviceId)).filter(({ permissions }) => manages(permissions));
}

function refuseUnlessManagerRemains(
  members: Awaited<ReturnType<typeof selectMembers>>,
  userId: string,
  permissions: readonly string[],
): void {
  const managers = members.filter(
    ({ id, state, permissions: held }) => id !== platformUserId && state === 'active' && manages(held),
  );
  if (managers.length !== 1 || managers[0]?.id !== userId || manages(permissions)) return;
  throw invalid('At least one person must be able to manage the service. Give the right to another member first.');
}

/** Adds the invited person to the service, in the transaction that marks the invitation as accepted. */
export async function acceptServiceInvite(
  { db, clock }: Platform,
  inviteId: string,
  userId: string,
): Promise<{ service_id: string }> {
  return inTransaction(db, async (tx) => {
    const now = clock.now();
    const invite = await claimServiceInvite(tx, inviteId, userId, now);
    const member = { service_id: invite.service, user_id: userId };
    if (await isServiceMember(tx, member)) return member;
    // Ignore folders that were deleted since the invitation.
    const folders = await selectFolderOwners(tx, invite.folder_permissions);
    const folder_permissions = folders.filter(({ service_id }) => service_id === invite.service).map(({ id }) => id);
    await addServiceMember(tx, { ...member, permissions: invite.permissions, folder_permissions }, now);
    return member;
  });
}
