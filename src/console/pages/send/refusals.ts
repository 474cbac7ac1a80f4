import { Failure, invalid, invalidField } from '../../../platform/failure.ts';
import type { Filled } from './send-form.ts';

/** What a person can do about a refusal whose own words are for programs. */
const texts: [RegExp, field: 'to' | '', text: string][] = [
  [
    /trial mode – see/,
    'to',
    'In trial mode you can only send to members of your team and to the guest list. Choose another recipient, or ask to go live.',
  ],
  [
    /letters when service is in trial mode/,
    '',
    'In trial mode no letters are sent. Ask to go live, then send it again.',
  ],
  [
    /^Cannot send to international mobile numbers/,
    'to',
    'This number is abroad, and the service sends to the UK only. Switch on texts abroad in its settings.',
  ],
  [/^Exceeded send limits \(international_sms/, 'to', 'No more texts abroad can be sent today. Try again tomorrow.'],
  [/^Exceeded send limits/, '', 'The daily limit of the service is reached. Try again tomorrow.'],
  [/^Service is not allowed to send/, '', 'This channel is switched off in the settings of the service.'],
  [/^Not a UK mobile number/, 'to', 'Not a UK mobile number'],
];

const ofAddress = /address|postcode/i;

/**
 * A refusal as a problem of the form: beside the field that it is about, if there is one. Failures of ours stay what they
 * are.
 */
export function aboutForm(error: unknown, { values }: Filled): unknown {
  if (!(error instanceof Failure) || !['invalid', 'forbidden', 'too-many'].includes(error.kind)) return error;
  if (typeof error.detail !== 'string') return invalid(error.detail);
  const { detail } = error;
  const known = texts.find(([pattern]) => pattern.test(detail));
  if (known) return invalidField(known[1], known[2]);
  if (detail.startsWith('Missing personalisation')) return invalid(missingOf(values));
  if (detail.includes('character count')) return invalidField(fieldOfLongest(values), `${detail}. Shorten it.`);
  return invalidField(ofAddress.test(detail) ? 'to' : '', detail);
}

/** A value that was left out is asked for in its own field. */
function missingOf(values: Filled['values']): Record<string, string[]> {
  const blank = values.flatMap(({ name, value }, index) =>
    value === '' ? [[`value_${index}`, [`Enter a value for ${name}.`]]] : [],
  );
  return Object.fromEntries(blank);
}

function fieldOfLongest(values: Filled['values']): string {
  const lengths = values.map(({ value }) => value.length);
  return values.length === 0 ? '' : `value_${lengths.indexOf(Math.max(...lengths))}`;
}
