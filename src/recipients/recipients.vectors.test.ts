import { describe, expect, it } from 'vitest';
import { casesOf, readVectors } from '../../test/kit/vectors.ts';
import { gb } from '../countries/gb.ts';
import { PhoneRules } from '../countries/phone-rules.ts';
import { findCountry } from './countries.ts';
import { parseEmailAddress } from './email-address.ts';
import { findInternationalRate } from './international-rates.ts';
import {
  checkPhonePermissions,
  type PhoneNumber,
  type PhonePermissionReason,
  parsePhoneNumber,
} from './phone-number.ts';
import {
  addressLinesFromPersonalisation,
  checkPostalAddress,
  type PostalAddressReason,
  parsePostalAddress,
  parsePostcode,
} from './postal-address.ts';
import { normaliseRecipient } from './recipient.ts';

const phone = new PhoneRules(gb.phone);

type Case = { id: string; kind: string; quirk?: boolean } & Record<string, unknown>;

const casesWithoutQuirks = (file: string) => casesOf<Case>(file).filter((example) => !example.quirk);

/** The product shows numbers as they were entered, and links to a page for contact instead of a number. */
const isUsed = ({ kind }: Case) => kind !== 'service-contact-number';

describe.each(casesWithoutQuirks('phone-numbers.json').filter(isUsed))('$id $kind', (example) => {
  it(JSON.stringify(example.input), () => checkPhoneCase(example));
});
describe.each(casesWithoutQuirks('email-addresses.json'))('$id $kind', (example) => {
  it(JSON.stringify(example.input), () => checkEmailCase(example));
});
describe.each(casesWithoutQuirks('postal-address.json'))('$id $kind', (example) => {
  it('is parsed', () => checkPostalCase(example));
});
it('has the table of international rates', checkRates);
it('recognises the names of countries', checkCountries);

function checkPhoneCase(example: Case): void {
  const input = String(example.input);
  if (example.kind === 'guest-list') {
    const guests = (example.guest_list as string[]).map((each) => normaliseRecipient(phone, each));
    expect(guests.includes(normaliseRecipient(phone, input))).toBe(example.allowed);
  } else if (example.kind === 'format-recipient') {
    expect(normaliseRecipient(phone, input)).toBe(example.formatted);
  } else {
    checkParsedPhoneNumber(input, example);
  }
}

function checkParsedPhoneNumber(input: string, example: Case): void {
  const result = parsePhoneNumber(phone, input);
  const reason = result.ok ? permissionReason(result.number, example) : result.reason;
  expect(reason === undefined).toBe(example.valid);
  if (example.error_code) expect(reason).toBe(example.error_code);
  if (example.not_error_code) expect(reason).not.toBe(example.not_error_code);
  if (!result.ok || !example.valid) return;

  const actual = {
    normalised: result.number.normalised,
    international: result.number.international,
    crown_dependency: result.number.international && !result.number.abroad,
    country_prefix: result.number.countryPrefix,
    billing_multiplier: result.number.multiplier,
    must_use_numeric_sender: result.number.numericSenderOnly,
  };
  expect(actual).toMatchObject(Object.fromEntries(Object.keys(actual).flatMap((key) => pick(example, key))));
}

// The examples use one code for both permissions.
function permissionReason(number: PhoneNumber, example: Case): string | undefined {
  const reason: PhonePermissionReason | undefined = checkPhonePermissions(number, {
    international: example.allow_international !== false,
    landline: example.allow_uk_landline !== false,
  });
  return reason && 'not_a_uk_mobile';
}

const pick = (example: Case, key: string) => (key in example ? [[key, example[key]]] : []);

function checkEmailCase(example: Case): void {
  const expected = example.valid ? { ok: true, cleaned: example.cleaned, address: example.normalised } : { ok: false };
  expect(parseEmailAddress(String(example.input))).toEqual(expected);
}

function checkPostalCase(example: Case): void {
  const input = String(example.input);
  if (example.kind === 'postcode') {
    expect(parsePostcode(input) ?? null).toBe(example.printed);
  } else if (example.kind === 'country') {
    const { name, zone } = findCountry(input) ?? { name: null, zone: null };
    expect([name, zone]).toEqual([example.country, example.postage_zone]);
  } else {
    checkParsedAddress(example);
  }
}

function checkParsedAddress(example: Case): void {
  const address = parsePostalAddress(
    example.kind === 'personalisation'
      ? addressLinesFromPersonalisation(example.personalisation as Record<string, unknown>)
      : (example.lines as string[]),
  );
  const reason = checkPostalAddress(address, { international: example.allow_international === true });
  expect({
    valid: reason === undefined,
    normalised_lines: address.lines,
    postage_zone: address.zone,
    international: address.international,
    postcode: address.postcode,
    bfpo_number: address.bfpoNumber,
    pdf_error_code: reason ?? null,
    api_error: reason ? apiMessages[reason] : null,
  }).toEqual(
    Object.fromEntries(Object.keys(example).flatMap((key) => (notCompared.has(key) ? [] : pick(example, key)))),
  );
}

const notCompared = new Set(['id', 'kind', 'lines', 'personalisation', 'allow_international', 'source', 'note']);

const apiMessages: Record<PostalAddressReason, string> = {
  'address-is-empty': 'Address must be at least 3 lines',
  'not-enough-address-lines': 'Address must be at least 3 lines',
  'too-many-address-lines': 'Address must be no more than 7 lines',
  'invalid-address-line-1-or-2':
    'The first 2 lines of the address must both include at least one alphanumeric character',
  'has-country-for-bfpo-address': 'The last line of a BFPO address must not be a country.',
  'cant-send-international-letters': 'Must be a real UK postcode',
  'not-a-real-uk-postcode': 'Must be a real UK postcode',
  'no-town-beside-postcode': 'The line before the postcode must be a town',
  'not-a-real-uk-postcode-or-country': 'Last line of address must be a real UK postcode or another country',
  'invalid-char-in-address':
    'Address lines must not start with any of the following characters: @ ( ) = [ ] ” \\ / , < >',
  'no-fixed-abode-address': 'Must be a real address',
};

function checkRates(): void {
  const { prefixes } = readVectors<{ prefixes: Record<string, Record<string, unknown>> }>(
    'tables/sms-international-rates.json',
  );
  const known = Array.from({ length: 9_999 }, (_, n) => String(n + 1)).filter(findInternationalRate);
  expect(known.toSorted()).toEqual(Object.keys(prefixes).toSorted());
  for (const [prefix, row] of Object.entries(prefixes)) {
    const { multiplier, numeric_sender_only: numericSenderOnly } = row;
    expect({ prefix, ...findInternationalRate(prefix) }).toMatchObject({ prefix, multiplier, numericSenderOnly });
  }
}

// Left out or moved on purpose: words run together, names of other countries, and words that name no country.
const omittedNames = new Set([
  "People's Democratic Republic of Algeriaalgerie",
  'Republic of Belarusbelorussia',
  'Burkina Fasoupper',
  'Democratic Republic of Timor-Lestetimor',
  'Kyrgyz Republickirghiz',
  'Republic of Kazakhstankazak',
  'Republic of Lithuanialietuva',
  'Republic of Rwandaruanda',
  'Republic of Tajikistantadjik',
  'Federal Republic of Somaliaaiai',
  "Democratic People's Republic of Koread",
  'Kingdom of Moroccoal-Magrib',
  'weSwatini Swatini Ngwane',
  'Genus Argentina',
  'Canadaigua',
  'Rastafari',
  'Rastas',
  'Al itihaad al islamiya',
  '\u200e',
  'Jèrri',
  'Congo-Brazzaville',
  'Congo, Democratic Republic of',
  'avstria',
  'Amerika Sāmoa',
]);

function checkCountries(): void {
  const { countries } = readVectors<{ countries: Record<string, { zone: string; names: string[] }> }>(
    'tables/countries.json',
  );
  for (const [name, { zone, names }] of Object.entries(countries)) {
    for (const known of names.filter((candidate) => !omittedNames.has(candidate))) {
      expect({ known, ...findCountry(known) }).toEqual({ known, name, zone });
    }
  }
}
