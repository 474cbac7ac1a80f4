import { invalidField } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { readLinkToken } from './link-tokens.ts';

export const inviteStatuses = ['pending', 'accepted', 'cancelled'] as const;
export type InviteStatus = (typeof inviteStatuses)[number];

/** How long an invitation is kept, which is as long as its link works. */
export const inviteLifetime_ms = 2 * 86_400_000;

/** The id of the invitation that a link leads to. */
export function inviteIdOfLink(
  app: Pick<Platform, 'secrets' | 'clock'>,
  purpose: 'service-invite' | 'organisation-invite',
  token: string,
): string {
  const link = readLinkToken(app, purpose, token);
  switch (link.state) {
    case 'valid':
      return link.payload.invite_id;
    case 'expired':
      throw invalidField(
        'invitation',
        'Your invitation to GOV.UK Notify has expired. Please ask the person that invited you to send you another one',
      );
    case 'broken':
      throw invalidField('invitation', 'Something’s wrong with this link. Make sure you’ve copied the whole thing.');
  }
}
