import { domainToASCII } from 'node:url';
import { cleanRecipient } from './whitespace.ts';

type EmailAddressResult =
  /** `cleaned` keeps the sender's capitals (it is stored and shown); `address` is the form to send to and to compare. */
  { ok: true; cleaned: string; address: string } | { ok: false };

const MAX_LENGTH = 320;
const MAX_HOST_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

// Narrower than the mail standards on purpose: no quoted local parts, which mail services refuse or mangle.
const shape = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@([^.@\s][^@\s]+)$/i;
const hostCharacters = /^(?:[A-Za-z0-9.-]|\P{ASCII})+$/u;
const label = /^[a-z0-9]+(?:--?[a-z0-9]+)*$/i;
const topLevel = /^(?:[a-z]{2,63}|xn--(?:[a-z0-9]+-)*[a-z0-9]+)$/i;
const onlyAscii = /^\p{ASCII}*$/u;

export function parseEmailAddress(input: string): EmailAddressResult {
  // With room for stray white space; what is longer is not worth the time to clean it.
  if (input.length > 2 * MAX_LENGTH) return { ok: false };
  const cleaned = cleanRecipient(input);
  if (cleaned.length > MAX_LENGTH || cleaned.includes('..')) return { ok: false };
  const host = shape.exec(cleaned)?.[1];
  if (host === undefined || !isHostName(host)) return { ok: false };
  return { ok: true, cleaned, address: cleaned.toLowerCase() };
}

function isHostName(host: string): boolean {
  if (!hostCharacters.test(host)) return false;
  // The conversion rewrites hosts that look like numbers (1.2 to 1.0.0.2), so plain ones must not pass through it.
  const ascii = onlyAscii.test(host) ? host : domainToASCII(host);
  const labels = ascii.split('.');
  return (
    ascii.length <= MAX_HOST_LENGTH &&
    labels.length >= 2 &&
    labels.every((part) => part.length <= MAX_LABEL_LENGTH && label.test(part)) &&
    topLevel.test(labels.at(-1) ?? '')
  );
}
