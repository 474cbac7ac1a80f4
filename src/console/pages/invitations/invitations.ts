import { getOrganisation } from '../../../organisations/organisations.ts';
import { Failure } from '../../../platform/failure.ts';
import { acceptServiceInvite } from '../../../services/members/service-members.ts';
import { getService } from '../../../services/services.ts';
import { acceptOrganisationInvite, getOrganisationInviteOfLink } from '../../../users/invites/organisation-invites.ts';
import { getServiceInviteOfLink } from '../../../users/invites/service-invites.ts';
import { getUserRecord, type UserRecord } from '../../../users/user-record.ts';
import type { ConsoleApp } from '../../console-app.ts';

export interface Invitation {
  to: 'service' | 'organisation';
  id: string;
  /** The name of the service or organisation. */
  name: string;
  /** The page to show after joining, below /console. */
  home: string;
  invitedBy: string;
  email_address: string;
  status: 'pending' | 'accepted' | 'cancelled';
  /** How a new account will sign in. */
  auth_type: UserRecord['auth_type'];
}

/** Returns undefined if the link has expired or was altered, or if the service or organisation no longer exists. */
export async function findInvitation(
  app: ConsoleApp,
  to: Invitation['to'],
  token: string,
): Promise<Invitation | undefined> {
  try {
    return to === 'service' ? await findServiceInvitation(app, token) : await findOrganisationInvitation(app, token);
  } catch (error) {
    if (error instanceof Failure && (error.kind === 'invalid' || error.kind === 'not-found')) return undefined;
    throw error;
  }
}

async function findServiceInvitation(app: ConsoleApp, token: string): Promise<Invitation> {
  const { id, service, from_user, email_address, status, auth_type } = await getServiceInviteOfLink(app, token);
  const [{ name }, inviter] = await Promise.all([getService(app.db, service), getUserRecord(app.db, from_user)]);
  const home = `/services/${service}`;
  return { to: 'service', id, name, home, invitedBy: inviter.name, email_address, status, auth_type };
}

async function findOrganisationInvitation(app: ConsoleApp, token: string): Promise<Invitation> {
  const { id, organisation, invited_by, email_address, status } = await getOrganisationInviteOfLink(app, token);
  const [{ name }, inviter] = await Promise.all([
    getOrganisation(app.db, organisation),
    getUserRecord(app.db, invited_by),
  ]);
  return {
    to: 'organisation',
    id,
    name,
    home: '/services',
    invitedBy: inviter.name,
    email_address,
    status,
    auth_type: 'sms_auth',
  };
}

export async function acceptInvitation(
  app: ConsoleApp,
  { to, id }: Pick<Invitation, 'to' | 'id'>,
  userId: string,
): Promise<void> {
  if (to === 'service') await acceptServiceInvite(app, id, userId);
  else await acceptOrganisationInvite(app, id, userId);
}
