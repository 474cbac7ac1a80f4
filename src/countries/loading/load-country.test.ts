import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gb } from '../gb.ts';
import { nl } from '../nl.ts';
import { type CountryChoice, loadCountry } from './load-country.ts';

const folder = mkdtempSync(join(tmpdir(), 'pennypost-country-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(content: unknown): string {
  const file = join(folder, 'country.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

function load(content: unknown, choice: CountryChoice = {}) {
  return loadCountry({ ...choice, file: fileWith(content) });
}

describe('the country of an installation', () => {
  it('is gb unless something else is said', () => {
    const { country, problems } = loadCountry({});
    expect(problems).toEqual([]);
    expect(country?.profile).toEqual(gb);
    expect(new Set(country?.sources.values())).toEqual(new Set(['gb']));
  });

  it('takes settings before the file, the file before the profile it extends', () => {
    const own = {
      extends: 'nl',
      calendar: { zone: 'Europe/Brussels', financialYearStart: '07-01' },
      letter: { cutOff: '15:00' },
    };
    const { country, problems } = load(own, { zone: 'America/Curacao', sessionHours: '4' });
    expect(problems).toEqual([]);
    expect(country?.profile).toEqual({
      ...nl,
      calendar: { ...nl.calendar, zone: 'America/Curacao', financialYearStart: '07-01' },
      letter: { ...nl.letter, cutOff: '15:00' },
      signIn: { ...nl.signIn, sessionHours: 4 },
    });
    expect(Object.fromEntries(country?.sources ?? [])).toMatchObject({
      'calendar.zone': 'TIME_ZONE',
      'calendar.financialYearStart': 'COUNTRY_FILE',
      'letter.paper': 'nl',
      'signIn.sessionHours': 'SESSION_HOURS',
    });
  });

  it('can be one that has no profile, if it says zone and currency', () => {
    const { country, problems } = loadCountry({ code: 'se', zone: 'Europe/Stockholm', currency: 'SEK' });
    expect(problems).toEqual([]);
    expect(country?.profile).toMatchObject({ code: 'se', name: 'Sweden', phone: { region: 'SE', regions: ['SE'] } });
    expect(loadCountry({ code: 'se' }).problems).toEqual([
      'TIME_ZONE must be set, or calendar.zone in COUNTRY_FILE: the zone in which days begin, such as Asia/Tokyo',
      'CURRENCY must be set, or money.currency in COUNTRY_FILE: a currency of ISO 4217 such as JPY',
    ]);
  });

  it('can be one of one’s own', () => {
    const { country, problems } = load({
      code: 'x-kathmandu',
      name: 'Kathmandu',
      locale: 'en-NP',
      calendar: { zone: 'Asia/Kathmandu', financialYearStart: '07-16', weekend: [5, 6] },
      money: { currency: 'JPY' },
      phone: { region: 'NP' },
    });
    expect(problems).toEqual([]);
    expect(country?.profile).toMatchObject({
      code: 'x-kathmandu',
      calendar: { limitDay: 'local' },
      phone: { regions: ['NP'], rescue: 'strict' },
    });
  });

  it('puts LANGUAGE first, and ignores what shells put there', () => {
    const languages = (choice: CountryChoice) => loadCountry(choice).country?.profile.languages;
    expect(languages({ code: 'ca', language: 'fr' })).toEqual(['fr', 'en']);
    expect(languages({ code: 'nl', languages: ['en', 'fy', 'nl'], language: 'fy' })).toEqual(['fy', 'en', 'nl']);
    expect(languages({ language: 'en_GB:en' })).toEqual(['en', 'cy']);
  });

  it('drops prices of another currency and the name of another zone', () => {
    const { country, problems } = loadCountry({ zone: 'Europe/Gibraltar', currency: 'GIP' });
    expect(problems).toEqual([]);
    expect(country?.profile).toMatchObject({
      money: { currency: 'GIP', style: 'intl' },
      prices: { sms: [], letters: {} },
    });
    expect(country?.profile.words).not.toHaveProperty('zoneName');
    expect(loadCountry({ zone: 'Europe/London', currency: 'GBP' }).country?.profile).toEqual(gb);
  });

  it('does not keep names of postage that a file replaces', () => {
    const classes = [
      { ...nl.postage.classes[0], id: 'post', slot: 4 },
      { ...nl.postage.classes[2], slot: 5 },
    ];
    expect(load({ extends: 'nl', postage: { classes } }).problems).toEqual([
      'COUNTRY_FILE: postage.default is missing',
    ]);
    expect(load({ extends: 'nl', postage: { classes, default: 'post' } }).country?.profile.postage.aliases).toEqual({});
  });
});

describe('bad input', () => {
  const known = 'gb, ca, us, au, nz, ie, nl, de, fr, or the two-letter code of another country in lower case';
  it.each<[CountryChoice, string]>([
    [{ code: 'uk' }, `COUNTRY must be one of ${known}, not "uk"`],
    [{ code: 'NL' }, `COUNTRY must be one of ${known}, not "NL"`],
    [{ code: '__proto__' }, `COUNTRY must be one of ${known}, not "__proto__"`],
    [{ code: 'dd' }, `COUNTRY must be one of ${known}, not "dd"`],
    [
      { zone: 'Europe/Atlantis' },
      'TIME_ZONE must be a time zone such as Europe/Amsterdam, not "Europe/Atlantis" (calendar.zone)',
    ],
    [{ zone: 'europe/london' }, 'TIME_ZONE must be written Europe/London (calendar.zone)'],
    [{ zone: '+05:45' }, 'TIME_ZONE must be a time zone such as Europe/Amsterdam, not "+05:45" (calendar.zone)'],
    [{ currency: 'EURO' }, 'CURRENCY must be a currency such as EUR (money.currency)'],
    [{ currency: 'QQQ' }, 'CURRENCY must be a currency of ISO 4217 such as EUR, not QQQ (money.currency)'],
    [{ currency: 'XXX' }, 'CURRENCY must be a currency of ISO 4217 such as EUR, not XXX (money.currency)'],
    [
      { financialYearStart: '02-29' },
      'FINANCIAL_YEAR_START must be a day that every year has, such as 04-01, not 02-29 (calendar.financialYearStart)',
    ],
    [
      { financialYearStart: '04-31' },
      'FINANCIAL_YEAR_START must be a day that every year has, such as 04-01, not 04-31 (calendar.financialYearStart)',
    ],
    [{ financialYearStart: '4-1' }, 'FINANCIAL_YEAR_START must be a day as MM-DD (calendar.financialYearStart)'],
    [{ language: 'xx' }, 'LANGUAGE must be a language such as nl, not "xx" (languages[0])'],
    [{ languages: ['en', 'en'] }, 'LANGUAGES must differ from languages[0], which is en (languages[1])'],
    [
      { holidaysRegion: 'BY' },
      'HOLIDAYS_REGION must be unset: this country has no regions. Add them to holidays.regions of a file of your own (holidays.region)',
    ],
    [{ cutOff: '24:00' }, 'LETTER_CUT_OFF must be a time as HH:MM, or continuous (letter.cutOff)'],
    [{ paper: 'a5' }, 'LETTER_PAPER must be one of a4, letter (letter.paper)'],
    [{ alphabet: 'utf-8' }, 'SMS_ALPHABET must be one of gsm-welsh, gsm, keep-letters (sms.alphabet)'],
    [{ sessionHours: 'ten' }, 'SESSION_HOURS must be a whole number from 1 to 720 (signIn.sessionHours)'],
  ])('%j is refused', (choice, problem) => {
    expect(loadCountry(choice)).toEqual({ problems: [problem] });
  });

  it.each<[string, unknown, string[]]>([
    ['no JSON', '{"extends": ', ['COUNTRY_FILE is not JSON: ']],
    ['a list', [], ['COUNTRY_FILE has no JSON object. Write an object such as {"extends": "nl"}']],
    ['an unknown profile', { extends: 'atlantis' }, [`COUNTRY_FILE: extends must be one of ${known}, not "atlantis"`]],
    ['a number to extend', { extends: 1 }, ['COUNTRY_FILE: extends must be a text such as "nl"']],
    [
      'unknown fields',
      { extends: 'nl', zone: 'UTC', letter: { colour: 'red' } },
      [
        'COUNTRY_FILE: zone is unknown. Remove it, or use one of code, name, locale,',
        'COUNTRY_FILE: letter.colour is unknown. Remove it, or use one of paper, window, provisionalWindow, cutOff, tag, languages',
      ],
    ],
    ['a key of the language', '{"extends":"nl","__proto__":{"code":"x"}}', ['COUNTRY_FILE: __proto__ is unknown.']],
    [
      'a repeated slot, a default and an alias that are no class',
      {
        extends: 'nl',
        postage: {
          classes: nl.postage.classes.map((each) => ({ ...each, slot: 1 })),
          default: 'first',
          aliases: { second: 'snail' },
        },
      },
      [
        'COUNTRY_FILE: postage.classes[1].slot must differ from postage.classes[0].slot, which is 1',
        'COUNTRY_FILE: postage.classes[2].slot must differ from postage.classes[0].slot, which is 1',
        'COUNTRY_FILE: postage.default must be a class of the zone home: netherlands',
        'COUNTRY_FILE: postage.aliases.second must be one of the classes netherlands, europe, rest-of-world, not "snail"',
      ],
    ],
    [
      'a slot that does not exist',
      {
        extends: 'nl',
        postage: { ...nl.postage, classes: [nl.postage.classes[0], { ...nl.postage.classes[2], slot: 6 }] },
      },
      ['COUNTRY_FILE: postage.classes[1].slot must be a number from 1 to 5'],
    ],
    [
      'a cut-off that is no time, with a problem elsewhere',
      { extends: 'nl', letter: { cutOff: '5pm' }, calendar: { zone: 'Mars/Base' }, phone: { near: ['QQ'] } },
      [
        'COUNTRY_FILE: letter.cutOff must be a time as HH:MM, or continuous',
        'COUNTRY_FILE: calendar.zone must be a time zone such as Europe/Amsterdam, not "Mars/Base"',
        'COUNTRY_FILE: phone.near[0] must be a region with phone numbers, such as NL, not QQ',
      ],
    ],
    [
      'regular expressions that do not compile or take forever',
      {
        extends: 'nl',
        phone: { shortCode: '([0-9]+)+$' },
        address: { postcode: { pattern: '(' }, refused: ['x'.repeat(201)] },
      },
      [
        'COUNTRY_FILE: address.postcode.pattern must be a regular expression of at most 200 characters',
        'COUNTRY_FILE: address.refused[0] must be a regular expression of at most 200 characters',
        'COUNTRY_FILE: phone.shortCode repeats a group that has repetitions, which can take forever. Write it without one of them',
      ],
    ],
    [
      'holidays that do not exist',
      {
        extends: 'nl',
        holidays: {
          rules: [{ on: '02-30' }, { weekday: 8, nth: 1, month: 1 }],
          changes: { 2027: { added: ['2026-05-08'], removed: [] } },
        },
      },
      ['COUNTRY_FILE: holidays.rules[1] must be a rule such as {"on": "12-25"}'],
    ],
    [
      'values of the wrong kind or size',
      {
        extends: 'nl',
        postage: null,
        languages: [],
        money: { priceDecimals: 7 },
        address: { lines: { min: 0, max: 6.5 }, homeNames: 'Nederland' },
        words: { homeOnly: '' },
      },
      [
        'COUNTRY_FILE: languages must have at least 1 in its list',
        'COUNTRY_FILE: money.priceDecimals must be at most 6',
        'COUNTRY_FILE: address.lines.min must be at least 1',
        'COUNTRY_FILE: address.lines.max must be a whole number',
        'COUNTRY_FILE: address.homeNames must be a list',
        'COUNTRY_FILE: postage must be an object',
        'COUNTRY_FILE: words.homeOnly must not be empty',
      ],
    ],
    [
      'a window without its boxes',
      { extends: 'nl', letter: { window: { address: { left: 1, top: 2, right: 3 } } } },
      [
        'COUNTRY_FILE: letter.window.logo is missing',
        'COUNTRY_FILE: letter.window.contactBlock is missing',
        'COUNTRY_FILE: letter.window.body is missing',
        'COUNTRY_FILE: letter.window.address.bottom is missing',
      ],
    ],
    [
      'no region and no types that front ends know',
      { code: 'x-none', organisations: { types: [{ id: 'city', label: 'City', crown: false }] } },
      [
        'COUNTRY_FILE: phone.region must be a region with phone numbers, such as NL, not ZZ',
        'COUNTRY_FILE: phone.regions[0] must be a region with phone numbers, such as NL, not ZZ',
        'COUNTRY_FILE: organisations.types must have central, or organisations.aliases must',
        'COUNTRY_FILE: organisations.types must have local, or organisations.aliases must',
        'COUNTRY_FILE: organisations.types must have other, or organisations.aliases must',
        'TIME_ZONE must be set',
        'CURRENCY must be set',
      ],
    ],
  ])('a file with %s is refused with every place', (_, content, expected) => {
    const { country, problems } = load(content);
    expect(country).toBeUndefined();
    expect(problems).toHaveLength(expected.length);
    expect(problems).toEqual(expected.map((beginning) => expect.stringMatching(startsWith(beginning))));
  });

  it('a file that is not there, or is about another country than COUNTRY, is refused', () => {
    expect(loadCountry({ file: join(folder, 'nowhere.json') }).problems[0]).toMatch(
      /^COUNTRY_FILE cannot be read: ENOENT: no such file/,
    );
    expect(load({ extends: 'nl' }, { code: 'de' }).problems).toEqual([
      'COUNTRY is de, but COUNTRY_FILE is about nl. Unset COUNTRY, or name the same country',
    ]);
    expect(load({ letter: { cutOff: '12:00' } }, { code: 'de' }).country?.profile).toMatchObject({
      code: 'de',
      letter: { cutOff: '12:00', window: 'din-5008-b' },
    });
  });
});

function startsWith(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
}
