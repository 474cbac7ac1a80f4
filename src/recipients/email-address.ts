import { domainToASCII, domainToUnicode } from 'node:url';
import { cleanRecipient } from './whitespace.ts';

type EmailAddressResult =
  /** `cleaned` keeps the sender's capitals and is stored and shown; `address` is for sending and comparing. */
  { ok: true; cleaned: string; address: string } | { ok: false };

const maxLength = 320;
const maxHostLength = 253;
const maxLabelLength = 63;

// Stricter than the standards on purpose: no quoted local parts, which mail services reject or corrupt.
const shape = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@([^.@\s][^@\s]+)$/i;
const hostCharacters = /^(?:[A-Za-z0-9.-]|\P{ASCII})+$/u;
const label = /^[a-z0-9]+(?:--?[a-z0-9]+)*$/i;
const topLevel = /^(?:[a-z]{2,63}|xn--(?:[a-z0-9]+-)*[a-z0-9]+)$/i;
const onlyAscii = /^\p{ASCII}*$/u;

export function parseEmailAddress(input: string): EmailAddressResult {
  // Leaves room for stray whitespace; longer input is rejected before it is cleaned.
  if (input.length > 2 * maxLength) return { ok: false };
  const cleaned = cleanRecipient(input);
  if (cleaned.length > maxLength || cleaned.includes('..')) return { ok: false };
  const host = shape.exec(cleaned)?.[1];
  if (host === undefined || !isHostName(host)) return { ok: false };
  return { ok: true, cleaned, address: cleaned.toLowerCase() };
}

/**
 * All spellings of a normalised address under which it may be stored: an international domain has one in Unicode, which is the first, and one
 * in ASCII.
 */
export function spellingsOf(address: string): [string, ...string[]] {
  const [localPart, host = ''] = address.split('@');
  if (onlyAscii.test(host) && !host.includes('xn--')) return [address];
  const hosts = [domainToUnicode(host), domainToASCII(host)].filter((each) => each !== '');
  const [first = address, ...others] = new Set([...hosts.map((each) => `${localPart}@${each}`), address]);
  return [first, ...others];
}

function isHostName(host: string): boolean {
  if (!hostCharacters.test(host)) return false;
  // The conversion rewrites hosts that look like numbers (1.2 to 1.0.0.2), so ASCII hosts must bypass it.
  const ascii = onlyAscii.test(host) ? host : domainToASCII(host);
  const labels = ascii.split('.');
  return (
    ascii.length <= maxHostLength &&
    labels.length >= 2 &&
    labels.every((part) => part.length <= maxLabelLength && label.test(part)) &&
    topLevel.test(labels.at(-1) ?? '')
  );
}
