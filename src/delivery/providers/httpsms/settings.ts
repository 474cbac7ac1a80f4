import * as setting from '../../../platform/setting.ts';

export const settings = {
  file: setting.optionalText(
    'HTTPSMS_GATEWAY',
    'JSON file that describes the HTTP API of an SMS gateway; see docs/guides/providers/generic-http.md.',
  ),
  secrets: setting.optionalText(
    'HTTPSMS_SECRETS',
    'JSON object of the secrets that HTTPSMS_GATEWAY names, such as `{"api_key":"..."}`.',
    { secret: true },
  ),
};
