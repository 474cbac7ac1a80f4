import type { Country } from '../countries/country.ts';

/** The sentences of the API that can reach a form, which the contract fixes, and what they say to people here. */
const sentences: readonly [ofApi: RegExp, here: string][] = [
  [/^Longer than maximum length (\d+)\.$/, 'Enter at most $1 characters.'],
  [/^Must be one of: .*$/s, 'Choose one from the list.'],
  [/^Must contain a letter or a digit\.$/, 'Enter a name with a letter or a digit.'],
  [/^Invalid name$/, 'Enter a name.'],
  [/^Not a valid email address$/, 'Enter an email address in the correct format, such as name@example.org.'],
  [/^Email address already in use$/, 'Enter another email address. This one already has an account.'],
  [/^Invalid phone number: Not enough digits$/, 'Enter a mobile number with more digits. This one is too short.'],
  [/^Invalid phone number: Too many digits$/, 'Enter a mobile number with fewer digits. This one is too long.'],
  [
    /^Invalid phone number: (Must not contain letters or symbols|Not a valid country prefix|Number is not valid .*)$/s,
    'Enter a mobile number in the correct format, such as {number}.',
  ],
  // The remaining sentence is of the country: the number is a landline.
  [/^Invalid phone number: .*$/s, 'Enter a mobile number. This one cannot get texts.'],
  [/^Mobile number must be set if auth_type is set to sms_auth$/, 'Add a mobile number first, for the text codes.'],
  [/^Duplicate service name '(.*)'$/s, 'Enter another name. A service is already called “$1”.'],
  [/^There are no available inbound numbers$/, 'No number is free. Ask the people who run this Pennypost to add one.'],
  [/^You must have at least one SMS sender as the default\.$/, 'Make another sender the default instead.'],
  [/^You cannot delete a default (sms sender|email reply to address)$/, 'Make another one the default first.'],
  [/^User cannot be removed from the service$/, 'Add another person first. A service needs at least one.'],
  [
    /^Cannot archive an organisation with active services$/,
    'Archive the services of the organisation, or move them to another, first.',
  ],
  [
    /^Cannot archive an organisation with team members or invited team members$/,
    'Remove the members of the organisation, and cancel its invitations, first.',
  ],
];

export function inOwnWords({ phone }: Pick<Country, 'phone'>, sentence: string): string {
  const [ofApi, here] = sentences.find(([pattern]) => pattern.test(sentence)) ?? [];
  return ofApi && here ? sentence.replace(ofApi, here.replace('{number}', phone.profile.examples[0])) : sentence;
}
