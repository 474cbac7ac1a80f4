import type { Country } from '../countries/country.ts';
import { asIs, type Text, t } from '../language/text.ts';

/** The sentences of the API that can reach a form, which the contract fixes, and what they say to people here. */
const sentences: readonly [ofApi: RegExp, here: (found: string, country: Pick<Country, 'phone'>) => Text][] = [
  [/^Longer than maximum length (\d+)\.$/, (max) => t('Enter at most {max} characters.', { max })],
  [/^Must be one of: .*$/s, () => t('Choose one from the list.')],
  [/^Must contain a letter or a digit\.$/, () => t('Enter a name with a letter or a digit.')],
  [/^Invalid name$/, () => t('Enter a name.')],
  [/^Not a valid email address$/, () => t('Enter an email address in the correct format, such as name@example.org.')],
  [/^Email address already in use$/, () => t('Enter another email address. This one already has an account.')],
  [
    /^Invalid phone number: Not enough digits$/,
    () => t('Enter a mobile number with more digits. This one is too short.'),
  ],
  [
    /^Invalid phone number: Too many digits$/,
    () => t('Enter a mobile number with fewer digits. This one is too long.'),
  ],
  [
    /^Invalid phone number: (Must not contain letters or symbols|Not a valid country prefix|Number is not valid .*)$/s,
    (_, { phone }) =>
      t('Enter a mobile number in the correct format, such as {number}.', { number: phone.profile.examples[0] }),
  ],
  // The remaining sentence is of the country: the number is a landline.
  [/^Invalid phone number: .*$/s, () => t('Enter a mobile number. This one cannot get texts.')],
  [
    /^Mobile number must be set if auth_type is set to sms_auth$/,
    () => t('Add a mobile number first, for the text codes.'),
  ],
  [
    /^Duplicate service name '(.*)'$/s,
    (name) => t('Enter another name. A service is already called “{name}”.', { name }),
  ],
  [/^Another plan already has this name$/, () => t('Enter another name. Another plan already has this one.')],
  [
    /^There are no available inbound numbers$/,
    () => t('No number is free. Ask the people who run this Pennypost to add one.'),
  ],
  [/^You must have at least one SMS sender as the default\.$/, () => t('Make another sender the default instead.')],
  [/^You cannot delete a default (sms sender|email reply to address)$/, () => t('Make another one the default first.')],
  [/^User cannot be removed from the service$/, () => t('Add another person first. A service needs at least one.')],
  [
    /^Cannot archive an organisation with active services$/,
    () => t('Archive the services of the organisation, or move them to another, first.'),
  ],
  [
    /^Cannot archive an organisation with team members or invited team members$/,
    () => t('Remove the members of the organisation, and cancel its invitations, first.'),
  ],
  [
    /^This recurring send is not (active|paused)$/,
    () => t('Somebody has changed this recurring send. Look at it again.'),
  ],
  [/^This recurring send has no further date$/, () => t('This recurring send has no further date. Add another one.')],
  [
    /^A service can have (\d+) recurring sends$/,
    (max) => t('Your service has {max} recurring sends, which is the most. Delete one first.', { max }),
  ],
];

export function inOwnWords(country: Pick<Country, 'phone'>, sentence: string): Text {
  for (const [ofApi, here] of typeof sentence === 'string' ? sentences : []) {
    const found = ofApi.exec(sentence);
    if (found) return here(found[1] ?? '', country);
  }
  return asIs(sentence);
}
