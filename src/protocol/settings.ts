import * as setting from '../platform/setting.ts';
import type { Values } from '../platform/setting-groups.ts';
import { apiDialects } from './dialect.ts';

export const frontEndSettings = {
  shapes: setting.oneOf(
    'ADMIN_API_SHAPES',
    'Set to `notifications-admin` if ADMIN_BASE_URL is the front end of GOV.UK Notify: three responses of the administrative API then have the form that it reads (docs/guides/moving-from-notify.md).',
    ['standard', 'notifications-admin'],
    { fallback: 'standard' },
  ),
  linkTokenKey: setting.fernetKey(
    'LINK_TOKEN_KEY',
    'TOKEN_SECRET_KEY of that front end. Set: links to new passwords, confirmed addresses and sign-in carry tokens that it can read.',
  ),
};

export type FrontEndSettings = Values<typeof frontEndSettings>;

/** How the key in the code of that front end's `Development` class begins: with it, anyone can make links that sign in. */
const publishedKey = Buffer.from('5YNWU0e_', 'base64url');

export function problemsOfFrontEnd(
  { linkTokenKey }: FrontEndSettings,
  { isOnlyHere }: { isOnlyHere: boolean },
): string[] {
  if (isOnlyHere || linkTokenKey === undefined) return [];
  if (!linkTokenKey.subarray(0, publishedKey.length).equals(publishedKey)) return [];
  return ['LINK_TOKEN_KEY must be a key of your own: this one is published in the code of the front end'];
}

export const publicApiSettings = {
  dialect: setting.oneOf(
    'API_DIALECT',
    'Whose errors and rules new services follow, and requests without a valid key: `govuk` for clients of GOV.UK Notify, `gc` for clients of GC Notify. Requests with `Authorization: ApiKey-v1` always follow GC Notify.',
    apiDialects,
    { fallback: 'govuk' },
  ),
  keyPrefix: setting.text(
    'API_KEY_PREFIX',
    'Put before the name in every key that the console shows, such as `example-`, so that secret scanners recognise the keys of this installation. Do not take the prefix of another one.',
    { fallback: '', fallbackText: '(unset)' },
  ),
};

export type PublicApiSettings = Values<typeof publicApiSettings>;
