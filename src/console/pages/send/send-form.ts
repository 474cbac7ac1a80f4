import { Type } from 'typebox';
import type { Calendar } from '../../../countries/calendar.ts';
import type { Country } from '../../../countries/country.ts';
import { declared, isText, type Text, t } from '../../../language/text.ts';
import { Failure, invalid, invalidField } from '../../../platform/failure.ts';
import { comparableKey } from '../../../protocol/comparable-key.ts';
import { OneOf } from '../../../protocol/fields.ts';
import { isAddressReason } from '../../../recipients/postal-address.ts';
import type { ReadyTemplate } from '../../../templates/compiled-templates.ts';
import { languagesInUse } from '../../../templates/languages/languages.ts';
import type { FormState } from '../../page.ts';
import { readWhen, WhenFields } from '../../parts/when.tsx';
import { isAddressPlaceholder, toPersonalisation } from '../quick-start/api-request.ts';

/** `names` and `values` are parallel lists, because placeholders may have any name. */
export const SendForm = Type.Object({
  do: Type.Optional(OneOf(['check', 'mine', 'preview', 'change', 'send'])),
  language: Type.Optional(Type.String({ maxLength: 100 })),
  sender_id: Type.Optional(Type.String({ format: 'uuid' })),
  to: Type.Optional(Type.String({ maxLength: 2_000 })),
  names: Type.Array(Type.String()),
  values: Type.Array(Type.String()),
  ...WhenFields,
  reference: Type.Optional(Type.String({ maxLength: 1_000 })),
  send_id: Type.Optional(Type.String({ format: 'uuid' })),
});

/** What a person has filled in. Empty fields are blank. */
export interface Filled {
  to: string;
  /** The placeholders, in the order of the template. */
  values: { name: string; value: string }[];
  /** Blank for a template in one language. */
  language: string;
  sender_id: string;
  /** A date and time. */
  scheduled_for: string;
  reference: string;
}

const textOf = (typed: FormState['typed'], name: string) => [typed.get(name) ?? ''].flat()[0] ?? '';

/** Returns the template's own language unless another was chosen, so that no value of the message chooses it. */
export function readLanguageChoice({ row }: ReadyTemplate, typed: FormState['typed']): string {
  const languages = languagesInUse(row);
  return languages ? textOf(typed, 'language') || languages.default : '';
}

export function readFilled(calendar: Calendar, template: ReadyTemplate, typed: FormState['typed']): Filled {
  const text = (name: string) => textOf(typed, name);
  const list = (name: string) => [typed.get(name) ?? []].flat();
  const sent = new Map(list('names').map((name, index) => [name, list('values')[index] ?? '']));
  return {
    to: text('to'),
    values: listFields(template).map((name) => ({ name, value: (sent.get(name) ?? '').trim() })),
    language: readLanguageChoice(template, typed),
    sender_id: text('sender_id'),
    scheduled_for: readWhen(calendar, Object.fromEntries(typed)),
    reference: text('reference'),
  };
}

/** Returns the values that the message has so far. Omits blank ones, so that the rules report what is missing. */
export function buildPersonalisation(template: ReadyTemplate, { to, values }: Filled): Record<string, string> {
  const filled = Object.fromEntries(values.filter(({ value }) => value !== '').map(({ name, value }) => [name, value]));
  const { id: template_id, template_type: channel } = template.row;
  if (channel === 'letter') return toPersonalisation({ channel, template_id, to, values: filled });
  const recipientNames = template.compiled.placeholders.filter((name) => isRecipientPlaceholder(template, name));
  return to === '' ? filled : { ...filled, ...Object.fromEntries(recipientNames.map((name) => [name, to])) };
}

/** Reports every empty field as a problem of that field. */
export function refuseGaps({ row, compiled }: ReadyTemplate, { to, values }: Filled): void {
  const gaps = values.flatMap(({ name, value }, index) =>
    value === '' ? [[`value_${index}`, describeGap(compiled, name)]] : [],
  );
  const all = to === '' ? [['to', whatIsMissing[row.template_type]], ...gaps] : gaps;
  if (all.length > 0) throw invalid(Object.fromEntries(all));
}

export function describeGap({ conditions }: { conditions: readonly string[] }, name: string): Text {
  return conditions.includes(name)
    ? t('Choose whether to show the text of “{name}”.', { name })
    : t('Enter a value for {name}.', { name });
}

const whatIsMissing = {
  sms: t('Enter a phone number.'),
  email: t('Enter an email address.'),
  letter: t('Enter an address.'),
};

/** Fills empty fields with placeholders, so that the rules find all other problems. */
export function withoutGaps(filled: Filled): Filled {
  return { ...filled, values: filled.values.map(({ name, value }) => ({ name, value: value || `((${name}))` })) };
}

/** Advice for people about rejections whose messages are for programs, keyed by reason. */
const advices = new Map<string, [field: 'to' | '', text: Text]>([
  [
    'not_in_trial_mode',
    [
      'to',
      t(
        'Your service is in trial mode, so you can only send to your team and guest list. Choose another recipient, or ask to go live.',
      ),
    ],
  ],
  [
    'letters_in_trial_mode',
    ['', t('Your service is in trial mode, so it cannot send letters yet. Ask to go live, then send the letter.')],
  ],
  [
    'international_sms_limit',
    ['to', t('Your service has reached its limit of texts to other countries for today. Try again tomorrow.')],
  ],
  ['daily_limit', ['', t('Your service has reached its daily limit. Try again tomorrow.')]],
  ['channel_not_allowed', ['', t('This channel is switched off. Switch it on in the settings of your service.')]],
]);

/** The same for rejections whose wording differs between countries. */
function adviseOnNumber({ words }: Country, reason: string | undefined): Text | undefined {
  if (reason === 'international_not_allowed') return declared(words.numberAbroad);
  return reason === 'landline_not_allowed' ? declared(words.enterMobile) : undefined;
}

const aboutRecipient = new Set(['suppressed', 'not_in_team', 'unsupported_country_code', 'address_missing']);

/** Converts a rejection into a problem of the form, beside the field that it is about, if any. Other failures are returned unchanged. */
export function toFormProblem(country: Country, error: unknown, values: Filled['values']): unknown {
  if (!(error instanceof Failure) || !['invalid', 'forbidden', 'too-many'].includes(error.kind)) return error;
  const { localised, reason = '' } = error;
  if (!isText(localised)) return invalid(localised);
  const advice = adviseOnNumber(country, reason);
  if (advice !== undefined) return invalidField('to', advice);
  const known = advices.get(reason);
  if (known) return invalidField(known[0], known[1]);
  if (reason === 'text_too_long')
    return invalidField(findLongestField(values), t('{problem}. Shorten it.', { problem: localised }));
  return invalidField(isAddressReason(reason) || aboutRecipient.has(reason) ? 'to' : '', localised);
}

function findLongestField(values: Filled['values']): string {
  const lengths = values.map(({ value }) => value.length);
  return values.length === 0 ? '' : `value_${lengths.indexOf(Math.max(...lengths))}`;
}

const recipientKeys = { sms: 'phonenumber', email: 'emailaddress', letter: '' };

/** Whether a placeholder gets its value from the recipient. */
export function isRecipientPlaceholder({ row }: Pick<ReadyTemplate, 'row'>, name: string): boolean {
  return isAddressPlaceholder(row.template_type, name) || comparableKey(name) === recipientKeys[row.template_type];
}

/** Lists placeholders to fill in by hand: neither those of the recipient nor files of the template. */
export function listFields(template: ReadyTemplate): string[] {
  const files = new Set(template.row.email_files.map(({ filename }) => comparableKey(filename)));
  return template.compiled.placeholders.filter(
    (name) => !isRecipientPlaceholder(template, name) && !files.has(comparableKey(name)),
  );
}
