import { timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import { invalidField, notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { accountTemplates } from '../account-messages/account-messages.ts';
import { type ServicePermission, servicePermissions, setSignInMethod } from '../members/permissions.ts';
import { getUserRecord, type UserRecord } from '../user-record.ts';
import { selectUser } from '../users.sql.ts';
import {
  acceptServiceInviteRow,
  insertServiceInvite,
  selectServiceInvite,
  selectServiceInvites,
  selectServiceName,
  updateServiceInviteRow,
} from './invites.sql.ts';
import {
  type InviteDeps,
  type InviteLimits,
  type InviteStatus,
  inviteIdOfLink,
  inviteUrl,
  refuseTooManyInvites,
} from './invites.ts';

interface NewServiceInvite {
  email_address: string;
  from_user: string;
  /** Comma-separated names, as the front end stores them. */
  permissions: string;
  auth_type?: UserRecord['auth_type'];
  folder_permissions?: string[];
  invite_link_host?: string | null;
}

export async function createServiceInvite(
  app: InviteDeps,
  serviceId: string,
  request: NewServiceInvite,
  { isLimited }: InviteLimits = { isLimited: true },
) {
  const now = app.clock.now();
  const id = newId(now);
  const service_name = await selectServiceName(app.db, serviceId);
  if (service_name === undefined) throw notFound();
  const inviter = await selectUser(app.db, request.from_user);
  if (!inviter) throw invalidField('from_user', 'No result found');
  const url = inviteUrl(app, 'service-invite', id, request.invite_link_host);
  return inTransaction(app.db, async (tx) => {
    if (isLimited) await refuseTooManyInvites(tx, now, { invited_by: inviter.id, service_id: serviceId });
    const invite = await insertServiceInvite(tx, {
      id,
      service_id: serviceId,
      email_address: request.email_address,
      from_user_id: request.from_user,
      permissions: namesIn(request.permissions),
      folder_permissions: request.folder_permissions ?? [],
      auth_type: request.auth_type ?? 'sms_auth',
      created_at: timestamp(now),
    });
    await app.accountMessages.send(tx, {
      template_id: accountTemplates.serviceInvite,
      to: request.email_address,
      language: inviter.language,
      personalisation: { user_name: inviter.name, service_name, url },
      reply_to: inviter.email_address,
    });
    return invite;
  });
}

export async function listServiceInvites(app: InviteDeps, serviceId: string) {
  await refuseUnlessExists(app.db, 'services', serviceId);
  return selectServiceInvites(app.db, serviceId);
}

/** With `serviceId`, an invitation to another service counts as not found. */
export async function getServiceInvite(app: Platform, inviteId: string, serviceId?: string) {
  const invite = await selectServiceInvite(app.db, inviteId);
  if (!invite || (serviceId !== undefined && invite.service !== serviceId.toLowerCase())) throw notFound();
  return invite;
}

export function getServiceInviteOfLink(app: Platform, token: string) {
  return getServiceInvite(app, inviteIdOfLink(app, 'service-invite', token));
}

export async function updateServiceInvite(
  app: InviteDeps,
  which: { service_id: string; invite_id: string },
  change: { status?: InviteStatus; auth_type?: UserRecord['auth_type'] },
) {
  const { status, auth_type } = change;
  if (status === undefined && auth_type === undefined) {
    return getServiceInvite(app, which.invite_id, which.service_id);
  }
  const invite = await updateServiceInviteRow(app.db, which, { status, auth_type });
  if (!invite) throw notFound();
  return invite;
}

/** Accepts a pending invitation and applies its sign-in method. */
export async function claimServiceInvite(tx: Tx, inviteId: string, userId: string, now: Date) {
  const invite = await acceptServiceInviteRow(tx, inviteId);
  const user = await getUserRecord(tx, userId);
  if (invite?.email_address.toLowerCase() !== user.email_address.toLowerCase()) throw notFound();
  await setSignInMethod(tx, user, invite.auth_type, now);
  const allowed: readonly string[] = servicePermissions;
  const permissions = invite.permissions.filter((name): name is ServicePermission => allowed.includes(name));
  return { ...invite, permissions };
}

/** The request schema calls it. Returns an error message if a name is unknown. */
export function refusalOfPermissionList(text: string): string | undefined {
  const allowed: readonly string[] = servicePermissions;
  if (namesIn(text).every((name) => allowed.includes(name))) return undefined;
  return `Must be one of: ${allowed.join(', ')}.`;
}

function namesIn(list: string): string[] {
  return [
    ...new Set(
      list
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
    ),
  ];
}
