import * as setting from '../../platform/setting.ts';
import type { Values } from '../../platform/setting-groups.ts';

/** All settings are optional: the defaults are in COUNTRY_FILE or in the country's profile. src/countries validates them. */
export const countrySettings = {
  code: setting.optionalText(
    'COUNTRY',
    'Country of this installation: `gb`, `ca`, `us`, `au`, `nz`, `ie`, `nl`, `de`, `fr`, or the two-letter code of any other, which also needs TIME_ZONE and CURRENCY (docs/guides/your-country.md).',
    { fallbackText: '`gb`' },
  ),
  file: setting.optionalText(
    'COUNTRY_FILE',
    'JSON file with a profile of your own. It can begin with `"extends": "nl"` and then has only what differs.',
  ),
  zone: setting.optionalText(
    'TIME_ZONE',
    'Time zone in which days, months and financial years begin, such as `Australia/Perth`. Cannot change by a restart once messages were sent.',
    { fallbackText: 'that of the country' },
  ),
  currency: setting.optionalText(
    'CURRENCY',
    'Currency of all rates, such as `SEK`. Cannot change once messages were sent.',
    { fallbackText: 'that of the country' },
  ),
  financialYearStart: setting.optionalText(
    'FINANCIAL_YEAR_START',
    'First day of a financial year as `MM-DD`, such as `10-01`.',
    { fallbackText: 'that of the country' },
  ),
  language: setting.optionalText(
    'LANGUAGE',
    'Language of people who have not chosen one, such as `fr`. What shells set, such as `en_GB:en`, is ignored.',
    {
      fallbackText: 'the first of LANGUAGES',
    },
  ),
  languages: setting.optionalList(
    'LANGUAGES',
    'Comma-separated languages that people can choose, such as `nl,en`. A language that is named here is offered even before all of its texts are translated.',
    { fallbackText: 'those of the country that are complete' },
  ),
  languagesDir: setting.optionalText(
    'LANGUAGES_DIR',
    'Folder with your own translations, such as `nl.po`: they replace single texts, or add a language (docs/guides/your-language.md).',
  ),
  holidaysRegion: setting.optionalText(
    'HOLIDAYS_REGION',
    'Part of the country whose holidays count, too, such as `BY` in Germany: no letters are printed on them.',
  ),
  cutOff: setting.optionalText(
    'LETTER_CUT_OFF',
    'Time as `HH:MM` until which letters are printed on the same day, or `continuous`: letters are printed every 5 minutes of a working day.',
    {
      fallbackText: 'that of the country',
    },
  ),
  paper: setting.optionalText('LETTER_PAPER', 'Paper of letters: `a4` or `letter`.', {
    fallbackText: 'that of the country',
  }),
  alphabet: setting.optionalText(
    'SMS_ALPHABET',
    'What happens to letters that the alphabet of text messages lacks: `keep-letters` sends them, at 70 characters a part, `gsm` replaces them, and `gsm-welsh` replaces all but those of Welsh.',
    { fallbackText: 'that of the country' },
  ),
  sessionHours: setting.optionalText('SESSION_HOURS', 'Hours after which people have to sign in again.', {
    fallbackText: 'those of the country',
  }),
};

export type CountrySettings = Values<typeof countrySettings>;
