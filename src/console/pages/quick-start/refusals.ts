import type { Country } from '../../../countries/country.ts';
import type { PhoneRules } from '../../../countries/phone-rules.ts';
import { declared, isText, joined, type Text, t } from '../../../language/text.ts';
import { type Failure, invalidField, type Problem } from '../../../platform/failure.ts';
import { isAddressReason, type PostalAddressReason } from '../../../recipients/postal-address.ts';

interface Advice {
  field: 'api_key' | 'to' | '';
  text: Text;
}

/** Advice for people about rejections by the API, keyed by reason. The API's own messages are for programs. */
const advices = new Map<string, Advice>([
  ['keyRevoked', { field: 'api_key', text: t('This key was revoked. Paste another key, or create one.') }],
  ['network', { field: 'api_key', text: t('This key cannot be used from your network. Use another key.') }],
  [
    'letters_with_team_key',
    { field: 'api_key', text: t('This key cannot send letters. Use a test key or a live key.') },
  ],
  [
    'not_in_team',
    {
      field: 'to',
      text: t('This key can only send to your team and guest list. Enter another recipient, or use another key.'),
    },
  ],
  [
    'not_in_trial_mode',
    {
      field: 'to',
      text: t(
        'In trial mode you can only send to your team and guest list. Enter another recipient, or ask to go live.',
      ),
    },
  ],
  ['letters_in_trial_mode', { field: '', text: t('You cannot send letters in trial mode. Ask to go live first.') }],
  [
    'suppressed',
    {
      field: 'to',
      text: t('This address is on the suppression list of the service. Remove it from that list to send again.'),
    },
  ],
  ['text_too_long', { field: '', text: t('The message is too long. Shorten its values or its template.') }],
  ['rate_limit', { field: '', text: t('You have sent too many requests with this key. Try again in a minute.') }],
  ['daily_limit', { field: '', text: t('Your service has reached its limit for today. Try again tomorrow.') }],
  [
    'international_sms_limit',
    { field: '', text: t('Your service has reached its limit for today. Try again tomorrow.') },
  ],
  ['channel_not_allowed', { field: '', text: t('This channel is switched off in the settings of the service.') }],
]);

const enterNumber = ({ profile }: PhoneRules) =>
  t('Enter a phone number, for example {examples}.', { examples: profile.examples[0] });

function adviseOn(country: Country, { code, reason = '', problems = [] }: Failure): Advice | undefined {
  const { phone, words } = country;
  const known = advices.get(reason);
  if (known) return known;
  if (code === 'AuthError') return { field: 'api_key', text: t('Enter a key of this service, or create one.') };
  if (reason === 'international_not_allowed') return { field: 'to', text: declared(words.textsAbroadOff) };
  const isAbout = (property: string) => problems.some(({ about }) => isProperty(about, property));
  if (numberReasons.has(reason) || isAbout('phone_number')) return { field: 'to', text: enterNumber(phone) };
  if (isAbout('email_address'))
    return { field: 'to', text: t('Enter an email address, for example name@example.org.') };
  if (reason === 'address_missing') return { field: 'to', text: declared(words.enterAddress) };
  return isAddressReason(reason) ? { field: 'to', text: adviseOnAddress(country, reason) } : undefined;
}

const numberReasons = new Set(['landline_not_allowed', 'unsupported_country_code']);

function isProperty(about: Problem['about'], property: string): boolean {
  return typeof about === 'object' && about.property === property;
}

/** Advice about an address that a letter cannot be sent to. */
function adviseOnAddress({ address: { lines }, words }: Country, reason: PostalAddressReason): Text {
  switch (reason) {
    case 'address-is-empty':
    case 'not-enough-address-lines':
      return declared(words.enterLines);
    case 'too-many-address-lines':
      return t('Enter at most {max} lines.', { max: lines.max });
    case 'cant-send-international-letters':
    case 'not-a-real-uk-postcode':
    case 'not-a-real-uk-postcode-or-country':
    case 'no-town-beside-postcode':
      return declared(words.endWithPostcode);
    default:
      return declared(words.enterAddress);
  }
}

/** Converts a rejection into a problem of the form, beside the field that it is about. Failures of the server are returned unchanged. */
export function toFormProblem(country: Country, failure: Failure): Failure {
  if (failure.kind === 'internal' || failure.kind === 'unavailable') return failure;
  const advice = adviseOn(country, failure);
  if (advice) return invalidField(advice.field, advice.text);
  return invalidField(
    '',
    failure.problems
      ? joined(
          failure.problems.map(({ message }) => message),
          '; ',
        )
      : joinTexts(failure),
  );
}

function joinTexts({ localised }: Failure): string {
  return isText(localised) ? localised : joined(Object.values(localised).flat(), '; ');
}
