import { collapseWhitespace } from '../protocol/whitespace.ts';
import { type Country, findCountry, type PostageZone, unitedKingdom } from './countries.ts';
import { removeWhitespace, splitLines } from './whitespace.ts';

/** An address as parsed and printed. It may be undeliverable: see `checkPostalAddress`. */
export interface PostalAddress {
  lines: readonly string[];
  /** `home` is the installation's country, if that is not the United Kingdom. */
  zone: PostageZone | 'home';
  international: boolean;
  /** An ISO 3166-1 alpha-2 code, if known. */
  country: string | null;
  postcode: string | null;
  /** Whether it has a postcode without a town next to it. */
  lacksTown: boolean;
  bfpoNumber: number | null;
}

/** Names as in the report about an uploaded letter, which has more reasons than the API's messages. */
const reasons = [
  'address-is-empty',
  'not-enough-address-lines',
  'too-many-address-lines',
  'invalid-address-line-1-or-2',
  'has-country-for-bfpo-address',
  'cant-send-international-letters',
  'not-a-real-uk-postcode',
  'not-a-real-uk-postcode-or-country',
  'no-town-beside-postcode',
  'invalid-char-in-address',
  'no-fixed-abode-address',
] as const;

export type PostalAddressReason = (typeof reasons)[number];

export function isAddressReason(reason: string | undefined): reason is PostalAddressReason {
  return reasons.some((known) => known === reason);
}

const minLines = 3;
const maxLines = 7;
// An address with more lines is rejected anyway, so the rest is not read.
const maxReadLines = 100;

const bfpo = /^bfpo ?(?:c\/o)? ?([0-9]{1,6})?$/i;
const alphanumeric = /[a-z0-9]/i;
export const forbiddenStart = /^[@()=[\]"”\\/,<>~]/;
const noFixedAbode = /^nfa$|no fixed (?:abode|address)/i;

/** Parses an address from its lines; a line with line breaks counts as several. */
export function parsePostalAddress(rawLines: readonly string[]): PostalAddress {
  const { bfpoNumber, lines } = extractBfpo(cleanLines(rawLines));
  const country = extractCountry(lines);
  const international = country.zone !== 'united-kingdom';
  const postcode = international ? undefined : parsePostcode(lines.at(-1) ?? '');
  if (postcode) lines.splice(-1, 1, postcode);
  if (bfpoNumber !== null) lines.push(`BFPO ${bfpoNumber}`);
  if (international) lines.push(country.name);
  return {
    lines,
    zone: country.zone,
    international,
    country: international ? null : 'GB',
    postcode: postcode ?? null,
    lacksTown: false,
    bfpoNumber,
  };
}

/** Returns the first reason why a letter cannot be sent there; undefined if it can. */
export function checkPostalAddress(
  address: PostalAddress,
  allowed: { international: boolean },
): PostalAddressReason | undefined {
  return postalAddressReasons(address, allowed).next().value;
}

/** Yields every reason why a letter cannot be sent there. */
export function* postalAddressReasons(
  { lines, international, postcode, bfpoNumber }: PostalAddress,
  allowed: { international: boolean },
): Generator<PostalAddressReason, undefined> {
  if (lines.length === 0) yield 'address-is-empty';
  if (lines.length < minLines) yield 'not-enough-address-lines';
  if (lines.length > maxLines) yield 'too-many-address-lines';
  if (!lines.slice(0, 2).every((line) => alphanumeric.test(line))) yield 'invalid-address-line-1-or-2';
  if (bfpoNumber !== null && international) yield 'has-country-for-bfpo-address';
  if (international && !allowed.international) yield 'cant-send-international-letters';
  if (!international && bfpoNumber === null && postcode === null) {
    yield allowed.international ? 'not-a-real-uk-postcode-or-country' : 'not-a-real-uk-postcode';
  }
  if (lines.some((line) => forbiddenStart.test(line))) yield 'invalid-char-in-address';
  if (lines.some((line) => noFixedAbode.test(line))) yield 'no-fixed-abode-address';
}

/** Returns the address lines in the personalisation of a letter. `address_line_7`, if given, replaces the postcode. */
export function addressLinesFromPersonalisation(personalisation: Readonly<Record<string, unknown>>): string[] {
  const last = Object.hasOwn(personalisation, 'address_line_7') ? 'address_line_7' : 'postcode';
  return [1, 2, 3, 4, 5, 6]
    .map((number) => `address_line_${number}`)
    .concat(last)
    .map((key) => (Object.hasOwn(personalisation, key) ? asText(personalisation[key]) : ''));
}

function asText(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => (Array.isArray(item) ? '' : asText(item))).join('\n');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

export function cleanLines(rawLines: readonly string[]): string[] {
  const lines: string[] = [];
  for (const rawLine of rawLines.flatMap(splitLines)) {
    const line = withoutTrailingCommas(collapseWhitespace(rawLine)).replace(/ ([,.])/g, '$1');
    if (line !== '') lines.push(line);
    if (lines.length === maxReadLines) break;
  }
  return lines;
}

// Not a regular expression: /[ ,]+$/ takes quadratic time on a long run of commas that is not at the end.
export function withoutTrailingCommas(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === ',')) end -= 1;
  return line.slice(0, end);
}

// British Forces Post Office: a number replaces the town. A line with only "BFPO" is meaningful only next to a number.
function extractBfpo(lines: string[]): { bfpoNumber: number | null; lines: string[] } {
  const number = lines.map((line) => bfpo.exec(line)?.[1]).find((digits) => digits !== undefined);
  if (number === undefined) return { bfpoNumber: null, lines };
  return { bfpoNumber: Number(number), lines: lines.filter((line) => !bfpo.test(line)) };
}

// Removes the country from the end. "Scotland, United Kingdom" names the same country twice: removes all such lines.
function extractCountry(lines: string[]): Country {
  const country = findCountry(lines.at(-1) ?? '');
  if (!country) return unitedKingdom;
  lines.pop();
  if (country === unitedKingdom) while (findCountry(lines.at(-1) ?? '') === unitedKingdom) lines.pop();
  return country;
}

// Every area that Royal Mail delivers to, including the Crown dependencies (GY, IM, JE) and forces post (BF). Not included: GIR, whose only
// postcode was that of a bank that closed in 2003, and Gibraltar's GX.
const areas = `AB AL B BA BB BD BF BH BL BN BR BS BT BX CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH
  EN EX FK FY G GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML N NE NG
  NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W
  WA WC WD WF WN WR WS WV YO ZE`;

// The last two letters are never C, I, K, M, O or V, which are easily misread.
const pattern = new RegExp(
  `^(?:${areas.split(/\s+/).join('|')})[0-9][0-9A-Z]?[0-9][ABD-HJLNP-UW-Z]{2}$`,
  // Without the u flag, so that no letter outside ASCII (the long s, the Kelvin sign) matches an ASCII letter.
  'i',
);

// Allows for stray whitespace; longer input is rejected without parsing.
const maxInputLength = 100;

/** Returns the postcode in the format for sorting machines, `SW1A 1AA`; undefined if the text is not a UK postcode. */
export function parsePostcode(text: string): string | undefined {
  if (text.length > maxInputLength) return undefined;
  const compact = removeWhitespace(text);
  if (!pattern.test(compact)) return undefined;
  const postcode = compact.toUpperCase();
  return `${postcode.slice(0, -3)} ${postcode.slice(-3)}`;
}
