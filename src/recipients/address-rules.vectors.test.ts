import { describe, expect, it } from 'vitest';
import { casesOf } from '../../test/kit/vectors.ts';
import { builtInCountries } from '../countries/built-in.ts';
import { describePostage, findPostage } from '../countries/postage.ts';
import { type AddressCountry, addressRules } from './address-rules.ts';

interface Case {
  id: string;
  kind: string;
  input: Record<string, unknown> & { profile: string };
  expected: Record<string, unknown>;
}

function countryOf({ input }: Case): AddressCountry {
  const country = builtInCountries[input.profile];
  if (!country) throw new Error(`no profile ${input.profile}`);
  return country;
}

describe.each(casesOf<Case>('countries/addresses.json'))('$id', (example) => {
  it(JSON.stringify(example.input), () => checkAddress(example));
});
describe.each(casesOf<Case>('countries/postage.json'))('$id', (example) => {
  it(JSON.stringify(example.input), () => checkPostage(example));
});

function checkAddress(example: Case): void {
  const rules = addressRules(countryOf(example));
  const address = rules.parse(example.input.lines as string[]);
  const reason = rules.check(address, { international: example.input.international_allowed === true }) ?? null;
  const { lines, international, country, postcode } = address;
  expect({ lines, international, country, postcode, reason }).toEqual(example.expected);
}

function checkPostage(example: Case): void {
  const country = countryOf(example);
  const requested = (example.input.requested ?? null) as string | null;
  const { note, ...expected } = example.expected;
  expect(answerPostage(example, country, requested)).toEqual(expected);
}

const names = new Intl.DisplayNames('en', { type: 'region' });

function answerPostage({ kind, input }: Case, country: AddressCountry, requested: string | null) {
  const rules = addressRules(country);
  if (kind === 'postage-of-destination') {
    const line = input.country_line ?? names.of(String(input.country));
    const abroad = ['A Person', '1 Some Street', 'Town', String(line)];
    return { postage: rules.postage(rules.parse(abroad), requested) };
  }
  const found = requested === null ? country.postage.default : findPostage(country.postage, requested);
  if (found === undefined) {
    return { accepted: false, error: `postage invalid. It must be ${describePostage(country.postage)}.` };
  }
  return { accepted: true, postage: rules.postage(rules.parse(country.address.example), found) };
}
