import { parseEmailAddress } from './email-address.ts';
import { parsePhoneNumber } from './phone-number.ts';

/** An email address or phone number in normalised form; anything else unchanged. */
export function normaliseRecipient(input: string): string {
  if (input.includes('@')) {
    const email = parseEmailAddress(input);
    return email.ok ? email.address : input;
  }
  const phone = parsePhoneNumber(input);
  return phone.ok ? phone.number.normalised : input;
}
