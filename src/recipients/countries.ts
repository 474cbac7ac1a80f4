import { COUNTRY_NAMES } from './country-names.ts';

export type PostageZone = keyof typeof COUNTRY_NAMES;

/** `name` is what is printed on the letter, whatever the sender wrote. */
export type Country = { name: string; zone: PostageZone };

export const UNITED_KINGDOM: Country = { name: 'United Kingdom', zone: 'united-kingdom' };

// No name in the table comes near this; it keeps the cost of a hostile line small.
const LONGEST_NAME = 200;

// What people leave out or mix up; \p{Cf} are marks of writing direction and joiners.
const dropped = /[\s_\-'’‘ʼ,.()\p{Cf}]/gu;
const accents = /\p{M}/gu;
const onlyAscii = /^\p{ASCII}*$/u;

function comparable(name: string): string {
  const plain = name.normalize('NFC').replace(/[&+]/g, 'and').replace(dropped, '').toLowerCase();
  const unaccented = plain.normalize('NFD').replace(accents, '');
  // In other scripts the marks are part of the word.
  return onlyAscii.test(unaccented) ? unaccented : plain;
}

function buildCountries(): ReadonlyMap<string, Country> {
  const countries = new Map<string, Country>();
  for (const [zone, table] of Object.entries(COUNTRY_NAMES) as [PostageZone, string][]) {
    for (const line of table.trim().split('\n')) {
      const [name = '', others = ''] = line.split(': ');
      const country = zone === UNITED_KINGDOM.zone ? UNITED_KINGDOM : { name, zone };
      for (const known of [name, ...others.split('; ')]) {
        const key = comparable(known);
        if (key && !countries.has(key)) countries.set(key, country);
      }
    }
  }
  return countries;
}

let countries: ReadonlyMap<string, Country> | undefined;

export function findCountry(text: string): Country | undefined {
  if (text.length > LONGEST_NAME || /[0-9]/.test(text)) return undefined;
  const key = comparable(text);
  if (!key) return undefined;
  countries ??= buildCountries();
  // The English and Welsh articles may be left out: Gambia, Almaen, Swistir.
  return countries.get(key) ?? countries.get(`the${key}`) ?? countries.get(`yr${key}`) ?? countries.get(`y${key}`);
}
