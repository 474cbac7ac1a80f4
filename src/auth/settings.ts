import * as setting from '../platform/setting.ts';
import type { Values } from '../platform/setting-groups.ts';

export const authSettings = {
  adminClientId: setting.text('ADMIN_CLIENT_ID', 'Issuer (`iss`) of the administrative front end’s tokens.', {
    fallback: 'notify-admin',
  }),
  adminClientSecrets: setting.list(
    'ADMIN_CLIENT_SECRETS',
    'Comma-separated secrets that sign administrative tokens, at least 32 characters each. List two to rotate them without downtime.',
    { fallback: [], fallbackText: 'generated on first start', secret: true },
  ),
  functionalTestsSecrets: setting.list(
    'FUNCTIONAL_TESTS_SECRETS',
    'Secrets of the client `notify-functional-tests`, which can create users for browser tests; at least 32 characters each. Unset: the client is disabled. Not for production.',
    { fallback: [], fallbackText: '(unset)', secret: true },
  ),
  importKeys: setting.flag(
    'IMPORT_KEYS',
    'Whether an administrative client can create API keys with the secret that they had on another server: `on` while services move in (docs/guides/moving-from-gc-notify.md).',
    { fallback: false, fallbackText: '`off`' },
  ),
};

export type AuthSettings = Values<typeof authSettings>;
