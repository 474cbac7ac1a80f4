/** The largest mailbox providers, which have their own rules for bulk senders. */
export const mailboxes = ['google', 'yahoo', 'microsoft', 'other'] as const;
export type Mailbox = (typeof mailboxes)[number];

const named = new Map<string, Mailbox>([
  ['gmail.com', 'google'],
  ['googlemail.com', 'google'],
  ['aol.com', 'yahoo'],
  ['ymail.com', 'yahoo'],
  ['rocketmail.com', 'yahoo'],
  ['msn.com', 'microsoft'],
]);

/** Brands with domains in many countries: yahoo.fr, hotmail.co.uk. */
const brands = new Map<string, Mailbox>([
  ['yahoo', 'yahoo'],
  ['outlook', 'microsoft'],
  ['hotmail', 'microsoft'],
  ['live', 'microsoft'],
]);

/** Decides by the domain of the address, because looking up the mail exchangers of every recipient would take longer than sending. */
export function mailboxOf(address: string): Mailbox {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  const [, brand = ''] = /^([a-z]+)\.(?:com?\.)?[a-z]{2,3}$/.exec(domain) ?? [];
  return named.get(domain) ?? brands.get(brand) ?? 'other';
}
