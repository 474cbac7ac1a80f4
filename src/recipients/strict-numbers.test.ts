import fc from 'fast-check';
import libphonenumber from 'google-libphonenumber';
import { describe, expect, it } from 'vitest';
import { builtInCountries } from '../countries/built-in.ts';
import { PhoneRules } from '../countries/phone-rules.ts';
import {
  checkPhonePermissions,
  formatSmsSender,
  normaliseOwnNumber,
  type PhoneNumber,
  parsePhoneNumber,
} from './phone-number.ts';

const { PhoneNumberFormat, PhoneNumberType, PhoneNumberUtil } = libphonenumber;
const util = PhoneNumberUtil.getInstance();

const phoneRules = new Map(Object.values(builtInCountries).map(({ code, phone }) => [code, new PhoneRules(phone)]));
const strictCountries = [...phoneRules].filter(([, { profile }]) => profile.rescue === 'strict');

function rulesOf(country: string): PhoneRules {
  const rules = phoneRules.get(country);
  if (!rules) throw new Error(`no rules for ${country}`);
  return rules;
}

function normalised(country: string, text: string): string {
  const result = parsePhoneNumber(rulesOf(country), text);
  return result.ok ? result.number.normalised : result.reason;
}

describe('a number that is wrong as written', () => {
  it.each([
    // With a + dropped and read as a number of the country, each would be the number of a stranger.
    ['de', '+49 1512345', 'invalid_number'],
    ['de', '+44 7700 12345', 'invalid_number'],
    ['nl', '+31 800 1234', 'invalid_number'],
    ['nl', '+318001234', 'invalid_number'],
    ['de', '+491 512345', 'invalid_number'],
    ['us', '+20 255 501 04', 'invalid_number'],
    // The library adds an area code, and takes 0016 for an exit code.
    ['nl', '+261 2401234', 'invalid_number'],
    ['au', '0016 60 044000000', 'invalid_number'],
  ])('stays wrong: in %s %j', (country, text, reason) => {
    expect(normalised(country, text)).toBe(reason);
  });

  it.each([
    ['de', '0+49 1512 3456789', '4915123456789'],
    ['de', '+01512 3456789', '4915123456789'],
    ['nl', '(+31) 6 12345678', '31612345678'],
    ['nl', '+31 (0)6 12345678', '31612345678'],
    ['nl', '++31612345678', '31612345678'],
    ['nl', '+0031612345678', '31612345678'],
    ['au', '0412–345—678', '61412345678'],
  ])('is read if nothing else can be meant: in %s %j', (country, text, number) => {
    expect(normalised(country, text)).toBe(number);
  });

  it.each([
    ['nl', '112'],
    ['nl', '+'],
    ['nl', '()'],
    ['nl', '06+12345678'],
    ['nl', '0'],
    ['us', '911'],
  ])('is refused: in %s %j', (country, text) => {
    expect(parsePhoneNumber(rulesOf(country), text).ok).toBe(false);
  });
});

describe('home', () => {
  it.each([
    ['us', '+1 787 234 5678', { region: 'PR', international: false, abroad: false }],
    ['us', '+1 876 210 1234', { region: 'JM', international: true, abroad: true }],
    ['us', '+1 506 234 5678', { region: 'CA', international: true, abroad: true }],
    ['ca', '+1 201 555 0123', { region: 'US', international: true, abroad: false }],
    ['fr', '+262 692 12 34 56', { region: 'RE', international: true, abroad: false }],
    ['fr', '+33 6 12 34 56 78', { region: 'FR', international: false, abroad: false }],
  ])('is a set of regions, never a calling code: in %s %j', (country, text, expected) => {
    const result = parsePhoneNumber(rulesOf(country), text);
    expect(result).toMatchObject({ ok: true, number: expected });
  });

  it('has landlines only where numbers say what they are', () => {
    const nothing = { international: false, landline: false };
    const permission = (country: string, text: string) => {
      const result = parsePhoneNumber(rulesOf(country), text);
      return result.ok ? checkPhonePermissions(result.number, nothing) : result.reason;
    };
    expect(permission('us', '(202) 555-0104')).toBeUndefined();
    expect(permission('nl', '010 123 4567')).toBe('landline_not_allowed');
    expect(permission('ca', '+1 201 555 0123')).toBeUndefined();
    expect(permission('us', '+1 876 210 1234')).toBe('international_not_allowed');
  });
});

describe('short codes', () => {
  it.each(strictCountries.map(([country]) => country))('are never read as numbers of %s', (country) => {
    for (const code of ['12345', '123456', '60006', '3669', '+12345']) {
      expect(formatSmsSender(rulesOf(country), code)).toBe(code);
      expect(normaliseOwnNumber(rulesOf(country), code)).toBe(code.replace('+', ''));
    }
  });

  it('are not emergency numbers', () => {
    expect(rulesOf('nl').isShortCode('3669')).toBe(true);
    expect(rulesOf('nl').isShortCode('112')).toBe(false);
  });
});

describe('senders', () => {
  it('are read as numbers of the country', () => {
    expect(formatSmsSender(rulesOf('nl'), '06 12345678')).toBe('31612345678');
    expect(formatSmsSender(rulesOf('us'), '(202) 555-0104')).toBe('12025550104');
    expect(formatSmsSender(rulesOf('gb'), '0612345678')).toBe('0612345678');
  });
});

/** Numbers of every kind and country, as people and spreadsheets damage them. */
const damaged = fc
  .tuple(
    fc.constantFrom(...util.getSupportedRegions()),
    fc.constantFrom(PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE, PhoneNumberType.TOLL_FREE),
    fc.constantFrom(PhoneNumberFormat.E164, PhoneNumberFormat.NATIONAL, PhoneNumberFormat.INTERNATIONAL),
    fc.stringMatching(/^[0-9]{0,12}$/),
    fc.constantFrom('', '+', '0', '00', '0+', '+0', '011', '+00', '(', '++'),
    fc.constantFrom('as it is', 'without +', 'without 0', 'cut', 'longer', 'one digit changed', 'doubled'),
    fc.nat(),
  )
  .map(([region, type, format, tail, prefix, damage, position]) => {
    const example = util.getExampleNumberForType(region, type);
    const text = example ? util.format(example, format) : '';
    const varied = tail === '' ? text : text.slice(0, Math.max(1, text.length - tail.length)) + tail;
    return prefix + damageOf(varied, damage, position % Math.max(1, varied.length));
  });

function damageOf(text: string, damage: string, at: number): string {
  switch (damage) {
    case 'without +':
      return text.replace('+', '');
    case 'without 0':
      return text.replace('0', '');
    case 'cut':
      return text.slice(0, at);
    case 'longer':
      return `${text}${text.slice(0, 3).replace(/[^0-9]/g, '')}`;
    case 'one digit changed':
      return text.slice(0, at) + String((at * 7) % 10) + text.slice(at + 1);
    case 'doubled':
      return text.slice(0, at) + text.slice(Math.max(0, at - 1));
    default:
      return text;
  }
}

describe.each(strictCountries)('in %s', (_country, rules) => {
  it('no number has other digits than what was typed, with or without the country code', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        const result = parsePhoneNumber(rules, text);
        if (result.ok) expect(readingsAs(rules, text, result.number), text).toContain(digitsOf(text));
      }),
      { numRuns: 1_000 },
    );
  }, 60_000);
});

const exitCodes: Record<string, string> = { US: '011', CA: '011', AU: '0011' };
/** Where the number of a mobile is dialled at home with other digits than from abroad. */
const changingRegions = ['AR', 'BR', 'MX'];

/** All ways to type a number, as digits. What begins with + has a country code, so it has no national way. */
function readingsAs(rules: PhoneRules, text: string, { normalised: number, region }: PhoneNumber): string[] {
  if (changingRegions.includes(region)) return [digitsOf(text)];
  const code = String(util.parse(`+${number}`).getCountryCode());
  const trunk = util.getNddPrefixForRegion(util.getRegionCodeForCountryCode(Number(code)), true) ?? '';
  // Gabon had a 0 and Lithuania an 8 until lately, and people still write them.
  const national = ['', trunk, '0', '8'].map((prefix) => prefix + number.slice(code.length));
  const international = national.map((each) => code + each);
  if (isInternational(text)) return international;
  const dialled = international.map((each) => (exitCodes[rules.region] ?? '00') + each);
  const isOwnCode = Number(code) === util.getCountryCodeForRegion(rules.region);
  return [...international, ...dialled, ...(isOwnCode ? national : [])];
}

/** +49 and 0+49, but not +0151. */
function isInternational(text: string): boolean {
  return /^0*\+[^0]/.test(text.replace(/[^0-9+]/g, '').replace(/\++/, '+'));
}

function digitsOf(text: string): string {
  const digits = text.replace(/[^0-9]/g, '');
  return isInternational(text) ? digits.replace(/^0+/, '') : digits;
}
