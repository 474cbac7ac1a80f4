import * as setting from '../platform/setting.ts';
import type { Values } from '../platform/setting-groups.ts';

export const brandingSettings = {
  platformName: setting.text(
    'PLATFORM_NAME',
    'Name at the top of emails without branding, and sender of text messages without one.',
    { fallback: 'Pennypost' },
  ),
  logoBaseUrl: setting.url<undefined>(
    'LOGO_BASE_URL',
    'Base URL of the logo files of email branding, such as `https://logos.example.org`; a logo can also be a full URL.',
    { fallback: undefined, fallbackText: '(unset)' },
  ),
};

export type BrandingSettings = Values<typeof brandingSettings>;

export const emailSettings = {
  domain: setting.text('EMAIL_DOMAIN', 'Domain of the sender addresses of emails.', {
    fallback: 'notifications.example',
  }),
  attachments: setting.flag(
    'ATTACHMENTS',
    'Whether emails can carry files as attachments. `false`: only links to files can be sent.',
    { fallback: true },
  ),
};

export type EmailSettings = Values<typeof emailSettings>;
