import { countryNames } from './country-names.ts';

export type PostageZone = keyof typeof countryNames;

/** `name` is printed on the letter, whatever spelling the sender used. */
export interface Country {
  name: string;
  zone: PostageZone;
}

export const unitedKingdom: Country = { name: 'United Kingdom', zone: 'united-kingdom' };

// Longer than any name in the table; limits the cost of hostile input.
export const maxNameLength = 200;

// Characters that people omit or confuse; \p{Cf} are direction marks and joiners.
const dropped = /[\s_\-'’‘ʼ,.()\p{Cf}]/gu;
const accents = /\p{M}/gu;
const onlyAscii = /^\p{ASCII}*$/u;

/** Removes what people omit or confuse in a name. */
export function comparable(name: string): string {
  const plain = name.normalize('NFC').replace(/[&+]/g, 'and').replace(dropped, '').toLowerCase();
  const unaccented = plain.normalize('NFD').replace(accents, '');
  // In other scripts, the marks are part of the word.
  return onlyAscii.test(unaccented) ? unaccented : plain;
}

function buildCountries(): ReadonlyMap<string, Country> {
  const countries = new Map<string, Country>();
  for (const [zone, table] of Object.entries(countryNames) as [PostageZone, string][]) {
    for (const line of table.trim().split('\n')) {
      const [name = '', others = ''] = line.split(': ');
      const country = zone === unitedKingdom.zone ? unitedKingdom : { name, zone };
      for (const alias of [name, ...others.split('; ')]) {
        const key = comparable(alias);
        if (key && !countries.has(key)) countries.set(key, country);
      }
    }
  }
  return countries;
}

let countries: ReadonlyMap<string, Country> | undefined;

export function findCountry(text: string): Country | undefined {
  if (text.length > maxNameLength || /[0-9]/.test(text)) return undefined;
  const key = comparable(text);
  if (!key) return undefined;
  countries ??= buildCountries();
  // The English and Welsh articles are optional: Gambia, Almaen, Swistir.
  return countries.get(key) ?? countries.get(`the${key}`) ?? countries.get(`yr${key}`) ?? countries.get(`y${key}`);
}
