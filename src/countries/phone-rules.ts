import type { CountryProfile } from './profile.ts';

type PhoneProfile = CountryProfile['phone'];

/** The price of a text message to a dialling prefix, in messages at home, and the capabilities of the networks there. */
export interface InternationalRate {
  multiplier: number;
  /** If false, delivery receipts of these networks are unreliable: the message stays `sent`. */
  receiptsHonoured: boolean;
  /** If true, the networks reject or replace alphanumeric senders: send from a number. */
  numericSenderOnly: boolean;
}

/** By country calling code, or by code and region: `49`, `1:JM`. Null where a rate has ended. */
export type RatesAbroad = ReadonlyMap<string, InternationalRate | null>;

/** 07700 900xxx is reserved for drama and testing. Clients of the protocol test with it, so it is at home in every country. */
const testRange = /^447700900[0-9]{3}$/;
/** The library of phone numbers considers parts of 07700 as Jersey; in the UK all of it counts as a UK mobile. */
const britishTestRange = /^447700[0-9]{6}$/;

/**
 * How a country reads phone numbers: its profile in the form that is asked for every message. It also keeps what was found
 * out about numbers of this country, so that two countries in one process never share it.
 */
export class PhoneRules {
  /** What a thread is given, since only data can be passed to it. */
  readonly profile: PhoneProfile;
  /** How a number without a country code is read. */
  readonly region: string;
  /** Read a number without its country code before this country does. */
  readonly first: PhoneRules | undefined;
  /** Prefixes of which every number is an ordinary mobile; filled by the fast path. */
  readonly mobileRanges = new Set<string>();
  /** Senders as providers get them. */
  readonly senders = new Map<string, string>();
  /**
   * Reads the rates abroad that apply now, from a cache. The application sets it; where it is missing, as in a thread, rates are
   * passed as data.
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

  /** Whether texts to other countries are charged by the rates in the database. */
  get hasRatesAbroad(): boolean {
    return this.profile.abroad !== 'gb-table' && this.profile.abroad !== 'refuse';
  }

  /** What a text to a country without a rate costs, in texts at home. */
  get multiplierAbroad(): number | undefined {
    const { abroad } = this.profile;
    return typeof abroad === 'object' ? abroad.multiplier : undefined;
  }

  /** Whether texts to other countries have a price: somebody has said what they cost. */
  hasPriceAbroad(rates: RatesAbroad | undefined): boolean {
    return !this.hasRatesAbroad || this.multiplierAbroad !== undefined || (rates?.size ?? 0) > 0;
  }

  /** Numbers of these regions have the price of the country. */
  isHome(region: string): boolean {
    return this.#home.has(region);
  }

  /** Numbers of these regions have a price of their own, but need no permission for numbers abroad. */
  isNear(region: string): boolean {
    return this.#near.has(region);
  }

  isLandline(type: string): boolean {
    return this.#landlineTypes.has(type);
  }

  isAccepted(type: string): boolean {
    return this.#acceptedTypes.has(type);
  }

  /** `digits` with country code. Test numbers are valid and at home, whatever else is known about them. */
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
