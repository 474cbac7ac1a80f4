import type { CountryProfile } from '../countries/profile.ts';
import { forApi, t } from '../language/text.ts';
import type { PhoneNumberReason, PhonePermissionReason } from './phone-number.ts';
import type { PostalAddressReason } from './postal-address.ts';

type Words = CountryProfile['words'];

const phoneNumberTexts: Record<PhoneNumberReason, string> = {
  too_short: 'Mobile number is too short',
  too_long: 'Mobile number is too long',
  unknown_character: 'Mobile numbers can only include: 0 1 2 3 4 5 6 7 8 9 ( ) + -',
  unsupported_country_code: 'Country code not found - double check the mobile number you entered',
  invalid_number: 'Number is not valid – double check the phone number you entered',
};

/** For people who typed a number into a form or a spreadsheet, so more detailed than for API clients. */
export function phoneNumberText(words: Words, reason: PhoneNumberReason | PhonePermissionReason): string {
  return reason === 'international_not_allowed' || reason === 'landline_not_allowed'
    ? words.doubleCheckMobile
    : phoneNumberTexts[reason];
}

export const emailAddressText = 'Not a valid email address';
export const refusedEmailAddress = forApi(
  emailAddressText,
  t('Enter an email address in the correct format, such as name@example.org.'),
);

/** Whole sentences of the country, in English everywhere: clients match them. */
export function postalAddressTexts({
  address: { lines },
  words,
}: Pick<CountryProfile, 'address' | 'words'>): Record<PostalAddressReason, string> {
  const tooShort = `Address must be at least ${lines.min} lines`;
  return {
    'address-is-empty': tooShort,
    'not-enough-address-lines': tooShort,
    'too-many-address-lines': `Address must be no more than ${lines.max} lines`,
    'invalid-address-line-1-or-2':
      'The first 2 lines of the address must both include at least one alphanumeric character',
    'has-country-for-bfpo-address': 'The last line of a BFPO address must not be a country.',
    'cant-send-international-letters': words.notRealPostcode,
    'not-a-real-uk-postcode': words.notRealPostcode,
    'not-a-real-uk-postcode-or-country': words.lastLine,
    'no-town-beside-postcode': words.noTown,
    'invalid-char-in-address':
      'Address lines must not start with any of the following characters: @ ( ) = [ ] ” \\ / , < >',
    'no-fixed-abode-address': 'Must be a real address',
  };
}
