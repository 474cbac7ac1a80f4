import { homePostage, postageAbroad } from '../countries/postage.ts';
import type { CountryProfile } from '../countries/profile.ts';
import { collapseWhitespace } from '../protocol/whitespace.ts';
import { comparable } from './countries.ts';
import {
  checkPostalAddress,
  cleanLines,
  forbiddenStart,
  type PostalAddress,
  type PostalAddressReason,
  parsePostalAddress,
  postalAddressReasons,
} from './postal-address.ts';
import { createPlaceFinder, type Place } from './regions.ts';
import { createPostcodeReader, createTownLineReader, type ReadLines } from './town-line.ts';

/** The part of a country profile that address rules depend on. */
export type AddressCountry = Pick<CountryProfile, 'code' | 'locale' | 'languages' | 'address' | 'postage' | 'words'>;

interface Allowed {
  international: boolean;
}

/** How addresses are read and checked in one country. */
export interface AddressRules {
  /** Parses lines; a line with line breaks counts as several. */
  parse(lines: readonly string[]): PostalAddress;
  /** Yields every reason why a letter cannot be sent there. */
  reasons(address: PostalAddress, allowed: Allowed): Iterable<PostalAddressReason>;
  /** Returns the first reason; undefined if a letter can be sent. */
  check(address: PostalAddress, allowed: Allowed): PostalAddressReason | undefined;
  /** Returns the postage class of a letter there: the address determines it abroad, the sender at home. */
  postage(address: PostalAddress, requested: string | null | undefined): string;
  /** Splits a line for searches: a postcode and a town on one line are separate parts. */
  split(line: string): string[];
  /** Whether the number of lines is that of a complete address. */
  isWhole(lines: readonly string[]): boolean;
}

const compiled = new WeakMap<object, AddressRules>();

/** Returns the rules of a country, compiled once. */
export function addressRules(country: AddressCountry): AddressRules {
  const known = compiled.get(country);
  if (known) return known;
  const rules = country.address.rules === 'gb' ? protocolRules(country) : postcodeRules(country);
  compiled.set(country, rules);
  return rules;
}

/** The rules of the protocol are those of the United Kingdom. */
function protocolRules({ address: { lines: limits }, postage }: AddressCountry): AddressRules {
  return {
    parse: parsePostalAddress,
    reasons: postalAddressReasons,
    check: checkPostalAddress,
    // For a domestic address the request is used as it is, even if it is an international class.
    postage: (address, requested) => classAbroad(postage, address) ?? requested ?? postage.default,
    split: (line) => [line],
    isWhole: ({ length }) => length >= limits.min && length <= limits.max,
  };
}

function classAbroad(postage: CountryProfile['postage'], { international, country, zone }: PostalAddress) {
  return international ? postageAbroad(postage, { country, isInEurope: zone === 'europe' }) : undefined;
}

const letterOrDigit = /[\p{L}\p{N}]/u;

function postcodeRules(country: AddressCountry): AddressRules {
  const { address: data, postage } = country;
  const { lines: limits, postcode } = data;
  const home = homeRegion(country);
  const takePlace = createPlaceTaker(home, country);
  const { readTown, splitTownLine } =
    postcode === null ? withoutPostcodes : createTownLineReader({ ...data, postcode });
  const refused = data.refused.map((pattern) => new RegExp(pattern));
  const isRefused = (line: string) => refused.some((pattern) => pattern.test(line.toLowerCase()));

  function parse(rawLines: readonly string[]): PostalAddress {
    const lines = cleanLines(rawLines);
    const abroad = takePlace(lines);
    if (abroad) {
      return {
        lines: [...lines, abroad.name],
        zone: abroad.isInEurope ? 'europe' : 'rest-of-world',
        international: true,
        country: abroad.region,
        postcode: null,
        lacksTown: false,
        bfpoNumber: null,
      };
    }
    return { zone: 'home', international: false, country: home, bfpoNumber: null, ...readTown(lines) };
  }

  function* reasons(address: PostalAddress, allowed: Allowed): Generator<PostalAddressReason, undefined> {
    const { lines, international } = address;
    if (lines.length === 0) yield 'address-is-empty';
    if (lines.length < limits.min) yield 'not-enough-address-lines';
    if (lines.length > limits.max) yield 'too-many-address-lines';
    if (!lines.slice(0, 2).every((line) => letterOrDigit.test(line))) yield 'invalid-address-line-1-or-2';
    const canGoAbroad = allowed.international && classAbroad(postage, address) !== undefined;
    if (international && !canGoAbroad) yield 'cant-send-international-letters';
    if (address.lacksTown) yield 'no-town-beside-postcode';
    if (!international && postcode?.required && address.postcode === null) {
      yield allowed.international ? 'not-a-real-uk-postcode-or-country' : 'not-a-real-uk-postcode';
    }
    if (lines.some((line) => forbiddenStart.test(line))) yield 'invalid-char-in-address';
    if (lines.some(isRefused)) yield 'no-fixed-abode-address';
  }

  return {
    parse,
    reasons,
    check: (address, allowed) => reasons(address, allowed).next().value,
    postage: (address, requested) => classAbroad(postage, address) ?? homePostage(postage, requested),
    split: (line) => splitTownLine(collapseWhitespace(line)) ?? [line],
    isWhole: ({ length }) => length >= limits.min && length <= limits.max,
  };
}

const withoutPostcodes = {
  readTown: (lines: readonly string[]): ReadLines => ({ lines: [...lines], postcode: null, lacksTown: false }),
  splitTownLine: () => undefined,
};

/** A custom country has a name instead of a code, so the region of its locale is used. */
function homeRegion({ code, locale }: AddressCountry): string {
  return /^[a-z]{2}$/.test(code) ? code.toUpperCase() : (new Intl.Locale(locale).region ?? '');
}

/**
 * Removes the country from the end of an address. Removes all lines that name the home country, or one that names another country, which it
 * returns.
 */
function createPlaceTaker(home: string, country: AddressCountry) {
  const findPlace = createPlaceFinder(home, country);
  const { postcode, alsoPlaces = [] } = country.address;
  const atHome = new Set(alsoPlaces.map(comparable));
  const { readPostcode } = postcode ? createPostcodeReader(postcode) : { readPostcode: () => undefined };

  /** After an American postcode, Georgia is the state. A two-letter code that is also a state is never a country. */
  function isBelieved(line: string, above: string): boolean {
    const name = comparable(line);
    if (!atHome.has(name)) return true;
    return name.length > 2 && readPostcode(above.split(' ').at(-1) ?? '') === undefined;
  }

  return (lines: string[]): Place | undefined => {
    const line = lines.at(-1) ?? '';
    const place = findPlace(line);
    if (!place) return undefined;
    if (place.region !== home) {
      if (!isBelieved(line, lines.at(-2) ?? '')) return undefined;
      lines.pop();
      return place;
    }
    while (findPlace(lines.at(-1) ?? '')?.region === home) lines.pop();
    return undefined;
  };
}
