import { invalidField } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { parseEmailAddress } from '../../recipients/email-address.ts';
import { parsePhoneNumber } from '../../recipients/phone-number.ts';

/** Whose data, and of which service: of all without one. */
export interface Sought {
  recipient: string;
  serviceId: string | undefined;
}

/** Normalises an email address or phone number. */
export function readRecipient(input: string): string {
  const email = parseEmailAddress(input);
  if (email.ok) return email.address;
  const phone = parsePhoneNumber(input);
  if (phone.ok) return phone.number.normalised;
  throw invalidField('recipient', 'Not a valid email address or phone number.');
}

/** Names the recipient in the audit log, where nobody may read who it is: equal for equal recipients, useless without the key. */
export function recipientKey({ secrets }: Pick<Platform, 'secrets'>, recipient: string): string {
  return secrets.digest('audit:recipient', recipient);
}
