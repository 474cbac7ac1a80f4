import { isDay } from '../calendar.ts';
import { findWindowProblems } from '../letter-geometry.ts';
import type { CountryProfile, HolidayRule } from '../profile.ts';
import { isCurrency, isKnownRegion, isLanguageTag, isPhoneRegion, isRatePrefix, zoneProblem } from './known-values.ts';

/** The problem of one field, such as `postage.classes[1].slot`. */
export interface ProfileProblem {
  path: string;
  /** Completes the sentence "<path> ..." and says what to write. */
  text: string;
}

interface SectionRules {
  /** Other sections that the rules use. */
  needs?: (keyof CountryProfile)[];
  problems(profile: CountryProfile): ProfileProblem[];
}

/** Rules that a schema cannot express, by section. */
export const sectionRules: { [section in keyof CountryProfile]?: SectionRules } = {
  code: { problems: codeProblems },
  locale: {
    problems: ({ locale }) =>
      isLanguageTag(locale)
        ? []
        : [{ path: 'locale', text: `must be a language and a region such as nl-NL, not "${locale}"` }],
  },
  languages: { problems: languageProblems },
  calendar: { problems: calendarProblems },
  money: { problems: moneyProblems },
  prices: { needs: ['postage', 'organisations'], problems: priceProblems },
  phone: { problems: phoneProblems },
  address: { problems: addressProblems },
  postage: { problems: postageProblems },
  letter: {
    problems: ({ letter }) => [...tagProblems('letter.languages', letter.languages), ...findWindowProblems(letter)],
  },
  holidays: { problems: holidayProblems },
  organisations: { problems: organisationProblems },
};

function codeProblems({ code }: CountryProfile): ProfileProblem[] {
  return code === 'generic' || code.startsWith('x-') || isKnownRegion(code.toUpperCase())
    ? []
    : [{ path: 'code', text: `must be a country code such as nl, or x- and a name of your own, not "${code}"` }];
}

function languageProblems({ languages }: CountryProfile): ProfileProblem[] {
  return [...tagProblems('languages', languages), ...repeated('languages', languages)];
}

function tagProblems(path: string, tags: string[]): ProfileProblem[] {
  return tags.flatMap((tag, index) =>
    isLanguageTag(tag) ? [] : [{ path: `${path}[${index}]`, text: `must be a language such as nl, not "${tag}"` }],
  );
}

function calendarProblems({ calendar }: CountryProfile): ProfileProblem[] {
  const { zone, financialYearStart, weekend } = calendar;
  const wrongZone = zoneProblem(zone);
  // 2001 is not a leap year, so this refuses 29 February: most years lack it.
  const isStart = isDay(`2001-${financialYearStart}`);
  return [
    ...(wrongZone === undefined ? [] : [{ path: 'calendar.zone', text: wrongZone }]),
    ...(isStart
      ? []
      : [
          {
            path: 'calendar.financialYearStart',
            text: `must be a day that every year has, such as 04-01, not ${financialYearStart}`,
          },
        ]),
    ...repeated('calendar.weekend', weekend),
    ...(new Set(weekend).size < 7 ? [] : [{ path: 'calendar.weekend', text: 'must leave a day to work' }]),
  ];
}

function moneyProblems({ money: { currency, style } }: CountryProfile): ProfileProblem[] {
  return [
    ...(isCurrency(currency)
      ? []
      : [{ path: 'money.currency', text: `must be a currency of ISO 4217 such as EUR, not ${currency}` }]),
    ...(style === 'gb' && currency !== 'GBP'
      ? [{ path: 'money.style', text: 'must be intl, because only GBP has pence' }]
      : []),
  ];
}

function priceProblems({ prices, postage, organisations }: CountryProfile): ProfileProblem[] {
  const classes = new Set(postage.classes.map(({ id }) => id));
  const types = new Set(organisations.types.map(({ id }) => id));
  const moments = [
    ...prices.sms.map(({ from }, index) => [`prices.sms[${index}].from`, from] as const),
    ...Object.entries(prices.letters).flatMap(([id, lists]) =>
      lists.map(({ from }, index) => [`prices.letters.${id}[${index}].from`, from] as const),
    ),
  ];
  return [
    ...moments.flatMap(([path, from]) => momentProblems(path, from)),
    ...Object.keys(prices.letters)
      .filter((id) => !classes.has(id))
      .map((id) => ({ path: `prices.letters.${id}`, text: `must be a class of postage: ${[...classes].join(', ')}` })),
    ...Object.entries(prices.allowances).flatMap(([type, byYear]) => [
      ...(types.has(type)
        ? []
        : [{ path: `prices.allowances.${type}`, text: `must be a type of organisation: ${[...types].join(', ')}` }]),
      ...Object.keys(byYear)
        .filter((year) => !isYear(year))
        .map((year) => ({ path: `prices.allowances.${type}.${year}`, text: 'must be a year such as 2026' })),
    ]),
  ];
}

function phoneProblems({ phone }: CountryProfile): ProfileProblem[] {
  const { region, regions, near } = phone;
  const named = [
    ['phone.region', region] as const,
    ...regions.map((name, index) => [`phone.regions[${index}]`, name] as const),
    ...near.map((name, index) => [`phone.near[${index}]`, name] as const),
  ];
  return [
    ...named
      .filter(([, name]) => !isPhoneRegion(name))
      .map(([path, name]) => ({ path, text: `must be a region with phone numbers, such as NL, not ${name}` })),
    ...(regions.includes(region)
      ? []
      : [{ path: 'phone.regions', text: `must have ${region}, which is phone.region` }]),
    ...near.flatMap((name, index) =>
      regions.includes(name)
        ? [{ path: `phone.near[${index}]`, text: `must not be in phone.regions, too: ${name}` }]
        : [],
    ),
    ...patternProblems('phone.shortCode', phone.shortCode),
    ...tableProblems(phone),
  ];
}

function tableProblems({ abroad }: CountryProfile['phone']): ProfileProblem[] {
  const table = typeof abroad === 'object' ? (abroad.table ?? []) : [];
  const starts = table.map(({ prefix, from }) => `${prefix} from ${from}`);
  return [
    ...table.flatMap(({ prefix }, index) =>
      isRatePrefix(prefix)
        ? []
        : [
            {
              path: `phone.abroad.table[${index}].prefix`,
              text: `must be a country calling code such as 49, or one with a region such as 1:JM, not ${prefix}`,
            },
          ],
    ),
    ...table.flatMap(({ from }, index) => momentProblems(`phone.abroad.table[${index}].from`, from)),
    ...repeated('phone.abroad.table', starts),
  ];
}

function momentProblems(path: string, from: string): ProfileProblem[] {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(from) && !Number.isNaN(Date.parse(from))
    ? []
    : [{ path, text: `must be a moment in UTC such as 2026-03-31T23:00Z, not "${from}"` }];
}

function addressProblems({ address }: CountryProfile): ProfileProblem[] {
  const { lines, postcode, refused, townWithDigits, countryLanguage } = address;
  return [
    ...(lines.min <= lines.max
      ? []
      : [{ path: 'address.lines.min', text: `must not be more than address.lines.max, ${lines.max}` }]),
    ...(postcode === null ? [] : postcodeProblems(postcode)),
    ...(townWithDigits === undefined ? [] : patternProblems('address.townWithDigits', townWithDigits)),
    ...refused.flatMap((pattern, index) => patternProblems(`address.refused[${index}]`, pattern)),
    ...(isLanguageTag(countryLanguage)
      ? []
      : [{ path: 'address.countryLanguage', text: `must be a language such as nl, not "${countryLanguage}"` }]),
  ];
}

function postcodeProblems(postcode: NonNullable<CountryProfile['address']['postcode']>): ProfileProblem[] {
  const { pattern, format, prefix } = postcode;
  const ofPattern = patternProblems('address.postcode.pattern', pattern);
  // With an empty alternative the pattern matches the empty text, and the result has one entry per group.
  const groupCount = ofPattern.length > 0 ? 0 : (''.match(new RegExp(`${pattern}|`, 'u'))?.length ?? 1) - 1;
  const used = [...format.matchAll(/\$(\d)/g)].map(([, digit]) => Number(digit));
  return [
    ...ofPattern,
    ...(prefix === undefined ? [] : patternProblems('address.postcode.prefix', prefix)),
    ...(used.length > 0 && used.every((group) => group >= 1 && group <= groupCount)
      ? []
      : [{ path: 'address.postcode.format', text: 'must name groups of address.postcode.pattern, such as $1 $2' }]),
  ];
}

function postageProblems({ postage }: CountryProfile): ProfileProblem[] {
  const { classes, default: usual, aliases } = postage;
  const ids = classes.map(({ id }) => id);
  const homeIds = classes.filter(({ zone }) => zone === 'home').map(({ id }) => id);
  const others = classes.filter(({ zone, countries }) => zone === 'abroad' && countries === undefined);
  return [
    ...(['id', 'slot', 'fileMark'] as const).flatMap((field) =>
      repeated(
        'postage.classes',
        classes.map((item) => item[field]),
        field,
      ),
    ),
    ...classes.flatMap(({ zone, countries }, index) => [
      ...(zone === 'home' && countries !== undefined
        ? [{ path: `postage.classes[${index}].countries`, text: 'is only for classes of the zone abroad. Remove it' }]
        : []),
      ...(Array.isArray(countries) ? countries : []).flatMap((region, place) =>
        isKnownRegion(region)
          ? []
          : [
              {
                path: `postage.classes[${index}].countries[${place}]`,
                text: `must be a region such as US, not ${region}`,
              },
            ],
      ),
    ]),
    ...(others.length === 1
      ? []
      : [
          {
            path: 'postage.classes',
            text: 'must have exactly one class of the zone abroad without countries, for all that no other class names',
          },
        ]),
    ...(homeIds.includes(usual)
      ? []
      : [{ path: 'postage.default', text: `must be a class of the zone home: ${homeIds.join(', ')}` }]),
    ...Object.entries(aliases).flatMap(([alias, id]) => [
      ...(ids.includes(id)
        ? []
        : [{ path: `postage.aliases.${alias}`, text: `must be one of the classes ${ids.join(', ')}, not "${id}"` }]),
      ...(ids.includes(alias) ? [{ path: `postage.aliases.${alias}`, text: 'is a class already. Remove it' }] : []),
    ]),
  ];
}

function holidayProblems({ holidays }: CountryProfile): ProfileProblem[] {
  const { rules, regions, region, changes } = holidays;
  const names = Object.keys(regions);
  return [
    ...rules.flatMap((rule, index) => ruleProblems(`holidays.rules[${index}]`, rule)),
    ...Object.entries(regions).flatMap(([name, ofRegion]) =>
      ofRegion.flatMap((rule, index) => ruleProblems(`holidays.regions.${name}[${index}]`, rule)),
    ),
    ...Object.entries(changes).flatMap(([year, change]) => [
      ...(isYear(year) ? [] : [{ path: `holidays.changes.${year}`, text: 'must be a year such as 2027' }]),
      ...(['added', 'removed'] as const).flatMap((kind) =>
        change[kind].flatMap((day, index) =>
          isDay(day) && day.startsWith(`${year}-`)
            ? []
            : [
                {
                  path: `holidays.changes.${year}.${kind}[${index}]`,
                  text: `must be a day of that year such as ${year}-05-08, not "${day}"`,
                },
              ],
        ),
      ),
    ]),
    ...(region === undefined || names.includes(region)
      ? []
      : [
          {
            path: 'holidays.region',
            text:
              names.length === 0
                ? 'must be unset: this country has no regions. Add them to holidays.regions of a file of your own'
                : `must be one of ${names.join(', ')}, not "${region}"`,
          },
        ]),
  ];
}

function ruleProblems(path: string, rule: HolidayRule): ProfileProblem[] {
  const days = [
    ...('on' in rule ? [['on', rule.on] as const] : []),
    ...('before' in rule ? [['before', rule.before] as const] : []),
    ...('table' in rule ? Object.entries(rule.table).map(([year, day]) => [`table.${year}`, day] as const) : []),
  ];
  const years = 'table' in rule ? Object.keys(rule.table) : [];
  return [
    // 2000 is a leap year, so rules may use 29 February.
    ...days
      .filter(([, day]) => !isDay(`2000-${day}`))
      .map(([field, day]) => ({ path: `${path}.${field}`, text: `must be a day of the calendar, not ${day}` })),
    ...years
      .filter((year) => !isYear(year))
      .map((year) => ({ path: `${path}.table.${year}`, text: 'must be a year such as 2027' })),
  ];
}

function organisationProblems({ organisations }: CountryProfile): ProfileProblem[] {
  const { types, aliases } = organisations;
  const ids = types.map(({ id }) => id);
  return [
    ...repeated('organisations.types', ids, 'id'),
    ...Object.entries(aliases).flatMap(([alias, id]) =>
      ids.includes(id)
        ? []
        : [{ path: `organisations.aliases.${alias}`, text: `must be one of the types ${ids.join(', ')}, not "${id}"` }],
    ),
    // Front ends offer these types in every country.
    ...['central', 'local', 'other']
      .filter((id) => !ids.includes(id) && !Object.hasOwn(aliases, id))
      .map((id) => ({ path: 'organisations.types', text: `must have ${id}, or organisations.aliases must` })),
  ];
}

function patternProblems(path: string, pattern: string): ProfileProblem[] {
  return mayTakeForever(pattern)
    ? [{ path, text: 'repeats a group that has repetitions, which can take forever. Write it without one of them' }]
    : [];
}

/** Whether a repeated group contains an unbounded repetition, such as (a+)*, or alternatives, such as (a|a)*. */
function mayTakeForever(pattern: string): boolean {
  const plain = pattern.replace(/\\./g, '_').replace(/\[[^\]]*\]/g, '_');
  const group = /\(([^()]*)\)([*+]|\{\d+,\}|\{\d*,?\d{2,}\})?/;
  let rest = plain;
  for (let found = group.exec(rest); found; found = group.exec(rest)) {
    const [whole, inside = '', repetition] = found;
    if (repetition !== undefined && /[*+|]|\{\d+,\}/.test(inside)) return true;
    // Keeps a repetition inside, so that the enclosing group is checked with it.
    rest = rest.replace(whole, () => (/[*+|]|\{\d+,\}/.test(inside) || repetition !== undefined ? '_*' : '_'));
  }
  return false;
}

function repeated(path: string, values: readonly (string | number)[], field?: string): ProfileProblem[] {
  return values.flatMap((value, index) => {
    const first = values.indexOf(value);
    const place = (at: number) => `${path}[${at}]${field === undefined ? '' : `.${field}`}`;
    return first === index ? [] : [{ path: place(index), text: `must differ from ${place(first)}, which is ${value}` }];
  });
}

function isYear(text: string): boolean {
  return /^(19|20|21)\d\d$/.test(text);
}
