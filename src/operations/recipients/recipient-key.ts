import { invalidField } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { parseEmailAddress } from '../../recipients/email-address.ts';
import { parsePhoneNumber } from '../../recipients/phone-number.ts';
import { addressParts, comparablePart, type SoughtRecipient } from '../../recipients/sought-recipient.ts';

/** Whose data, and of which service: of all without one. */
export interface Sought {
  who: SoughtRecipient;
  serviceId: string | undefined;
}

/** An email address, or seven lines of a postal address. */
export const maxRecipientLength = 1_000;

/** Enough of an address not to mean everybody in a street or with a name. */
const minParts = 2;

/** Normalises an email address or phone number; anything else is a postal address. */
export function readRecipient(input: string): SoughtRecipient {
  const email = parseEmailAddress(input);
  if (email.ok) return { contact: email.address };
  const phone = parsePhoneNumber(input);
  if (phone.ok) return { contact: phone.number.normalised };
  const address = addressParts(input);
  const isAddress = address.length >= minParts && !input.includes('@') && address.some((part) => /\d/.test(part));
  if (isAddress && comparablePart(address) !== '') return { address };
  throw invalidField(
    'recipient',
    'Not a valid email address or phone number. For letters, give the name and the postcode on separate lines.',
  );
}

/** Names the recipient in the audit log, where nobody may read who it is: equal for equal recipients, useless without the key. */
export function recipientKey({ secrets }: Platform, who: SoughtRecipient): string {
  const text = 'contact' in who ? who.contact : [...who.address].sort().join('\n');
  return secrets.digest('audit:recipient', text);
}
