import libphonenumber from 'google-libphonenumber';
import type { InternationalRate, PhoneRules, RatesAbroad } from '../countries/phone-rules.ts';
import { findInternationalRate } from './international-rates.ts';
import { type ParsedNumber, type PhoneNumberReason, readNumber, toDigits, typeOf } from './phone-readings.ts';
import { removeWhitespace } from './whitespace.ts';

export type { PhoneNumberReason } from './phone-readings.ts';

/** A phone number, and how the sending country treats it. */
export interface PhoneNumber {
  /** Digits with country code: `447700900123`. */
  normalised: string;
  /** The region of the number, such as `GB`; test numbers have the home region. */
  region: string;
  /** The key in the rates table: the country code, or `1` and the area code if that has its own rate. */
  countryPrefix: string;
  /** Whether it is charged as international. True for Jersey, Guernsey and the Isle of Man although they are +44. */
  international: boolean;
  /** Whether it needs the permission for international numbers and counts towards that limit. False for near regions. */
  abroad: boolean;
  /** Whether it needs the permission for landlines. */
  landline: boolean;
  /** The price of a message, as a multiple of a domestic one. */
  multiplier: number;
  receiptsHonoured: boolean;
  numericSenderOnly: boolean;
}

type PhoneNumberResult =
  | { ok: true; number: PhoneNumber }
  | {
      ok: false;
      reason: PhoneNumberReason;
      /** The country code of a valid number in a country that we do not send to. */
      unsupportedCode?: string;
    };

export type PhonePermissionReason = 'international_not_allowed' | 'landline_not_allowed';

const { PhoneNumberFormat, PhoneNumberUtil } = libphonenumber;

// Far longer than any number with spaces; longer input is rejected without parsing.
const maxInputLength = 1_000;
const ordinaryUkMobile = /^(?:(?:\+|00)?440?|0)?(7[0-9]{9})$/;

/** Parses what people type: domestic numbers in any format, and foreign numbers even without + or 00. */
export function parsePhoneNumber(rules: PhoneRules, input: string): PhoneNumberResult {
  if (input.length > maxInputLength) return { ok: false, reason: 'too_long' };
  const text = removeWhitespace(input);
  return rules.first ? parseAfter(rules.first, rules, withoutDots(text)) : parseAlone(rules, text);
}

function parseAlone(rules: PhoneRules, text: string): PhoneNumberResult {
  return parseUkMobile(rules, text) ?? parseWithLibrary(rules, text);
}

/**
 * If `first` can read the number without its country code, its reading is used, but `rules` determines the price. Numbers with the country
 * code of `first` must be valid there, and those that are domestic or near there need no permission.
 */
function parseAfter(first: PhoneRules, rules: PhoneRules, text: string): PhoneNumberResult {
  const code = codeOf(first);
  const isSame = first.region === rules.region;
  const asFirst = text.startsWith('+') ? undefined : parseAlone(isSame ? rules : first, text);
  const national = asFirst?.ok && asFirst.number.normalised.startsWith(code) ? asFirst : undefined;
  // Such a number must be a domestic one, even though foreign numbers without + are accepted elsewhere.
  if (isSame && asFirst) return national ?? { ok: false, reason: asFirst.ok ? 'invalid_number' : asFirst.reason };
  const result = parseAlone(rules, national ? `+${national.number.normalised}` : text);
  if (isSame || !result.ok || !result.number.normalised.startsWith(code)) return result;
  const there = national ?? parseAlone(first, `+${result.number.normalised}`);
  if (!there.ok) return there;
  return { ok: true, number: { ...result.number, abroad: result.number.abroad && there.number.abroad } };
}

/** North Americans write numbers with dots: 613.253.2222. */
function withoutDots(text: string): string {
  return text.replace(/(?<=[0-9)])\.(?=[0-9])/g, '');
}

function codeOf({ region }: PhoneRules): string {
  return String(PhoneNumberUtil.getInstance().getCountryCodeForRegion(region));
}

/** Returns why a service may not send to the number, or undefined if it may. */
export function checkPhonePermissions(
  number: PhoneNumber,
  allowed: { international: boolean; landline: boolean },
): PhonePermissionReason | undefined {
  if (number.abroad && !allowed.international) return 'international_not_allowed';
  if (number.landline && !allowed.landline) return 'landline_not_allowed';
  return undefined;
}

// The library takes about 90 µs per number, this path under 1 µs. In the UK, the first five digits of a number determine whether it is an
// ordinary mobile, so the library is called once per range; there are at most 10,000. In other countries mobile numbers vary in length, or
// a prefix is not known to determine the type.
function parseUkMobile(rules: PhoneRules, text: string): PhoneNumberResult | undefined {
  if (!rules.isBritish || rules.profile.rescue !== 'first-fit') return undefined;
  const national = ordinaryUkMobile.exec(text.replace(/[()-]/g, ''))?.[1];
  if (national === undefined) return undefined;
  const range = national.slice(0, 5);
  const normalised = `44${national}`;
  if (rules.mobileRanges.has(range)) return { ok: true, number: { normalised, ...ukMobile } };

  const result = parseWithLibrary(rules, text);
  const isOrdinary = result.ok && result.number.normalised === normalised && !result.number.international;
  if (isOrdinary) rules.mobileRanges.add(range);
  return result;
}

const homeRate: InternationalRate = { multiplier: 1, receiptsHonoured: true, numericSenderOnly: false };
const ukMobile: Omit<PhoneNumber, 'normalised'> = {
  ...{ region: 'GB', countryPrefix: '44', international: false, abroad: false, landline: false },
  ...homeRate,
};

/** Parses without the fast path for UK mobiles. Exported so that a test can compare the two. */
export function parseWithLibrary(rules: PhoneRules, text: string): PhoneNumberResult {
  const parsed = readNumber(rules, text);
  if (typeof parsed === 'string') return { ok: false, reason: parsed };
  const number = describe(rules, parsed);
  if (number) return { ok: true, number };
  return { ok: false, reason: 'unsupported_country_code', unsupportedCode: String(parsed.getCountryCode()) };
}

function describe(rules: PhoneRules, parsed: ParsedNumber): PhoneNumber | undefined {
  const normalised = toDigits(parsed);
  const countryCode = String(parsed.getCountryCode());
  const region = rules.isTestNumber(normalised)
    ? rules.region
    : (PhoneNumberUtil.getInstance().getRegionCodeForNumber(parsed) ?? '');
  const international = !rules.isHome(region);
  const abroad = international && !rules.isNear(region);
  const number = { normalised, region, international, abroad, landline: !abroad && rules.isLandline(typeOf(parsed)) };
  if (!international) return { ...number, countryPrefix: countryCode, ...homeRate };
  return withRateAbroad(rules, number, countryCode);
}

function withRateAbroad(
  rules: PhoneRules,
  number: Omit<PhoneNumber, 'countryPrefix' | keyof InternationalRate>,
  countryCode: string,
): PhoneNumber | undefined {
  const { abroad } = rules.profile;
  // Numbers of near regions are not refused.
  if (abroad === 'refuse') return number.abroad ? undefined : { ...number, countryPrefix: countryCode, ...homeRate };
  if (abroad !== 'gb-table') {
    // A preliminary multiplier: `withRate` finds the rate of the country.
    const multiplier = rules.multiplierAbroad ?? homeRate.multiplier;
    return { ...number, countryPrefix: countryCode, ...homeRate, multiplier };
  }
  const areaPrefix = number.normalised.slice(0, 4);
  const countryPrefix = countryCode === '1' && findInternationalRate(areaPrefix) ? areaPrefix : countryCode;
  const rate = findInternationalRate(countryPrefix);
  return rate && { ...number, countryPrefix, ...rate };
}

/**
 * Returns the number with its international rate: the rate of its region, or that of its calling code, which many regions may share.
 * Returns undefined if no texts are sent there.
 */
export function withRate(rules: PhoneRules, number: PhoneNumber, rates: RatesAbroad): PhoneNumber | undefined {
  if (!number.international || !rules.hasRatesAbroad) return number;
  const ofRegion = rates.get(`${number.countryPrefix}:${number.region}`);
  const rate = ofRegion === undefined ? rates.get(number.countryPrefix) : ofRegion;
  if (rate) return { ...number, ...rate };
  return number.abroad && refusesWithoutRate(rules, rates) ? undefined : number;
}

/** When rates exist and there is no default multiplier, texts to countries without a rate are refused. */
function refusesWithoutRate(rules: PhoneRules, rates: RatesAbroad): boolean {
  return rules.profile.abroad === 'rates-only' || (rates.size > 0 && rules.multiplierAbroad === undefined);
}

let codes: Map<string, string[]> | undefined;

/** Returns the regions that share each country calling code. */
function regionsOfCodes(): Map<string, string[]> {
  if (codes) return codes;
  codes = new Map();
  const util = PhoneNumberUtil.getInstance();
  for (const region of util.getSupportedRegions()) {
    const code = String(util.getCountryCodeForRegion(region));
    codes.set(code, [...(codes.get(code) ?? []), region]);
  }
  return codes;
}

/** Returns why an international rate cannot have this prefix, as a whole sentence. */
export function ratePrefixProblem(rules: PhoneRules, prefix: string): string | undefined {
  const [, code = '', region] = /^([1-9][0-9]{0,2})(?::([A-Z]{2}))?$/.exec(prefix) ?? [];
  const regions = regionsOfCodes().get(code) ?? [];
  if (regions.length === 0) return 'Enter a country calling code such as 49, or one with a region such as 1:JM.';
  if (region !== undefined && !regions.includes(region)) return `Numbers of ${region} do not begin with ${code}.`;
  const charged = region === undefined ? regions : [region];
  return charged.every((each) => rules.isHome(each)) ? 'Numbers at home have the text rate.' : undefined;
}

/** Formats as people of the country write the number: in national format if it has their country code and is domestic. */
export function formatForPeople(rules: PhoneRules, { normalised, abroad }: PhoneNumber): string {
  const util = PhoneNumberUtil.getInstance();
  const parsed = util.parse(`+${normalised}`);
  const isDialledAtHome = !abroad && parsed.getCountryCode() === util.getCountryCodeForRegion(rules.region);
  return util.format(parsed, isDialledAtHome ? PhoneNumberFormat.NATIONAL : PhoneNumberFormat.INTERNATIONAL);
}

// Cached, because there are few senders, and each is formatted for every message: the library would take longer than the rest of the work.
const maxCachedSenders = 10_000;
/** A short code could be read as a number without its area code, except in the UK, where no number is as short. */
const shortCode = /^\+?[0-9]{1,6}$/;

/** Returns the sender as passed to a provider: a normalised phone number, or a name or short code unchanged. */
export function formatSmsSender(rules: PhoneRules, sender: string): string {
  const cached = rules.senders.get(sender);
  if (cached !== undefined) return cached;
  const result = isShort(rules, sender) ? undefined : parsePhoneNumber(rules, sender);
  const formatted = result?.ok ? result.number.normalised : sender;
  if (rules.senders.size >= maxCachedSenders) rules.senders.clear();
  rules.senders.set(sender, formatted);
  return formatted;
}

/**
 * Normalises a number of the platform for comparison: people and providers write `+44`, `44`, `0044` or `0` for the same country. A short
 * code, or a number in a range that recipients cannot have, keeps its digits.
 */
export function normaliseOwnNumber(rules: PhoneRules, written: string): string {
  const result = isShort(rules, written) ? undefined : parsePhoneNumber(rules, written);
  if (result?.ok) return result.number.normalised;
  const digits = removeWhitespace(written).replace(/[()-]/g, '');
  return digits.replace(/^(\+|00)/, '').replace(/^0/, codeOf(rules));
}

function isShort(rules: PhoneRules, written: string): boolean {
  return !rules.isBritish && shortCode.test(removeWhitespace(written).replace(/[()-]/g, ''));
}
