import type { CountryProfile } from '../countries/profile.ts';
import { comparable, maxNameLength } from './countries.ts';
import { countryNames } from './country-names.ts';

/** A place named on the last line of an address. */
export interface Place {
  /** An ISO 3166-1 alpha-2 code; null for a part of a country without a code, such as Madeira. */
  region: string | null;
  /** The name as printed on letters. */
  name: string;
  isInEurope: boolean;
}

type NamedRegions = Pick<CountryProfile, 'languages'> & {
  address: Pick<CountryProfile['address'], 'homeNames' | 'countryLanguage'>;
};

/** Codes for groups of countries, tests and unknown regions. */
const noRegions = new Set(['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ']);

/** The table of names lists these as part of the United Kingdom, where they have domestic postage. */
const europeanIslands = ['CQ', 'GG', 'IM', 'JE'];

/** Retired codes still have names ("DD" is Germany), so only codes that a locale keeps as its own region count. */
function listRegions(): string[] {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => names.of(code) !== undefined && !noRegions.has(code))
    .filter((code) => new Intl.Locale(`und-${code}`).region === code);
}

interface TableRow {
  region: string | null;
  names: readonly string[];
  isInEurope: boolean;
}

/** Returns the table of English names and frequent misspellings by region. */
function readTable(regions: ReadonlySet<string>): TableRow[] {
  const english = new Intl.DisplayNames('en', { type: 'region' });
  const byName = new Map([...regions].map((code) => [comparable(english.of(code) ?? code), code]));
  return Object.entries(countryNames).flatMap(([zone, table]) =>
    table
      .trim()
      .split('\n')
      .map((line) => {
        const [name = '', others = ''] = line.split(': ');
        const all = [name, ...others.split('; ')];
        const region = byName.get(comparable(name)) ?? all.find((alias) => regions.has(alias)) ?? null;
        // Skips a code that belongs to another region: NI means Northern Ireland only in the United Kingdom.
        const names = all.filter((alias) => alias === region || !regions.has(alias));
        return { region, names, isInEurope: zone !== 'rest-of-world' };
      }),
  );
}

let known: { regions: string[]; table: TableRow[]; inEurope: ReadonlySet<string> } | undefined;

/** Cached: it is the same for every country and takes 2 ms. */
function knownRegions() {
  if (known) return known;
  const regions = listRegions();
  const table = readTable(new Set(regions));
  const european = table.flatMap(({ region, isInEurope }) => (isInEurope && region !== null ? [region] : []));
  known = { regions, table, inEurope: new Set([...european, ...europeanIslands]) };
  return known;
}

export function isInEurope(region: string): boolean {
  return knownRegions().inEurope.has(region);
}

/** Creates a function that finds the place a line names, in English or a language of the country. `home` is the country's own region. */
export function createPlaceFinder(home: string, { languages, address }: NamedRegions) {
  const { regions, table } = knownRegions();
  const { homeNames, countryLanguage } = address;
  const printed = new Intl.DisplayNames(countryLanguage, { type: 'region' });
  const places = new Map(
    regions.map((region) => [region, { region, name: printed.of(region) ?? region, isInEurope: isInEurope(region) }]),
  );
  const homePlace: Place = places.get(home) ?? { region: home, name: home, isInEurope: isInEurope(home) };
  const byName = new Map<string, Place>();
  const add = (name: string, place: Place) => {
    const key = comparable(name);
    if (key && !byName.has(key)) byName.set(key, place);
  };
  for (const name of homeNames) add(name, homePlace);
  for (const language of new Set([countryLanguage, ...languages, 'en'])) {
    for (const style of ['long', 'short'] as const) {
      const names = new Intl.DisplayNames(language, { type: 'region', style });
      for (const place of places.values()) add(names.of(place.region) ?? '', place);
    }
  }
  for (const place of places.values()) add(place.region, place);
  for (const { region, names, isInEurope } of table) {
    const place = (region === null ? undefined : places.get(region)) ?? { region, name: names[0] ?? '', isInEurope };
    for (const name of names) add(name, place);
  }
  return (text: string): Place | undefined => {
    if (text.length > maxNameLength || /[0-9]/.test(text)) return undefined;
    const key = comparable(text);
    return key ? (byName.get(key) ?? byName.get(`the${key}`)) : undefined;
  };
}
