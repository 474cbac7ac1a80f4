import type { Country } from '../../../countries/country.ts';
import type { PhoneRules } from '../../../countries/phone-rules.ts';
import { type Failure, invalidField } from '../../../platform/failure.ts';
import { isAddressReason, type PostalAddressReason } from '../../../recipients/postal-address.ts';

type RefusedField = 'api_key' | 'to' | '';

/** What a person can do about a refusal of the API, whose own words are for programs: the first one that matches. */
const refusals = ({ phone, words }: Country): [pattern: RegExp, field: RefusedField, text: string][] => [
  [/API key revoked/, 'api_key', 'This key was revoked. Paste another key, or create one.'],
  [
    /API key may not be used from this address/,
    'api_key',
    'This key cannot be used from your network. Use another key.',
  ],
  [/^Invalid token|^Unauthorized/, 'api_key', 'Enter a key of this service, or create one.'],
  [/letters with a team api key/, 'api_key', 'This key cannot send letters. Use a test key or a live key.'],
  [
    /team-only API key/,
    'to',
    'This key can only send to your team and guest list. Enter another recipient, or use another key.',
  ],
  [
    /recipient when service is in trial mode/,
    'to',
    'In trial mode you can only send to your team and guest list. Enter another recipient, or ask to go live.',
  ],
  [/letters when service is in trial mode/, '', 'You cannot send letters in trial mode. Ask to go live first.'],
  [
    /suppression list/,
    'to',
    'This address is on the suppression list of the service. Remove it from that list to send again.',
  ],
  [/phone.number/i, 'to', enterNumber(phone)],
  [/email.address/i, 'to', 'Enter an email address, for example name@example.org.'],
  [/postcode/, 'to', words.endWithPostcode],
  [/address/i, 'to', words.enterAddress],
  [/character count/, '', 'The message is too long. Shorten its values or its template.'],
  [/^Exceeded rate limit/, '', 'You have sent too many requests with this key. Try again in a minute.'],
  [/^Exceeded send limits/, '', 'Your service has reached its limit for today. Try again tomorrow.'],
  [/^Service is not allowed to send/, '', 'This channel is switched off in the settings of the service.'],
];

const enterNumber = ({ profile }: PhoneRules) => `Enter a phone number, for example ${profile.examples[0]}.`;

/** The same of refusals whose words differ between countries. */
function adviseOnNumber({ phone, words }: Country, reason: string | undefined): string | undefined {
  if (reason === 'international_not_allowed') return words.textsAbroadOff;
  return reason === 'landline_not_allowed' ? enterNumber(phone) : undefined;
}

/** What a person can do about an address that cannot be sent to. */
function adviseOnAddress({ address: { lines }, words }: Country, reason: PostalAddressReason): string {
  switch (reason) {
    case 'address-is-empty':
    case 'not-enough-address-lines':
      return words.enterLines;
    case 'too-many-address-lines':
      return `Enter at most ${lines.max} lines.`;
    case 'cant-send-international-letters':
    case 'not-a-real-uk-postcode':
    case 'not-a-real-uk-postcode-or-country':
    case 'no-town-beside-postcode':
      return words.endWithPostcode;
    default:
      return words.enterAddress;
  }
}

/** A refusal as a problem of the form, beside the field that it is about. Our own fault, or a reason to wait, stays. */
export function toFormProblem(country: Country, failure: Failure): Failure {
  if (failure.kind === 'internal' || failure.kind === 'unavailable') return failure;
  const advice = adviseOnNumber(country, failure.reason);
  if (advice !== undefined) return invalidField('to', advice);
  if (isAddressReason(failure.reason)) return invalidField('to', adviseOnAddress(country, failure.reason));
  const text = failure.problems?.map(({ message }) => message).join('; ') ?? joinDetail(failure);
  const [, field, words] = refusals(country).find(([pattern]) => pattern.test(text)) ?? [undefined, '', text];
  return invalidField(field, words);
}

function joinDetail({ detail }: Failure): string {
  return typeof detail === 'string' ? detail : Object.values(detail).flat().join('; ');
}
