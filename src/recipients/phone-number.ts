import libphonenumber from 'google-libphonenumber';
import { findInternationalRate } from './international-rates.ts';
import { removeWhitespace } from './whitespace.ts';

export type PhoneNumber = {
  /** With country code, digits only: `447700900123`. */
  normalised: string;
  /** As in the rates table: the country code, or `1` and the area code where that has a rate of its own. */
  countryPrefix: string;
  /** Priced as abroad. True for Jersey, Guernsey and the Isle of Man although they are +44. */
  international: boolean;
  crownDependency: boolean;
  ukLandline: boolean;
  /** Price of a message there, in UK messages. */
  multiplier: number;
  receiptsHonoured: boolean;
  numericSenderOnly: boolean;
};

export type PhoneNumberReason =
  | 'invalid_number'
  | 'too_long'
  | 'too_short'
  | 'unknown_character'
  | 'unsupported_country_code';

type PhoneNumberResult = { ok: true; number: PhoneNumber } | { ok: false; reason: PhoneNumberReason };

export type PhonePermissionReason = 'international_not_allowed' | 'landline_not_allowed';

/** All that a range of numbers has in common. */
type Range = Omit<PhoneNumber, 'normalised'>;
type Parsed = libphonenumber.PhoneNumber;

const { PhoneNumberFormat, PhoneNumberType, PhoneNumberUtil } = libphonenumber;
const { IS_POSSIBLE, IS_POSSIBLE_LOCAL_ONLY, INVALID_COUNTRY_CODE, TOO_LONG, TOO_SHORT } =
  PhoneNumberUtil.ValidationResult;
const { FIXED_LINE, FIXED_LINE_OR_MOBILE, MOBILE, PERSONAL_NUMBER, UAN } = PhoneNumberType;

const UK = '44';
// Far beyond any number with its spaces; what is longer is not worth the time to read it.
const MAX_INPUT = 1_000;
const LANDLINE_TYPES: readonly number[] = [FIXED_LINE, FIXED_LINE_OR_MOBILE, UAN];
const ACCEPTED_TYPES: readonly number[] = [...LANDLINE_TYPES, MOBILE, PERSONAL_NUMBER];

const UK_MOBILE: Range = {
  countryPrefix: UK,
  international: false,
  crownDependency: false,
  ukLandline: false,
  multiplier: 1,
  receiptsHonoured: true,
  numericSenderOnly: false,
};

const acceptedCharacters = /^[0-9()+-]*$/;
const dashes = /[\p{Pd}\u2212]/gu;
const ordinaryUkMobile = /^(?:(?:\+|00)?440?|0)?(7[0-9]{9})$/;
// 07700 900xxx is set aside for drama and for trying things out. The library takes it for invalid and parts of 07700
// for Jersey; here all of it counts as UK mobile.
const dramaRange = /^7700[0-9]{6}$/;

/** Understands what people type: UK numbers however they are written, foreign ones even without + or 00. */
export function parsePhoneNumber(input: string): PhoneNumberResult {
  if (input.length > MAX_INPUT) return { ok: false, reason: 'too_long' };
  const text = removeWhitespace(input);
  return parseUkMobile(text) ?? parseWithLibrary(text);
}

/** Why a service may not send there; undefined when it may. Crown dependencies need no international permission. */
export function checkPhonePermissions(
  number: PhoneNumber,
  allowed: { international: boolean; landline: boolean },
): PhonePermissionReason | undefined {
  if (number.countryPrefix !== UK && !allowed.international) return 'international_not_allowed';
  if (number.ukLandline && !allowed.landline) return 'landline_not_allowed';
  return undefined;
}

// Senders are few, and each is asked for with every message: the library would take longer than the rest of the message.
const knownSenders = new Map<string, string>();
const MAX_KNOWN_SENDERS = 10_000;

/** The sender a provider is given: a phone number normalised, a name or short code as it stands. */
export function formatSmsSender(sender: string): string {
  const known = knownSenders.get(sender);
  if (known !== undefined) return known;
  const result = parsePhoneNumber(sender);
  const formatted = result.ok ? result.number.normalised : sender;
  if (knownSenders.size >= MAX_KNOWN_SENDERS) knownSenders.clear();
  knownSenders.set(sender, formatted);
  return formatted;
}

/** For people to read: `07700 900123`, `+1 202-555-0104`. */
export function formatPhoneNumber(number: PhoneNumber): string {
  const parsed = tryParse(`+${number.normalised}`);
  if (!parsed) return number.normalised;
  const { INTERNATIONAL, NATIONAL } = PhoneNumberFormat;
  return PhoneNumberUtil.getInstance().format(parsed, number.countryPrefix === UK ? NATIONAL : INTERNATIONAL);
}

// The library takes about 90 µs a number, this path under 1 µs. Whether a number is an ordinary UK mobile depends on the
// five digits that begin it, so the library is asked once for each such range; at most 10,000 can ever be kept.
const knownRanges = new Set<string>();

function parseUkMobile(text: string): PhoneNumberResult | undefined {
  const national = ordinaryUkMobile.exec(text.replace(/[()-]/g, ''))?.[1];
  if (national === undefined) return undefined;
  const range = national.slice(0, 5);
  const normalised = UK + national;
  if (knownRanges.has(range)) return { ok: true, number: { normalised, ...UK_MOBILE } };

  const result = parseWithLibrary(text);
  if (result.ok && result.number.normalised === normalised && !result.number.international) knownRanges.add(range);
  return result;
}

/** Without the short cut for UK mobiles; exported so that a test can hold the two against each other. */
export function parseWithLibrary(text: string): PhoneNumberResult {
  let outcome = attempt(text);
  // A second chance for what is nearly right: +07700..., 0+44..., dashes from a word processor.
  if (typeof outcome === 'string') outcome = attempt(text.replaceAll('+', '').replace(/^0+/, '').replace(dashes, '-'));
  if (typeof outcome === 'string') return { ok: false, reason: outcome };
  const range = describeRange(outcome);
  if (!range) return { ok: false, reason: 'unsupported_country_code' };
  return { ok: true, number: { normalised: toDigits(outcome), ...range } };
}

function attempt(text: string): Parsed | PhoneNumberReason {
  if (!acceptedCharacters.test(text)) return 'unknown_character';
  if (text === '') return 'too_short';
  let parsed = tryParse(text);
  if (!parsed) return 'invalid_number';
  const util = PhoneNumberUtil.getInstance();
  const length = util.isPossibleNumberWithReason(parsed);
  if (length !== IS_POSSIBLE) {
    // Spreadsheets take + and 00 off the front: not a UK number, so perhaps a foreign one.
    parsed = tryParse(`+${text}`);
    if (!parsed || !util.isPossibleNumber(parsed)) return reasonForLength(length);
  }
  if (isDramaNumber(parsed)) return parsed;
  const accepted = util.isValidNumber(parsed) && ACCEPTED_TYPES.includes(util.getNumberType(parsed));
  return accepted ? parsed : 'invalid_number';
}

function tryParse(text: string): Parsed | undefined {
  try {
    return PhoneNumberUtil.getInstance().parse(text, 'GB');
  } catch {
    return undefined;
  }
}

function reasonForLength(length: libphonenumber.PhoneNumberUtil.ValidationResult): PhoneNumberReason {
  if (length === TOO_LONG) return 'too_long';
  // "Local only": the number lacks its area code.
  if (length === TOO_SHORT || length === IS_POSSIBLE_LOCAL_ONLY) return 'too_short';
  return length === INVALID_COUNTRY_CODE ? 'unsupported_country_code' : 'invalid_number';
}

function describeRange(parsed: Parsed): Range | undefined {
  const util = PhoneNumberUtil.getInstance();
  const countryCode = String(parsed.getCountryCode());
  const international = !isDramaNumber(parsed) && util.getRegionCodeForNumber(parsed) !== 'GB';
  const ukLandline = countryCode === UK && LANDLINE_TYPES.includes(util.getNumberType(parsed));
  if (!international) return { ...UK_MOBILE, ukLandline };
  const areaPrefix = toDigits(parsed).slice(0, 4);
  const countryPrefix = countryCode === '1' && findInternationalRate(areaPrefix) ? areaPrefix : countryCode;
  const rate = findInternationalRate(countryPrefix);
  return rate && { countryPrefix, international, crownDependency: countryCode === UK, ukLandline, ...rate };
}

function isDramaNumber(parsed: Parsed): boolean {
  return String(parsed.getCountryCode()) === UK && dramaRange.test(String(parsed.getNationalNumber()));
}

function toDigits(parsed: Parsed): string {
  return PhoneNumberUtil.getInstance().format(parsed, PhoneNumberFormat.E164).slice(1);
}
