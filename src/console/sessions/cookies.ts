import type { CookieSerializeOptions } from '@fastify/cookie';
import type { Urls } from '../../platform/settings.ts';

interface OfUrls {
  urls: Urls;
}

/** Over https the names have a prefix for which browsers enforce that no other host has set them. */
export function cookieNames({ urls }: OfUrls) {
  const prefix = isSecure({ urls }) ? '__Host-' : '';
  return {
    session: `${prefix}pennypost_session`,
    /** A sign-in that waits for its second step. */
    signIn: `${prefix}pennypost_sign_in`,
    /** A change of the account that waits for its second step. */
    change: `${prefix}pennypost_change`,
    /** A security key that has a name and is not registered yet. */
    newKey: `${prefix}pennypost_new_key`,
    /** A sign-in that was begun at the issuer of single sign-on. */
    singleSignOn: `${prefix}pennypost_single_sign_on`,
    notice: `${prefix}pennypost_notice`,
    /** The service that was opened last. */
    service: `${prefix}pennypost_service`,
  };
}

/** Lax: a link in an email opens the page as the person who is signed in. */
export function cookieOptions({ urls }: OfUrls): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure({ urls }) };
}

function isSecure({ urls }: OfUrls): boolean {
  return urls.api.startsWith('https://');
}
