import * as setting from '../../platform/setting.ts';
import type { Values } from '../../platform/setting-groups.ts';
import { keywordLanguages } from './keywords.ts';

export const optOutSettings = {
  scope: setting.oneOf(
    'OPT_OUT_SCOPE',
    '`service`: who replies STOP gets no more texts of the service; `sender`: no more from the number that got the reply.',
    ['service', 'sender'],
    { fallback: 'service' },
  ),
  languages: setting.listOf(
    'OPT_OUT_LANGUAGES',
    'Comma-separated languages whose words for STOP, START and HELP count, besides English and, outside the United Kingdom, those of the country.',
    keywordLanguages,
    { fallback: ['en'] },
  ),
  helpText: setting.optionalText(
    'SMS_HELP_TEXT',
    'What a person reads who replies HELP, between the name of the service and “Reply STOP to stop.”; at most 300 characters. Default: a sentence that names the website of the service, in the language of the reply.',
  ),
};

export type OptOutSettings = Values<typeof optOutSettings>;
