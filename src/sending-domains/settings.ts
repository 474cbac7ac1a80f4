import * as setting from '../platform/setting.ts';
import type { Values } from '../platform/setting-groups.ts';

export const domainSettings = {
  mode: setting.oneOf(
    'SENDING_DOMAINS',
    'Who can add domains that emails come from: `operator`, or `services` for the managers of services and organisations, too. `off`: all emails come from EMAIL_DOMAIN, and no domain is checked.',
    ['off', 'operator', 'services'],
    { fallback: 'operator' },
  ),
  dnsServers: setting.addresses(
    'DNS_SERVERS',
    'Name servers that check those domains, for example `9.9.9.9`. With `SENDING_DOMAINS=services` name a public one: those of the system may know internal names.',
    {
      fallback: [],
      fallbackText: 'those of the system',
      ports: true,
    },
  ),
  mailServers: setting.addresses(
    'SMTP_SERVERS',
    'Addresses that your mail server sends from, which SPF must list and whose names are checked.',
    { fallback: [], fallbackText: 'unset: neither is checked' },
  ),
};

export type DomainSettings = Values<typeof domainSettings>;
