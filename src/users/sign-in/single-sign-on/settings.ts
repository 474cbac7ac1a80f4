import { isLoopback } from '../../../platform/http/networks.ts';
import * as setting from '../../../platform/setting.ts';
import type { Values } from '../../../platform/setting-groups.ts';

export const singleSignOnSettings = {
  issuer: setting.optionalUrl(
    'OIDC_ISSUER',
    'OpenID Connect issuer that people sign in to the console with, exactly as it calls itself. Unset: no single sign-on.',
    ['https://', 'http://'],
  ),
  clientId: setting.optionalText('OIDC_CLIENT_ID', 'Id of this installation at the issuer.'),
  clientSecret: setting.optionalText('OIDC_CLIENT_SECRET', 'Secret of OIDC_CLIENT_ID.', { secret: true }),
  allowedDomains: setting.list(
    'OIDC_ALLOWED_DOMAINS',
    'Comma-separated domains of email addresses that may sign in through the issuer. Domains below them are not included.',
    { fallback: [], fallbackText: '(unset)' },
  ),
  scopes: setting.text('OIDC_SCOPES', 'Scopes to ask the issuer for, separated by spaces.', {
    fallback: 'openid email profile',
  }),
  emailVerifiedClaim: setting.text(
    'OIDC_EMAIL_VERIFIED_CLAIM',
    'Claim that says whether the issuer has verified the address; nobody signs in without it.',
    { fallback: 'email_verified' },
  ),
  groupsClaim: setting.text('OIDC_GROUPS_CLAIM', 'Claim with the groups of a person.', { fallback: 'groups' }),
  adminGroups: setting.list(
    'OIDC_ADMIN_GROUPS',
    'Comma-separated groups whose members are platform administrators. Set: everybody else loses that role when they sign in through the issuer.',
    { fallback: [], fallbackText: '(unset)' },
  ),
  operatorGroups: setting.list(
    'OIDC_OPERATOR_GROUPS',
    'Comma-separated groups whose members are read-only operators, in the same way.',
    { fallback: [], fallbackText: '(unset)' },
  ),
  buttonLabel: setting.text('OIDC_BUTTON_LABEL', 'Text of the button on the sign-in page.', {
    fallback: 'Sign in with single sign-on',
  }),
  localSignIn: setting.oneOf(
    'LOCAL_SIGN_IN',
    'Who can sign in to the console without the issuer: `everyone`, or `platform-admins` as a way back in when the issuer is down.',
    ['everyone', 'platform-admins'],
    { fallback: 'everyone' },
  ),
};

export type SingleSignOnSettings = Values<typeof singleSignOnSettings>;

export function problemsOfSingleSignOn({
  issuer,
  allowedDomains,
  scopes,
  localSignIn,
}: SingleSignOnSettings): string[] {
  if (issuer === undefined) {
    return localSignIn === 'platform-admins' ? ['OIDC_ISSUER must be set when LOCAL_SIGN_IN is platform-admins'] : [];
  }
  const isOpen = issuer.startsWith('http://') && !isLoopback(new URL(issuer).hostname);
  return [
    ...(isOpen ? ['OIDC_ISSUER must begin with https://'] : []),
    ...(allowedDomains.length === 0 ? ['OIDC_ALLOWED_DOMAINS must be set when OIDC_ISSUER is set'] : []),
    ...(scopes.split(' ').includes('openid') ? [] : ['OIDC_SCOPES must contain openid']),
  ];
}
