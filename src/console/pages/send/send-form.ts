import { Type } from 'typebox';
import { OneOf } from '../../../protocol/fields.ts';
import type { ReadyTemplate } from '../../../templates/compiled-templates.ts';
import type { FormState } from '../../page.ts';
import { personalisationOf } from '../quick-start/api-request.ts';
import { fieldsOf, isOfRecipient } from './sendable-templates.ts';

/** `names` and `values` belong together: placeholders may have any name. */
export const SendForm = Type.Object({
  do: Type.Optional(OneOf(['check', 'mine', 'preview', 'change', 'send'])),
  sender_id: Type.Optional(Type.String({ format: 'uuid' })),
  to: Type.Optional(Type.String({ maxLength: 2_000 })),
  names: Type.Array(Type.String()),
  values: Type.Array(Type.String()),
  scheduled_for: Type.Optional(Type.String()),
  reference: Type.Optional(Type.String({ maxLength: 1_000 })),
  send_id: Type.Optional(Type.String({ format: 'uuid' })),
});

/** What a person has filled in, blank where nothing. */
export interface Filled {
  to: string;
  /** In the order of the template. */
  values: { name: string; value: string }[];
  sender_id: string;
  scheduled_for: string;
  reference: string;
}

export function readFilled(template: ReadyTemplate, typed: FormState['typed']): Filled {
  const text = (name: string) => [typed.get(name) ?? ''].flat()[0] ?? '';
  const list = (name: string) => [typed.get(name) ?? []].flat();
  const sent = new Map(list('names').map((name, index) => [name, list('values')[index] ?? '']));
  return {
    to: text('to'),
    values: fieldsOf(template).map((name) => ({ name, value: (sent.get(name) ?? '').trim() })),
    sender_id: text('sender_id'),
    scheduled_for: text('scheduled_for'),
    reference: text('reference'),
  };
}

/** The values that the message has so far. Blank ones are left out: the rules say what is missing. */
export function valuesOfMessage(template: ReadyTemplate, { to, values }: Filled): Record<string, string> {
  const filled = Object.fromEntries(values.filter(({ value }) => value !== '').map(({ name, value }) => [name, value]));
  const { id: template_id, template_type: channel } = template.row;
  if (channel === 'letter') return personalisationOf({ channel, template_id, to, values: filled });
  const ofRecipient = template.compiled.placeholders.filter((name) => isOfRecipient(template, name));
  return to === '' ? filled : { ...filled, ...Object.fromEntries(ofRecipient.map((name) => [name, to])) };
}
