import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCountry, unitedKingdom } from './countries.ts';
import { countryNames } from './country-names.ts';

describe('findCountry', () => {
  it.each([
    ['Norway', 'Norway', 'europe'],
    ['NORGE', 'Norway', 'europe'],
    ['n.o.', 'Norway', 'europe'],
    ['Deutschland', 'Germany', 'europe'],
    ['Federal Republic of Germany', 'Germany', 'europe'],
    ['Almaen', 'Germany', 'europe'],
    ['the netherlands', 'Netherlands', 'europe'],
    ['Kingdom of the Netherlands', 'Netherlands', 'europe'],
    ['Swistir', 'Switzerland', 'europe'],
    ['Gambia', 'The Gambia', 'rest-of-world'],
    ['Antigua & Barbuda', 'Antigua and Barbuda', 'rest-of-world'],
    ['Trinidad + Tobago', 'Trinidad and Tobago', 'rest-of-world'],
    ["Cote d'Ivoire", 'Ivory Coast', 'rest-of-world'],
    ['CÔTE D’IVOIRE', 'Ivory Coast', 'rest-of-world'],
    ['Co\u0302te d’Ivoire', 'Ivory Coast', 'rest-of-world'],
    ['Espana', 'Spain', 'europe'],
    ['España', 'Spain', 'europe'],
    ['Ελλάδα', 'Greece', 'europe'],
    ['Ελλα\u0301δα', 'Greece', 'europe'],
    ['日本', 'Japan', 'rest-of-world'],
    ['العراق\u200E', 'Iraq', 'rest-of-world'],
    ['Guinea_Bissau', 'Guinea-Bissau', 'rest-of-world'],
    ['U.S.A.', 'United States', 'rest-of-world'],
    ['Tenerife', 'Canary Islands', 'europe'],
    ['Gibraltar', 'Gibraltar', 'europe'],
    ['Congo-Brazzaville', 'Congo', 'rest-of-world'],
    ['Upper Volta', 'Burkina Faso', 'rest-of-world'],
  ])('recognises %j as %s (%s)', (input, name, zone) => {
    expect(findCountry(input)).toEqual({ name, zone });
  });

  it.each(['UK', 'Great Britain', 'Cymru', 'Northern Ireland', 'Guernsey', 'ISLE OF MAN', 'Jèrri', 'Lloegr'])(
    'takes %s for the United Kingdom',
    (input) => {
      expect(findCountry(input)).toBe(unitedKingdom);
    },
  );

  it.each([
    '',
    ' ',
    '-',
    '\u200E',
    'Atlantis',
    'London',
    'la france',
    'The Island',
    'Norway 2',
    'N1 6XY',
    'constructor',
    '__proto__',
  ])('does not recognise %j', (input) => {
    expect(findCountry(input)).toBeUndefined();
  });

  it('finds every name in the table, ignoring case and spacing', () => {
    const names = Object.values(countryNames).flatMap((table) => table.trim().split(/\n|: |; /));
    expect(names.length).toBeGreaterThan(1_200);
    for (const name of names) {
      const country = findCountry(name);
      expect(country, name).toBeDefined();
      expect(findCountry(` ${name.toUpperCase().replaceAll(' ', '  ')}. `), name).toBe(country);
    }
  });

  it('returns a name that is recognised as the same country', () => {
    const names = Object.values(countryNames).flatMap((table) => table.trim().split('\n'));
    fc.assert(
      fc.property(fc.constantFrom(...names), (line) => {
        const country = findCountry(line.split(': ')[0] ?? '');
        expect(findCountry(country?.name ?? '')).toBe(country);
      }),
    );
  });
});
