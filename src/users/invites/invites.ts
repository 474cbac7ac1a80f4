import { day_ms, earlier, timestamp } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Failure, invalid, invalidField } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import type { AccountMessageSender } from '../account-messages/account-messages.ts';
import { createLinkToken, linkLifetimes_s, pageUrl, readLinkToken } from '../sign-in/link-tokens.ts';
import { lockUser } from '../users.ts';
import { countInvitesSince, countOpenServiceInvites, lockTrialService } from './invites.sql.ts';

export type InviteDeps = Platform & {
  accountMessages: AccountMessageSender;
  config: { urls: Urls };
};

export const inviteStatuses = ['pending', 'accepted', 'cancelled'] as const;
export type InviteStatus = (typeof inviteStatuses)[number];

/** Invitations are deleted when their link expires. */
export const inviteLifetime_ms = linkLifetimes_s['service-invite'] * 1_000;

const pages = { 'service-invite': '/invitation', 'organisation-invite': '/organisation-invitation' };
type InvitePurpose = keyof typeof pages;

/** Returns the link for an invitation's message; `host` overrides the default front end. */
export function inviteUrl(app: InviteDeps, purpose: InvitePurpose, inviteId: string, host?: string | null): string {
  const token = createLinkToken(app, purpose, { invite_id: inviteId });
  return pageUrl(host || app.config.urls.admin, `${pages[purpose]}/${token}`);
}

/** Returns the id of the invitation in a link's token. */
export function inviteIdOfLink(app: Platform, purpose: InvitePurpose, token: string): string {
  const link = readLinkToken(app, purpose, token);
  switch (link.state) {
    case 'valid':
      return link.payload.invite_id;
    case 'expired':
      throw invalid({
        invitation:
          'Your invitation to GOV.UK Notify has expired. Please ask the person that invited you to send you another one',
      });
    case 'broken':
      throw invalid({
        invitation: 'Something’s wrong with this link. Make sure you’ve copied the whole thing.',
      });
  }
}

const maxInvitesADay = 50;
const maxOpenInTrial = 20;

/** Whether the limits of the console apply. The API has none: its front end decides. */
export interface InviteLimits {
  isLimited: boolean;
}

/**
 * Invitations go to people who have not asked for them, in the name of the platform. This limits how many a person can send a day, and how
 * many pending ones a service in trial mode can have. Platform administrators are exempt.
 */
export async function refuseTooManyInvites(
  tx: Tx,
  now: Date,
  { invited_by, service_id }: { invited_by: string; service_id?: string },
): Promise<void> {
  const { platform_admin } = await lockUser(tx, invited_by);
  if (platform_admin) return;
  if ((await countInvitesSince(tx, invited_by, timestamp(earlier(now, day_ms)))) >= maxInvitesADay) {
    throw tooMany(`You have sent ${maxInvitesADay} invitations in the last 24 hours. Try again tomorrow.`);
  }
  if (service_id === undefined || !(await lockTrialService(tx, service_id))) return;
  if ((await countOpenServiceInvites(tx, service_id)) >= maxOpenInTrial) {
    throw tooMany(
      `A service in trial mode can have ${maxOpenInTrial} open invitations. Wait until some are accepted, or cancel some.`,
    );
  }
}

function tooMany(text: string): Failure {
  return invalidField('email_address', text);
}
