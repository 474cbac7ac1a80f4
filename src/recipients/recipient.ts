import type { Country } from '../countries/country.ts';
import type { PhoneRules } from '../countries/phone-rules.ts';
import { type AddressCountry, addressRules } from './address-rules.ts';
import { parseEmailAddress } from './email-address.ts';
import { parsePhoneNumber } from './phone-number.ts';

/** Returns an email address or phone number in normalised form, and anything else unchanged. */
export function normaliseRecipient(rules: PhoneRules, input: string): string {
  if (input.includes('@')) {
    const email = parseEmailAddress(input);
    return email.ok ? email.address : input;
  }
  const phone = parsePhoneNumber(rules, input);
  return phone.ok ? phone.number.normalised : input;
}

/** The recipient to search for: a normalised email address or phone number, or parts of a postal address. */
export type RecipientToFind = { contact: string } | AddressToFind;

interface AddressToFind {
  address: readonly string[];
  /** Determines which parts share a line. */
  country: AddressCountry;
}

/** Whom to search for. Undefined means in all services. */
export interface RecipientSearch {
  who: RecipientToFind;
  serviceId: string | undefined;
}

/**
 * Splits an address at lines and commas and normalises the parts for comparison: without case, spaces and punctuation. A postcode is a
 * separate part even if it shares a line with the town.
 */
export function addressParts(country: AddressCountry, text: string): string[] {
  const parts = text
    .split(/[\n,]/)
    .flatMap(addressRules(country).split)
    .map((part) =>
      part
        .normalize('NFKC')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]/gu, ''),
    );
  return [...new Set(parts.filter((part) => part !== ''))];
}

/** Whether the address has every part that is searched for: a name and a postcode are enough. */
export function isAddressOf(text: string, { address, country }: AddressToFind): boolean {
  const parts = new Set(addressParts(country, text));
  return address.every((part) => parts.has(part));
}

/** Returns the longest part that a database compares in the same way, whatever its locale. */
export function comparablePart(parts: readonly string[]): string {
  const plain = parts.filter((part) => /^[a-z0-9]+$/.test(part));
  return plain.reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

// Recipients with a fixed outcome, so that callers can test their integration without contacting anyone. Those of the protocol work in
// every country, because official clients and smoke tests use them. All functions take the normalised form.

const simulatedPhoneNumbers = new Set(['447700900000', '447700900111', '447700900222']);
const simulatedNumbersOfGc = new Set(['16132532222', '16132532223', '16132532224']);

const simulatedNames = new Set(['simulate-delivered', 'simulate-delivered-2', 'simulate-delivered-3']);
const simulatedDomain = 'notifications.service.gov.uk';
const simulatedDomainOfGc = 'notification.canada.ca';

/**
 * A message to a simulated number is validated and accepted like any other, but never stored, sent or counted, regardless of the key. Rows
 * of a job are.
 */
export function isSimulatedPhoneNumber({ phone }: Pick<Country, 'phone'>, normalised: string): boolean {
  if (simulatedPhoneNumbers.has(normalised) || simulatedNumbersOfGc.has(normalised)) return true;
  return phone.profile.testNumbers.includes(normalised);
}

/** Like `isSimulatedPhoneNumber`. */
export function isSimulatedEmailAddress({ email }: Pick<Country, 'email'>, normalised: string): boolean {
  const at = normalised.lastIndexOf('@');
  if (!simulatedNames.has(normalised.slice(0, at))) return false;
  const domain = normalised.slice(at + 1);
  return domain === simulatedDomain || domain === simulatedDomainOfGc || email.testDomains.includes(domain);
}

/** Returns all of them, normalised: file rows for them are not duplicates. */
export function simulatedRecipients({ phone, email }: Pick<Country, 'phone' | 'email'>): string[] {
  const domains = [simulatedDomain, simulatedDomainOfGc, ...email.testDomains];
  return [
    ...simulatedPhoneNumbers,
    ...simulatedNumbersOfGc,
    ...phone.profile.testNumbers,
    ...[...simulatedNames].flatMap((name) => domains.map((domain) => `${name}@${domain}`)),
  ];
}

/** Clients of GC Notify also send to its simulated recipients with team keys and in trial mode. */
export function isSimulatedByGc(normalised: string): boolean {
  if (simulatedNumbersOfGc.has(normalised)) return true;
  const [name = '', domain] = normalised.split('@');
  return domain === simulatedDomainOfGc && simulatedNames.has(name);
}

const temporaryFailures = new Set(['temp-fail@simulator.notify', '15149301633']);
const permanentFailures = new Set(['perm-fail@simulator.notify', '15149301632']);

/** Returns how a message sent with a test key ends. */
export function simulatedOutcome(normalised: string): 'delivered' | 'temporary-failure' | 'permanent-failure' {
  if (normalised.endsWith('7700900003') || temporaryFailures.has(normalised)) return 'temporary-failure';
  if (normalised.endsWith('7700900002') || permanentFailures.has(normalised)) return 'permanent-failure';
  return 'delivered';
}
