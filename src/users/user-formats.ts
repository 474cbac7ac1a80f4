import type { Country } from '../countries/country.ts';
import { zoneProblem } from '../countries/loading/known-values.ts';
import { checkPhonePermissions, type PhoneNumberReason, parsePhoneNumber } from '../recipients/phone-number.ts';

/** Shorter than the messages for sending a code, because existing front ends embed these in their own text. */
const phoneTexts: Record<PhoneNumberReason, string> = {
  too_short: 'Not enough digits',
  too_long: 'Too many digits',
  unknown_character: 'Must not contain letters or symbols',
  unsupported_country_code: 'Not a valid country prefix',
  invalid_number: 'Number is not valid – double check the phone number you entered',
};

export function refusalOfMobileNumber(
  { phone, words }: Pick<Country, 'phone' | 'words'>,
  text: string,
): string | undefined {
  const parsed = parsePhoneNumber(phone, text);
  if (!parsed.ok) return `Invalid phone number: ${phoneTexts[parsed.reason]}`;
  if (checkPhonePermissions(parsed.number, { international: true, landline: false })) {
    return `Invalid phone number: ${words.notHomeMobile}`;
  }
  return undefined;
}

export function refusalOfName(text: string): string | undefined {
  return text === '' ? 'Invalid name' : undefined;
}

export function refusalOfTimeZone(text: string): string | undefined {
  return zoneProblem(text)?.replace(/^m/, 'M');
}
