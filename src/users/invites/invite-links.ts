import { invalid } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import type { AccountMessageSender } from '../account-messages/account-messages.ts';
import { createLinkToken, linkLifetimes_s, pageUrl, readLinkToken } from '../sign-in/link-tokens.ts';

export type InviteDeps = Platform & {
  accountMessages: AccountMessageSender;
  config: { urls: Urls };
};

export const inviteStatuses = ['pending', 'accepted', 'cancelled'] as const;
export type InviteStatus = (typeof inviteStatuses)[number];

/** Retention of an invitation, equal to the lifetime of its link. */
export const inviteLifetime_ms = linkLifetimes_s['service-invite'] * 1_000;

const pages = { 'service-invite': '/invitation', 'organisation-invite': '/organisation-invitation' };
type InvitePurpose = keyof typeof pages;

/** The link in an invitation's message; `host` overrides the default front end. */
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
