import * as setting from '../platform/setting.ts';

/** Settings with which `pennypost send`, `templates` and `import-key` call a server, as an application would. */
export const clientSettings = {
  apiKey: setting.optionalText('PENNYPOST_API_KEY', 'API key for `pennypost send` and `pennypost templates`.', {
    secret: true,
  }),
  adminSecret: setting.optionalText(
    'PENNYPOST_ADMIN_SECRET',
    'One of the ADMIN_CLIENT_SECRETS of the server, for `pennypost templates --service` and `pennypost import-key`.',
    { secret: true },
  ),
  adminClient: setting.text('PENNYPOST_ADMIN_CLIENT', 'ADMIN_CLIENT_ID of that server.', { fallback: 'notify-admin' }),
};
