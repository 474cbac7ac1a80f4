import libphonenumber from 'google-libphonenumber';
import { findInternationalRate } from './international-rates.ts';
import { removeWhitespace } from './whitespace.ts';

export interface PhoneNumber {
  /** With country code, digits only: `447700900123`. */
  normalised: string;
  /** As in the rates table: the country code, or `1` and the area code if that has its own rate. */
  countryPrefix: string;
  /** Charged as international. True for Jersey, Guernsey and the Isle of Man although they are +44. */
  international: boolean;
  crownDependency: boolean;
  ukLandline: boolean;
  /** Price of a message, in UK messages. */
  multiplier: number;
  receiptsHonoured: boolean;
  numericSenderOnly: boolean;
}

export type PhoneNumberReason =
  | 'invalid_number'
  | 'too_long'
  | 'too_short'
  | 'unknown_character'
  | 'unsupported_country_code';

type PhoneNumberResult = { ok: true; number: PhoneNumber } | { ok: false; reason: PhoneNumberReason };

export type PhonePermissionReason = 'international_not_allowed' | 'landline_not_allowed';

/** The properties shared by a range of numbers. */
type Range = Omit<PhoneNumber, 'normalised'>;
type Parsed = libphonenumber.PhoneNumber;

const { PhoneNumberFormat, PhoneNumberType, PhoneNumberUtil } = libphonenumber;
const { IS_POSSIBLE, IS_POSSIBLE_LOCAL_ONLY, INVALID_COUNTRY_CODE, TOO_LONG, TOO_SHORT } =
  PhoneNumberUtil.ValidationResult;
const { FIXED_LINE, FIXED_LINE_OR_MOBILE, MOBILE, PERSONAL_NUMBER, UAN } = PhoneNumberType;

const ukCode = '44';
// Far longer than any number with its spaces; longer input is rejected unread.
const maxInputLength = 1_000;
const landlineTypes: readonly number[] = [FIXED_LINE, FIXED_LINE_OR_MOBILE, UAN];
const acceptedTypes: readonly number[] = [...landlineTypes, MOBILE, PERSONAL_NUMBER];

const ukMobile: Range = {
  countryPrefix: ukCode,
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
// 07700 900xxx is reserved for drama and testing. The library considers it invalid and parts of 07700 as Jersey; here
// all of it counts as UK mobile.
const dramaRange = /^7700[0-9]{6}$/;

/** Parses what people type: UK numbers in any format, foreign ones even without + or 00. */
export function parsePhoneNumber(input: string): PhoneNumberResult {
  if (input.length > maxInputLength) return { ok: false, reason: 'too_long' };
  const text = removeWhitespace(input);
  return parseUkMobile(text) ?? parseWithLibrary(text);
}

/**
 * Why a service may not send to the number; undefined if it may. Crown dependencies need no international permission.
 */
export function checkPhonePermissions(
  number: PhoneNumber,
  allowed: { international: boolean; landline: boolean },
): PhonePermissionReason | undefined {
  if (isAbroad(number) && !allowed.international) return 'international_not_allowed';
  if (number.ukLandline && !allowed.landline) return 'landline_not_allowed';
  return undefined;
}

/** Crown dependencies have international prices but do not count towards the international limit. */
export function isAbroad(number: PhoneNumber): boolean {
  return number.countryPrefix !== ukCode;
}

// There are few senders, and each is formatted for every message: the library would take longer than the rest of the
// work.
const cachedSenders = new Map<string, string>();
const maxCachedSenders = 10_000;

/** The sender as passed to a provider: a phone number normalised, a name or short code unchanged. */
export function formatSmsSender(sender: string): string {
  const cached = cachedSenders.get(sender);
  if (cached !== undefined) return cached;
  const result = parsePhoneNumber(sender);
  const formatted = result.ok ? result.number.normalised : sender;
  if (cachedSenders.size >= maxCachedSenders) cachedSenders.clear();
  cachedSenders.set(sender, formatted);
  return formatted;
}

/**
 * A number of the platform as it is compared: people and providers write `+44`, `44`, `0044` or `0` for the same country. A
 * short code, or a number of a range that recipients cannot have, keeps its digits.
 */
export function normaliseOwnNumber(written: string): string {
  const result = parsePhoneNumber(written);
  if (result.ok) return result.number.normalised;
  const digits = removeWhitespace(written).replace(/[()-]/g, '');
  return digits.replace(/^(\+|00)/, '').replace(/^0/, ukCode);
}

// The library takes about 90 µs per number, this path under 1 µs. Whether a number is an ordinary UK mobile depends on
// its first five digits, so the library is called once per range; the cache holds at most 10,000.
const mobileRanges = new Set<string>();

function parseUkMobile(text: string): PhoneNumberResult | undefined {
  const national = ordinaryUkMobile.exec(text.replace(/[()-]/g, ''))?.[1];
  if (national === undefined) return undefined;
  const range = national.slice(0, 5);
  const normalised = ukCode + national;
  if (mobileRanges.has(range)) return { ok: true, number: { normalised, ...ukMobile } };

  const result = parseWithLibrary(text);
  if (result.ok && result.number.normalised === normalised && !result.number.international) mobileRanges.add(range);
  return result;
}

/** Without the fast path for UK mobiles; exported so that a test can compare the two. */
export function parseWithLibrary(text: string): PhoneNumberResult {
  let outcome = attempt(text);
  // A second attempt for nearly correct input: +07700..., 0+44..., dashes from a word processor.
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
    // Spreadsheets drop leading + and 00: not a UK number, so perhaps a foreign one.
    parsed = tryParse(`+${text}`);
    if (!parsed || !util.isPossibleNumber(parsed)) return reasonForLength(length);
  }
  if (isDramaNumber(parsed)) return parsed;
  const accepted = util.isValidNumber(parsed) && acceptedTypes.includes(util.getNumberType(parsed));
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
  // "Local only": the area code is missing.
  if (length === TOO_SHORT || length === IS_POSSIBLE_LOCAL_ONLY) return 'too_short';
  return length === INVALID_COUNTRY_CODE ? 'unsupported_country_code' : 'invalid_number';
}

function describeRange(parsed: Parsed): Range | undefined {
  const util = PhoneNumberUtil.getInstance();
  const countryCode = String(parsed.getCountryCode());
  const international = !isDramaNumber(parsed) && util.getRegionCodeForNumber(parsed) !== 'GB';
  const ukLandline = countryCode === ukCode && landlineTypes.includes(util.getNumberType(parsed));
  if (!international) return { ...ukMobile, ukLandline };
  const areaPrefix = toDigits(parsed).slice(0, 4);
  const countryPrefix = countryCode === '1' && findInternationalRate(areaPrefix) ? areaPrefix : countryCode;
  const rate = findInternationalRate(countryPrefix);
  return rate && { countryPrefix, international, crownDependency: countryCode === ukCode, ukLandline, ...rate };
}

function isDramaNumber(parsed: Parsed): boolean {
  return String(parsed.getCountryCode()) === ukCode && dramaRange.test(String(parsed.getNationalNumber()));
}

function toDigits(parsed: Parsed): string {
  return PhoneNumberUtil.getInstance().format(parsed, PhoneNumberFormat.E164).slice(1);
}
