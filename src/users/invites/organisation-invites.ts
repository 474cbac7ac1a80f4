import { getOrganisation } from '../../organisations/organisations.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { invalidField, notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { accountTemplates } from '../account-messages/account-messages.ts';
import { addOrganisationMember, type OrganisationPermission, organisationPermissions } from '../members/permissions.ts';
import { getUserRecord } from '../user-record.ts';
import { selectUser } from '../users.sql.ts';
import {
  acceptOrganisationInviteRow,
  insertOrganisationInvite,
  selectOrganisationInvite,
  selectOrganisationInvites,
  updateOrganisationInviteRow,
} from './invites.sql.ts';
import {
  type InviteDeps,
  type InviteLimits,
  type InviteStatus,
  inviteIdOfLink,
  inviteUrl,
  refuseTooManyInvites,
} from './invites.ts';

interface NewOrganisationInvite {
  email_address: string;
  invited_by: string;
  permissions?: OrganisationPermission[];
  invite_link_host?: string | null;
}

export async function createOrganisationInvite(
  app: InviteDeps,
  organisationId: string,
  request: NewOrganisationInvite,
  { isLimited }: InviteLimits = { isLimited: true },
) {
  const now = app.clock.now();
  const id = newId(now);
  const organisation = await getOrganisation(app.db, organisationId);
  const inviter = await selectUser(app.db, request.invited_by);
  if (!inviter) throw invalidField('invited_by', 'No result found');
  const url = inviteUrl(app, 'organisation-invite', id, request.invite_link_host);
  return inTransaction(app.db, async (tx) => {
    if (isLimited) await refuseTooManyInvites(tx, now, { invited_by: inviter.id });
    const invite = await insertOrganisationInvite(tx, {
      id,
      organisation_id: organisationId,
      email_address: request.email_address,
      invited_by_id: request.invited_by,
      permissions: [...new Set(request.permissions)],
      created_at: timestamp(now),
    });
    await app.accountMessages.send(tx, {
      template_id: accountTemplates.organisationInvite,
      to: request.email_address,
      language: inviter.language,
      personalisation: { user_name: inviter.name, organisation_name: organisation.name, url },
      reply_to: inviter.email_address,
    });
    return invite;
  });
}

export async function listOrganisationInvites(app: InviteDeps, organisationId: string) {
  await getOrganisation(app.db, organisationId);
  return selectOrganisationInvites(app.db, organisationId);
}

/** With `organisationId`, an invitation to another organisation counts as not found. */
export async function getOrganisationInvite(app: Platform, inviteId: string, organisationId?: string) {
  const invite = await selectOrganisationInvite(app.db, inviteId);
  if (!invite || (organisationId !== undefined && invite.organisation !== organisationId.toLowerCase())) {
    throw notFound();
  }
  return invite;
}

export function getOrganisationInviteOfLink(app: Platform, token: string) {
  return getOrganisationInvite(app, inviteIdOfLink(app, 'organisation-invite', token));
}

export async function updateOrganisationInvite(
  app: InviteDeps,
  which: { organisation_id: string; invite_id: string },
  status: InviteStatus,
) {
  const invite = await updateOrganisationInviteRow(app.db, which, status);
  if (!invite) throw notFound();
  return invite;
}

/** Adds the invited person to the organisation, in the transaction that marks the invitation as accepted. */
export async function acceptOrganisationInvite(app: Platform, inviteId: string, userId: string): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const invite = await acceptOrganisationInviteRow(tx, inviteId);
    const user = await getUserRecord(tx, userId);
    if (invite?.email_address.toLowerCase() !== user.email_address.toLowerCase()) throw notFound();
    const allowed: readonly string[] = organisationPermissions;
    const permissions = invite.permissions.filter((name): name is OrganisationPermission => allowed.includes(name));
    await addOrganisationMember(
      tx,
      { organisation_id: invite.organisation, user_id: userId, permissions },
      app.clock.now(),
    );
  });
}
