import type { CountryProfile } from './profile.ts';

type PhoneProfile = CountryProfile['phone'];

/** The price of a text message to a dialling prefix, as a multiple of a domestic one, and the capabilities of the networks there. */
export interface InternationalRate {
  multiplier: number;
  /** If false, delivery receipts of these networks are unreliable: the message stays `sent`. */
  receiptsHonoured: boolean;
  /** If true, the networks reject or replace alphanumeric senders, so messages need a numeric sender. */
  numericSenderOnly: boolean;
}

/** By country calling code, or by code and region: `49`, `1:JM`. Null if the rate has ended. */
export type RatesAbroad = ReadonlyMap<string, InternationalRate | null>;

/** 07700 900xxx is reserved for drama and testing. Clients of the protocol test with it, so it counts as domestic in every country. */
const testRange = /^447700900[0-9]{3}$/;
/** The phone number library assigns parts of 07700 to Jersey; in the UK, all of it counts as a UK mobile. */
const britishTestRange = /^447700[0-9]{6}$/;

/**
 * How a country reads phone numbers: its profile, prepared for use with every message. Results for numbers of this country are cached here,
 * so that two countries in one process never share them.
 */
export class PhoneRules {
  /** Plain data, which can be passed to a thread. */
  readonly profile: PhoneProfile;
  /** The region for numbers without a country code. */
  readonly region: string;
  /** The rules that read a number without its country code before these do. */
  readonly first: PhoneRules | undefined;
  /** Prefixes that only have ordinary mobile numbers; filled by the fast path. */
  readonly mobileRanges = new Set<string>();
  /** Cache of senders in the form that providers get. */
  readonly senders = new Map<string, string>();
  /**
   * Reads the current international rates from a cache. The application sets it. If it is undefined, as in a thread, rates are passed as
   * data.
   */
  readRatesAbroad: (() => RatesAbroad | Promise<RatesAbroad>) | undefined;
  readonly #home: ReadonlySet<string>;
  readonly #near: ReadonlySet<string>;
  readonly #landlineTypes: ReadonlySet<string>;
  readonly #acceptedTypes: ReadonlySet<string>;
  readonly #testNumbers: ReadonlySet<string>;
  readonly #testRange: RegExp;
  readonly #emergency: ReadonlySet<string>;
  readonly #shortCode: RegExp;

  constructor(profile: PhoneProfile, first?: PhoneRules) {
    this.profile = profile;
    this.first = first;
    this.region = profile.region;
    this.#home = new Set(profile.regions);
    this.#near = new Set(profile.near);
    this.#landlineTypes = new Set(profile.landlineTypes);
    this.#acceptedTypes = new Set(profile.acceptedTypes);
    this.#testNumbers = new Set(profile.testNumbers);
    this.#testRange = this.isBritish ? britishTestRange : testRange;
    this.#emergency = new Set(profile.emergency);
    this.#shortCode = new RegExp(profile.shortCode);
  }

  get isBritish(): boolean {
    return this.region === 'GB';
  }

  /** Whether international texts are charged by the rates in the database. */
  get hasRatesAbroad(): boolean {
    return this.profile.abroad !== 'gb-table' && this.profile.abroad !== 'refuse';
  }

  /** Returns the price of a text to a country without a rate, as a multiple of a domestic text. */
  get multiplierAbroad(): number | undefined {
    const { abroad } = this.profile;
    return typeof abroad === 'object' ? abroad.multiplier : undefined;
  }

  /** Whether the price of international texts is configured. */
  hasPriceAbroad(rates: RatesAbroad | undefined): boolean {
    return !this.hasRatesAbroad || this.multiplierAbroad !== undefined || (rates?.size ?? 0) > 0;
  }

  /** Whether numbers of this region have the domestic price. */
  isHome(region: string): boolean {
    return this.#home.has(region);
  }

  /** Whether numbers of this region have their own price but need no permission for international numbers. */
  isNear(region: string): boolean {
    return this.#near.has(region);
  }

  isLandline(type: string): boolean {
    return this.#landlineTypes.has(type);
  }

  isAccepted(type: string): boolean {
    return this.#acceptedTypes.has(type);
  }

  /** `digits` include the country code. Test numbers are valid and domestic, whatever else is known about them. */
  isTestNumber(digits: string): boolean {
    return this.#testRange.test(digits) || this.#testNumbers.has(digits);
  }

  isEmergencyNumber(digits: string): boolean {
    return this.#emergency.has(digits);
  }

  isShortCode(digits: string): boolean {
    return this.#shortCode.test(digits) && !this.isEmergencyNumber(digits);
  }
}
