import type { Country } from '../countries/country.ts';
import { zoneProblem } from '../countries/loading/known-values.ts';
import type { PhoneRules } from '../countries/phone-rules.ts';
import { forApi, type Text, t } from '../language/text.ts';
import { checkPhonePermissions, type PhoneNumberReason, parsePhoneNumber } from '../recipients/phone-number.ts';

/** Shorter than the messages for sending a code, because existing front ends embed these in their own text. */
const phoneTexts: Record<PhoneNumberReason, string> = {
  too_short: 'Not enough digits',
  too_long: 'Too many digits',
  unknown_character: 'Must not contain letters or symbols',
  unsupported_country_code: 'Not a valid country prefix',
  invalid_number: 'Number is not valid – double check the phone number you entered',
};

function forPeople({ profile }: PhoneRules, reason: PhoneNumberReason): Text {
  if (reason === 'too_short') return t('Enter a mobile number with more digits. This one is too short.');
  if (reason === 'too_long') return t('Enter a mobile number with fewer digits. This one is too long.');
  return t('Enter a mobile number in the correct format, such as {number}.', { number: profile.examples[0] });
}

export function refusalOfMobileNumber(
  { phone, words }: Pick<Country, 'phone' | 'words'>,
  text: string,
): Text | undefined {
  const parsed = parsePhoneNumber(phone, text);
  if (!parsed.ok) {
    return forApi(`Invalid phone number: ${phoneTexts[parsed.reason]}`, forPeople(phone, parsed.reason));
  }
  if (checkPhonePermissions(parsed.number, { international: true, landline: false })) {
    return forApi(
      `Invalid phone number: ${words.notHomeMobile}`,
      t('Enter a mobile number. This one cannot get texts.'),
    );
  }
  return undefined;
}

export function refusalOfName(text: string): Text | undefined {
  return text === '' ? forApi('Invalid name', t('Enter a name.')) : undefined;
}

export function refusalOfTimeZone(text: string): Text | undefined {
  const problem = zoneProblem(text)?.replace(/^m/, 'M');
  return problem === undefined ? undefined : forApi(problem, t('Choose one from the list.'));
}
