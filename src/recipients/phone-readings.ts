import libphonenumber from 'google-libphonenumber';
import type { PhoneRules } from '../countries/phone-rules.ts';

/** How a country interprets a number as typed: the strategies for `rescue` in its profile. */

export type PhoneNumberReason =
  | 'invalid_number'
  | 'too_long'
  | 'too_short'
  | 'unknown_character'
  | 'unsupported_country_code';

/** A number that the library has parsed. */
export type ParsedNumber = libphonenumber.PhoneNumber;
type Reading = ParsedNumber | PhoneNumberReason;

const { PhoneNumberFormat, PhoneNumberType, PhoneNumberUtil } = libphonenumber;
const { IS_POSSIBLE, IS_POSSIBLE_LOCAL_ONLY, INVALID_COUNTRY_CODE, TOO_LONG, TOO_SHORT } =
  PhoneNumberUtil.ValidationResult;

const acceptedCharacters = /^[0-9()+-]*$/;
const dashes = /[\p{Pd}\u2212]/gu;
const typeNames = new Map(Object.entries(PhoneNumberType).map(([name, type]) => [Number(type), name]));
/** In some countries, mobiles and landlines cannot be distinguished. */
const mobileTypes: readonly string[] = ['MOBILE', 'FIXED_LINE_OR_MOBILE', 'PERSONAL_NUMBER'];
/** The region to pass to the library for a number with country code. */
const noRegion = 'ZZ';

export function readNumber(rules: PhoneRules, text: string): Reading {
  return rules.profile.rescue === 'strict' ? readStrictly(rules, text) : readFirstFit(rules, text);
}

/** Returns the digits with country code. */
export function toDigits(parsed: ParsedNumber): string {
  return PhoneNumberUtil.getInstance().format(parsed, PhoneNumberFormat.E164).slice(1);
}

export function typeOf(parsed: ParsedNumber): string {
  return typeNames.get(PhoneNumberUtil.getInstance().getNumberType(parsed)) ?? 'UNKNOWN';
}

/**
 * Returns only a number whose digits are those typed, with or without the country code; a wrong number stays wrong. If national numbers may
 * have any length, another reading of the digits may be a stranger's number: in Germany, +49 1512345 would become 0491 512345.
 */
function readStrictly(rules: PhoneRules, text: string): Reading {
  const written = text.replace(dashes, '-');
  if (!acceptedCharacters.test(written)) return 'unknown_character';
  if (written === '') return 'too_short';
  const number = repair(written.replace(/[()-]/g, ''));
  if (!/^\+?[0-9]+$/.test(number) || rules.isEmergencyNumber(number)) return 'invalid_number';
  if (number.startsWith('+')) return readAs(rules, number, noRegion);
  const national = readAs(rules, number, rules.region);
  if (number.startsWith('0')) return national;
  // Spreadsheets drop the + and the leading 0, so both readings are possible.
  const valid = [national, readAs(rules, `+${number}`, noRegion)].filter((reading) => typeof reading !== 'string');
  return valid.find((reading) => isMobile(rules, reading)) ?? valid[0] ?? national;
}

/** Corrects 0+49... and +0151... */
function repair(number: string): string {
  return /^0*\++[1-9]/.test(number) ? number.replace(/^0*\++/, '+') : number.replace(/^\++(?=0)/, '');
}

function readAs(rules: PhoneRules, number: string, region: string): Reading {
  const parsed = tryParse(number, region);
  if (!parsed || isOtherNumber(parsed, number, region)) return 'invalid_number';
  if (rules.isTestNumber(toDigits(parsed))) return parsed;
  const length = PhoneNumberUtil.getInstance().isPossibleNumberWithReason(parsed);
  if (length !== IS_POSSIBLE) return reasonForLength(length);
  return isAccepted(rules, parsed) ? parsed : 'invalid_number';
}

/**
 * Whether the library has changed a foreign number into another one: for some countries it adds an area code, and it reads 0016, which is
 * 00 and a North American number, as the exit code of an Australian network.
 */
function isOtherNumber(parsed: ParsedNumber, number: string, region: string): boolean {
  const util = PhoneNumberUtil.getInstance();
  const code = parsed.getCountryCode();
  if (code === util.getCountryCodeForRegion(region)) return false;
  const exitCode = number.startsWith('+') ? '+' : exitCodeOf(region, parsed);
  const hasExitCode = exitCode === '' || number.startsWith(`${exitCode}${code}`);
  return !hasExitCode || !number.endsWith(util.getNationalSignificantNumber(parsed));
}

/** Returns an empty string for a country with several exit codes and no usual one. */
function exitCodeOf(region: string, abroad: ParsedNumber): string {
  const dialled = PhoneNumberUtil.getInstance()
    .formatOutOfCountryCallingNumber(abroad, region)
    .replace(/[^0-9]/g, '');
  return dialled.slice(0, -toDigits(abroad).length);
}

function isMobile(rules: PhoneRules, parsed: ParsedNumber): boolean {
  return mobileTypes.includes(typeOf(parsed)) || rules.isTestNumber(toDigits(parsed));
}

/** Tries one reading after the other, which is safe only if all national numbers have the same length. */
function readFirstFit(rules: PhoneRules, text: string): Reading {
  const first = attempt(rules, text);
  if (typeof first !== 'string') return first;
  // A second attempt for nearly correct input: +07700..., 0+44..., dashes from a word processor.
  return attempt(rules, text.replaceAll('+', '').replace(/^0+/, '').replace(dashes, '-'));
}

function attempt(rules: PhoneRules, text: string): Reading {
  if (!acceptedCharacters.test(text)) return 'unknown_character';
  if (text === '') return 'too_short';
  let parsed = tryParse(text, rules.region);
  if (!parsed) return 'invalid_number';
  const util = PhoneNumberUtil.getInstance();
  const length = util.isPossibleNumberWithReason(parsed);
  if (length !== IS_POSSIBLE) {
    // Spreadsheets drop leading + and 00: not a number of this country, so perhaps a foreign one.
    parsed = tryParse(`+${text}`, rules.region);
    if (!parsed || !util.isPossibleNumber(parsed)) return reasonForLength(length);
  }
  if (rules.isTestNumber(toDigits(parsed))) return parsed;
  return isAccepted(rules, parsed) ? parsed : 'invalid_number';
}

function isAccepted(rules: PhoneRules, parsed: ParsedNumber): boolean {
  return PhoneNumberUtil.getInstance().isValidNumber(parsed) && rules.isAccepted(typeOf(parsed));
}

function tryParse(text: string, region: string): ParsedNumber | undefined {
  try {
    return PhoneNumberUtil.getInstance().parse(text, region);
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
