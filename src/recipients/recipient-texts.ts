import type { CountryProfile } from '../countries/profile.ts';
import { declared, forApi, type Text, t } from '../language/text.ts';
import type { PhoneNumberReason, PhonePermissionReason } from './phone-number.ts';
import type { PostalAddressReason } from './postal-address.ts';

type Words = CountryProfile['words'];

const phoneNumberTexts: Record<PhoneNumberReason, Text> = {
  too_short: t('Mobile number is too short'),
  too_long: t('Mobile number is too long'),
  unknown_character: t('Mobile numbers can only include: 0 1 2 3 4 5 6 7 8 9 ( ) + -'),
  unsupported_country_code: t('Country code not found - double check the mobile number you entered'),
  invalid_number: t('Number is not valid – double check the phone number you entered'),
};

/** For people who typed a number into a form or a spreadsheet, so it is more detailed than for API clients. */
export function phoneNumberText(words: Words, reason: PhoneNumberReason | PhonePermissionReason): Text {
  return reason === 'international_not_allowed' || reason === 'landline_not_allowed'
    ? declared(words.doubleCheckMobile)
    : phoneNumberTexts[reason];
}

export const emailAddressText = 'Not a valid email address';
export const refusedEmailAddress = forApi(
  emailAddressText,
  t('Enter an email address in the correct format, such as name@example.org.'),
);

/** Whole sentences about the country. Always in English, because clients match them. */
export function postalAddressTexts({
  address: { lines },
  words,
}: Pick<CountryProfile, 'address' | 'words'>): Record<PostalAddressReason, Text> {
  const tooShort = t('Address must be at least {min} lines', { min: String(lines.min) });
  return {
    'address-is-empty': tooShort,
    'not-enough-address-lines': tooShort,
    'too-many-address-lines': t('Address must be no more than {max} lines', { max: String(lines.max) }),
    'invalid-address-line-1-or-2': t(
      'The first 2 lines of the address must both include at least one alphanumeric character',
    ),
    'has-country-for-bfpo-address': t('The last line of a BFPO address must not be a country.'),
    'cant-send-international-letters': declared(words.notRealPostcode),
    'not-a-real-uk-postcode': declared(words.notRealPostcode),
    'not-a-real-uk-postcode-or-country': declared(words.lastLine),
    'no-town-beside-postcode': declared(words.noTown),
    'invalid-char-in-address': t(
      "Address lines must not start with any of the following characters: @ ( ) = [ ] ” \\ / , '<' >",
    ),
    'no-fixed-abode-address': t('Must be a real address'),
  };
}
