import { describe, expect, it } from 'vitest';
import { builtInCountries, genericCountry } from '../built-in.ts';
import { generic } from '../generic.ts';
import type { CountryProfile } from '../profile.ts';
import { problemsOfProfile } from './profile-problems.ts';

const { generic: _, ...countries } = builtInCountries;
const abroad = Object.entries(countries).filter(([code]) => code !== 'gb');

describe.each(Object.entries(countries))('the profile %s', (code, profile) => {
  it('is valid', () => {
    expect(problemsOfProfile(profile)).toEqual([]);
    expect(profile.code).toBe(code);
  });

  it('shows an example of its own postcode', () => {
    const { postcode, example } = profile.address;
    if (!postcode?.required) return;
    const pattern = new RegExp(postcode.pattern.replace(/^\^|\$$/g, ''), 'u');
    expect(example.at(-1)?.toUpperCase().replaceAll(' ', '')).toMatch(pattern);
  });
});

it.each(abroad)('the profile %s has no prices and no word of another country', (_, profile) => {
  expect(profile.prices).toEqual(generic.prices);
  const { brand: _brand, ...shown } = profile;
  expect(JSON.stringify(shown)).not.toMatch(/\bUK\b|London|£|pence|Crown|Royal|this country/);
  expect(profile.phone.rescue).toBe('strict');
});

it('every other country has the rules of nobody', () => {
  const { calendar, money, ...egypt } = genericCountry('eg');
  expect(egypt).toMatchObject({ code: 'eg', name: 'Egypt', locale: 'en-EG', phone: { region: 'EG', regions: ['EG'] } });
  expect(calendar.weekend).toEqual([5, 6]);
  expect(genericCountry('se').calendar.weekend).toEqual([6, 7]);
  expect(genericCountry('mx').letter.paper).toBe('letter');
  const complete: CountryProfile = {
    ...egypt,
    calendar: { ...calendar, zone: 'Africa/Cairo' },
    money: { ...money, currency: 'EGP' },
  };
  expect(problemsOfProfile(complete)).toEqual([]);
  expect(problemsOfProfile({ ...egypt, calendar, money }).map(({ path }) => path)).toEqual(['money.currency']);
});
