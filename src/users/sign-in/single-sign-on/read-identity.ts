import { parseEmailAddress } from '../../../recipients/email-address.ts';
import { SingleSignOnRefused } from './refused.ts';
import type { SingleSignOnSettings } from './settings.ts';

type Settings = Pick<SingleSignOnSettings, 'allowedDomains' | 'groupsClaim' | 'emailVerifiedClaim'>;

/** A person as the issuer describes them. */
export interface Identity {
  issuer: string;
  subject: string;
  /** Verified by the issuer, in an allowed domain. */
  email_address: string;
  name: string;
  groups: string[];
}

const maxLength = 255;

export function neededClaims(settings: Settings & Pick<SingleSignOnSettings, 'adminGroups' | 'operatorGroups'>) {
  const { groupsClaim, emailVerifiedClaim, adminGroups, operatorGroups } = settings;
  const needsGroups = adminGroups.length > 0 || operatorGroups.length > 0;
  return ['email', emailVerifiedClaim, ...(needsGroups ? [groupsClaim] : [])];
}

/** Throws with a sentence for the person. */
export function readIdentity(settings: Settings, claims: ReadonlyMap<string, unknown>): Identity {
  const text = (name: string) => {
    const value = claims.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const email_address = text('email');
  if (!parseEmailAddress(email_address).ok || email_address.length > maxLength) {
    throw new SingleSignOnRefused(
      'no-address',
      'The sign-in service did not send your email address. Ask the people who run it to send the claim “email”.',
    );
  }
  if (!isTrue(claims.get(settings.emailVerifiedClaim))) {
    throw new SingleSignOnRefused(
      'unverified-address',
      'The sign-in service has not verified your email address. Verify it there, then sign in again.',
    );
  }
  const domain = email_address.slice(email_address.lastIndexOf('@') + 1).toLowerCase();
  if (!settings.allowedDomains.some((allowed) => allowed.toLowerCase() === domain)) {
    throw new SingleSignOnRefused('foreign-domain', `People with an address at ${domain} cannot sign in this way.`);
  }
  const [issuer, subject] = [text('iss'), text('sub')];
  if (subject === '' || subject.length > maxLength)
    throw new SingleSignOnRefused('no-subject', 'The sign-in service did not say who you are.');
  const name = (text('name') || `${text('given_name')} ${text('family_name')}`.trim() || email_address).slice(
    0,
    maxLength,
  );
  return { issuer, subject, email_address, name, groups: groupsIn(claims.get(settings.groupsClaim)) };
}

/** Some issuers write it as a text or a number. */
function isTrue(value: unknown): boolean {
  return value === true || value === 'true' || value === 1 || value === '1';
}

function groupsIn(value: unknown): string[] {
  return [value].flat().filter((group): group is string => typeof group === 'string');
}
