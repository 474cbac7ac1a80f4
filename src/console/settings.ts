import * as setting from '../platform/setting.ts';
import type { Values } from '../platform/setting-groups.ts';

export const consoleSettings = {
  enabled: setting.flag('CONSOLE', 'Serve the web console at /console on PORT.', { fallback: true }),
  formRateLimit: setting.integer(
    'CONSOLE_FORM_RATE_LIMIT',
    'Maximum forms a minute, such as sign-ins, that each process takes from one client address of people who are not signed in. All people behind one address share it.',
    { fallback: 300, min: 10, max: 1_000_000 },
  ),
  serviceCreators: setting.oneOf(
    'SERVICE_CREATORS',
    'Who can add a service in the console: `everyone` with an account, `known-domains` (people whose address is in a domain of an organisation, and platform administrators) or `platform-admins`.',
    ['everyone', 'known-domains', 'platform-admins'],
    { fallback: 'everyone' },
  ),
};

export type ConsoleSettings = Values<typeof consoleSettings>;
