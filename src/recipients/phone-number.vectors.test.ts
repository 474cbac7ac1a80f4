import { describe, expect, it } from 'vitest';
import { casesOf } from '../../test/kit/vectors.ts';
import { builtInCountries } from '../countries/built-in.ts';
import { PhoneRules } from '../countries/phone-rules.ts';
import { formatForPeople, parsePhoneNumber } from './phone-number.ts';

const phoneRules = new Map(Object.values(builtInCountries).map(({ code, phone }) => [code, new PhoneRules(phone)]));

interface Case {
  id: string;
  input: { profile: string; text: string };
  expected: Record<string, unknown>;
}

describe('numbers of every country', () => {
  const cases = casesOf<Case>('countries/phones.json');

  it.each(cases.map(({ id, input, expected }) => [id, input.profile, input.text, expected] as const))(
    '%s in %s: %j',
    (_id, profile, text, expected) => {
      expect(read(profile, text)).toEqual(expected);
    },
  );
});

function read(profile: string, text: string): Record<string, unknown> {
  const rules = phoneRules.get(profile);
  if (!rules) throw new Error(`no rules for ${profile}`);
  const result = parsePhoneNumber(rules, text);
  if (!result.ok) return { ok: false, reason: result.reason };
  const { normalised, region, international, abroad, landline } = result.number;
  const display = formatForPeople(rules, result.number);
  return { ok: true, normalised, region, international, abroad, landline, display };
}
