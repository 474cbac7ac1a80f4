import type { FastifyRequest } from 'fastify';
import { callerWithKey } from '../../../auth/api-caller.ts';
import { createApiKey } from '../../../auth/api-keys.ts';
import type { Country } from '../../../countries/country.ts';
import { asIs, t } from '../../../language/text.ts';
import { sendWithKey } from '../../../notifications/sending/send-with-key.ts';
import { readDemo } from '../../../operations/demo.ts';
import { Failure, invalid, invalidField } from '../../../platform/failure.ts';
import type { Channel } from '../../../protocol/channels.ts';
import type { Service } from '../../../services/services.ts';
import { findTemplate, type ReadyTemplate } from '../../../templates/compiled-templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { FormState } from '../../page.ts';
import type { Visitor } from '../../sessions/sessions.ts';
import { describeGap } from '../send/send-form.ts';
import { listSeenTemplates } from '../templates/library.ts';
import { type ApiRequest, isAddressPlaceholder, toBody } from './api-request.ts';
import { toFormProblem } from './refusals.ts';

type Templates = Awaited<ReturnType<typeof listSeenTemplates>>;

/** The values of the form: what was typed, or examples that can be sent as they are. */
export interface Fields {
  apiKey: string;
  templates: Templates;
  /** Undefined if the service has no template. */
  template: ReadyTemplate | undefined;
  to: string;
  /** One value for each placeholder, in the order of the template. */
  values: { name: string; value: string }[];
  language: string;
}

export interface Sender {
  user: Visitor['user'];
  service: Service;
}

/** A template that is not one of the service's, or that the person may not see, counts as not chosen. */
export async function readFields(
  app: ConsoleApp,
  { user, service }: Sender,
  typed: FormState['typed'],
  chosen = '',
): Promise<Fields> {
  const text = (name: string) => [typed.get(name) ?? ''].flat()[0] ?? '';
  const list = (name: string) => [typed.get(name) ?? []].flat();
  const templates = await listSeenTemplates(app, { service, visitor: { user } });
  const wanted = text('template_id') || chosen;
  const listed = templates.find(({ id }) => id === wanted) ?? templates.find(isText) ?? templates[0];
  const template = listed && (await findReadyTemplate(app, service.id, listed.id));
  const sent = new Map(list('names').map((name, index) => [name, list('values')[index] ?? '']));
  // Values that were typed for another channel do not apply.
  const isSameChannel = template !== undefined && text('channel') === template.row.template_type;
  return {
    apiKey: typed.size > 0 ? text('api_key') : (demoKey(app, service.id) ?? ''),
    templates,
    template,
    to: isSameChannel ? text('to') : template ? exampleRecipient(app.country, user, template.row.template_type) : '',
    values: (template?.compiled.placeholders ?? [])
      .filter((name) => !isAddressPlaceholder(template?.row.template_type, name))
      .map((name) => ({ name, value: sent.get(name) ?? exampleValue(user, name, template) })),
    language: text('language') || 'curl',
  };
}

/** Returns a valid example request with this template. */
export function exampleRequest(country: Country, user: Visitor['user'], { row, compiled }: ReadyTemplate): ApiRequest {
  const names = compiled.placeholders.filter((name) => !isAddressPlaceholder(row.template_type, name));
  return {
    channel: row.template_type,
    template_id: row.id,
    to: exampleRecipient(country, user, row.template_type),
    values: Object.fromEntries(names.map((name) => [name, exampleValue(user, name, { compiled })])),
  };
}

const isText = ({ template_type }: { template_type: Channel }) => template_type === 'sms';

export async function findReadyTemplate(
  app: ConsoleApp,
  serviceId: string,
  templateId: string,
): Promise<ReadyTemplate | undefined> {
  const result = await findTemplate(app, serviceId, templateId);
  return result.found === 'here' ? result.template : undefined;
}

/**
 * Returns the visitor's own address or number, so that a first message reaches no stranger. In the UK, returns a number that Ofcom reserves
 * for fiction.
 */
function exampleRecipient({ phone, address }: Country, user: Visitor['user'], channel: Channel): string {
  if (channel === 'sms') return user.mobile_number ?? phone.profile.examples[0].replaceAll(' ', '');
  return channel === 'email' ? user.email_address : [user.name, ...address.example.slice(1)].join('\n');
}

const examples = new Map([
  ['day', asIs('Friday')],
  ['date', '1 May'],
  ['time', '10:30am'],
]);

function exampleValue(
  { name: userName }: Visitor['user'],
  name: string,
  template: Pick<ReadyTemplate, 'compiled'> | undefined,
): string {
  if (template?.compiled.conditions.includes(name)) return 'yes';
  if (/^(first )?name$/i.test(name)) return userName.split(' ')[0] ?? userName;
  return examples.get(name) ?? name;
}

/** Omits blank values, so that the rules report what is missing. */
export function buildApiRequest({ template, to, values }: Fields): ApiRequest | undefined {
  if (!template) return undefined;
  const filled = values.filter(({ value }) => value !== '').map(({ name, value }) => [name, value]);
  return { channel: template.row.template_type, template_id: template.row.id, to, values: Object.fromEntries(filled) };
}

/** Returns the demo's key to people who manage the keys of the service; `pennypost demo` prints it too. */
function demoKey({ config }: ConsoleApp, serviceId: string): string | undefined {
  if (!config.demo.enabled) return undefined;
  const demo = readDemo(config.storage.dataDir);
  return demo?.service_id === serviceId ? demo.api_key : undefined;
}

/** Creates a test key. Its messages are never handed over to a provider. The page shows the key once; it is stored encrypted. */
export async function createTestKey(app: ConsoleApp, { user, service }: Sender): Promise<string> {
  const moment = app.clock.now().toISOString().slice(0, 19).replaceAll(/\D/g, '');
  const name = `quick-start-${moment}`;
  const secret = await createApiKey(app, service.id, { name, key_type: 'test', created_by: user.id });
  return `${app.config.api.keyPrefix}${name}-${service.id}-${secret}`;
}

export interface SentMessage {
  id: string;
  took_ms: number;
}

/**
 * Sends what the code would send, with the same key. Idempotent for the same form. Problems are shown beside the fields of the page, all at
 * once.
 */
export async function sendFromHere(
  app: ConsoleApp,
  request: FastifyRequest,
  serviceId: string,
  fields: Fields,
  once: string,
): Promise<SentMessage> {
  const toSend = buildApiRequest(fields);
  if (!toSend) throw invalidField('template_id', t('Write a template first.'));
  const missing = listMissing(fields, toSend.channel);
  if (missing.length > 0) throw invalid(Object.fromEntries(missing));
  const began = performance.now();
  const refuse = (error: unknown): never => {
    throw error instanceof Failure ? toFormProblem(app.country, error) : error;
  };
  const caller = await callerWithKey(app, request, fields.apiKey).catch(refuse);
  if (caller.service_id !== serviceId) throw invalidField('api_key', t('This key belongs to another service.'));
  const send = {
    channel: toSend.channel,
    body: toBody(toSend),
    compileValidationSchema: request.compileValidationSchema.bind(request),
    once,
  };
  const { id } = await sendWithKey(app, caller, send).catch(refuse);
  return { id, took_ms: Math.round(performance.now() - began) };
}

const recipientNeeds: Record<Channel, string> = {
  sms: t('Enter a phone number.'),
  email: t('Enter an email address.'),
  letter: t('Enter a name and an address.'),
};

function listMissing({ apiKey, template, to, values }: Fields, channel: Channel): [field: string, text: string][] {
  return [
    ['api_key', apiKey, t('Enter an API key, or create one.')],
    ['to', to, recipientNeeds[channel]],
    ...values.map(({ name, value }, index) => [
      `value_${index}`,
      value,
      describeGap(template?.compiled ?? { conditions: [] }, name),
    ]),
  ].flatMap(([field = '', value, text = '']) => (value === '' ? [[field, text]] : []));
}
