import type { TextFormat } from '../platform/http/schema-errors.ts';
import type { Platform } from '../platform/platform.ts';
import { protocolFormats } from '../protocol/fields.ts';
import { refusalOfHiddenCharacters } from '../protocol/hidden-characters.ts';
import { parseEmailAddress } from '../recipients/email-address.ts';
import { refusalOfServicePermission } from '../services/service-fields.ts';
import { refusalOfServiceName } from '../services/service-name.ts';
import { refusalOfLanguage } from '../templates/languages/languages.ts';
import { refusalOfTemplateName, refusalOfTemplateSubject } from '../templates/template-checks.ts';
import { refusalOfPermissionList } from '../users/invites/service-invites.ts';
import { refusalOfMobileNumber, refusalOfName, refusalOfTimeZone } from '../users/user-formats.ts';

/** The format of a name, and what else it refuses. */
function nameFormat(refusal: (name: string) => string | undefined) {
  return { refusal: (name: string) => refusalOfHiddenCharacters(name) ?? refusal(name) };
}

/** Text formats that request schemas refer to. */
export const formats: Record<string, TextFormat<Pick<Platform, 'country'>>> = {
  ...protocolFormats,
  email: (text) => parseEmailAddress(text).ok,
  name: { refusal: refusalOfHiddenCharacters },
  'service-name': nameFormat(refusalOfServiceName),
  'service-permission': { refusal: refusalOfServicePermission },
  'user-name': nameFormat(refusalOfName),
  'service-permission-list': { refusal: refusalOfPermissionList },
  'user-mobile-number': { refusal: (text, { country }) => refusalOfMobileNumber(country, text) },
  'time-zone': { refusal: refusalOfTimeZone },
  'language-tag': { refusal: refusalOfLanguage },
  'template-name': nameFormat(refusalOfTemplateName),
  'template-subject': { refusal: refusalOfTemplateSubject },
};
