import * as setting from '../platform/setting.ts';
import type { Values } from '../platform/setting-groups.ts';

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
