import { type Static, Type } from 'typebox';
import type { Country } from '../../countries/country.ts';
import { type Timestamp, timestamp } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import { type Channel, channels } from '../../protocol/channels.ts';
import { AmountFields, Datetime, Nullable, OneOf, StoredPostage, Uuid } from '../../protocol/fields.ts';
import { readPersonalisation, valueToText } from '../../rendering/personalisation.ts';
import { type CompiledTemplates, getTemplateForDelivery, renderPreview } from '../../templates/compiled-templates.ts';
import { notification } from '../examples.ts';
import { type Status, statusLabels } from '../notification.ts';
import { shownValues } from '../sending/secret-values.ts';
import type { PricedNotification } from './stored-notifications.sql.ts';

/** Letters have their own status names in the public API. */
export type PublicStatus = Status | 'accepted' | 'received';

export const publicStatuses = [
  'cancelled',
  'created',
  'sending',
  'sent',
  'delivered',
  'pending',
  'failed',
  'technical-failure',
  'temporary-failure',
  'permanent-failure',
  'pending-virus-check',
  'validation-failed',
  'virus-scan-failed',
  'returned-letter',
  'accepted',
  'received',
] as const satisfies readonly PublicStatus[];

/** Statuses that clients of GC Notify may request. No message here has either of the first two. */
type GcStatus = (typeof gcStatuses)[number];
const gcStatuses = ['provider-failure', 'pii-check-failed', 'in-transit'] as const;

export const statusesForGc = [...publicStatuses, ...gcStatuses];

const Cost = Type.Object({
  cost_in_pounds: Nullable(Type.Number()),
  is_cost_data_ready: Type.Boolean(),
  cost_details: Type.Object({
    billable_sms_fragments: Type.Optional(Type.Integer()),
    international_rate_multiplier: Type.Optional(Type.Number()),
    sms_rate: Type.Optional(Type.Number()),
    billable_sheets_of_paper: Type.Optional(Type.Integer()),
    postage: Type.Optional(Type.String()),
  }),
});

/** Additional fields outside the United Kingdom. */
interface CostAbroad {
  /** The currency of `cost_in_pounds` and `sms_rate`, if it is not GBP. */
  currency?: string;
  /** False if no rate is configured: the message is counted, but its cost is 0. */
  price_known?: false;
}

type Cost = Static<typeof Cost> & CostAbroad;

/** A notification in the public API. Every key is always present, except `estimated_delivery`, which only letters have. */
const publicFields = (country: Country) => ({
  id: Uuid,
  reference: Nullable(Type.String()),
  email_address: Nullable(Type.String()),
  phone_number: Nullable(Type.String()),
  line_1: Nullable(Type.String()),
  line_2: Nullable(Type.String()),
  line_3: Nullable(Type.String()),
  line_4: Nullable(Type.String()),
  line_5: Nullable(Type.String()),
  line_6: Nullable(Type.String()),
  postcode: Nullable(Type.String()),
  postage: Nullable(StoredPostage(country)),
  message_id: Type.Optional(
    Type.String({ ...Uuid, description: 'Only of a step of a message with a channel plan: that message' }),
  ),
  type: OneOf(channels),
  status: OneOf(publicStatuses),
  status_description: Type.String({ description: 'The status in the words of GC Notify' }),
  provider_response: Nullable(Type.String({ description: 'What the provider said of a failure' })),
  template: Type.Object({ id: Uuid, version: Type.Integer(), uri: Type.String() }),
  language: Type.Optional(
    Type.String({ description: 'Only if a text in another language than that of the template was sent' }),
  ),
  body: Type.String(),
  subject: Nullable(Type.String()),
  created_at: Datetime,
  created_by_name: Nullable(Type.String()),
  sent_at: Nullable(Datetime),
  completed_at: Nullable(Datetime),
  scheduled_for: Nullable(Datetime),
  held_until: Type.Optional(
    Type.String({ ...Datetime, description: 'Only of a message that waits for its sending time: when that begins' }),
  ),
  one_click_unsubscribe_url: Nullable(Type.String()),
  ...Cost.properties,
  estimated_delivery: Type.Optional(Datetime),
});

export type PublicNotification = Static<ReturnType<typeof plainSchema>> & CostAbroad;

const plainSchema = (country: Country) => Type.Object(publicFields(country));

export function publicNotificationSchema(country: Country) {
  const { estimated_delivery, ...fields } = publicFields(country);
  return Type.Unsafe<PublicNotification>(
    Type.Object(
      { ...fields, ...AmountFields(country), estimated_delivery },
      { title: 'PublicNotification', examples: [notification] },
    ),
  );
}

export async function publicNotification(
  app: Platform & { compiledTemplates: CompiledTemplates },
  stored: PricedNotification,
  root: string,
): Promise<PublicNotification> {
  const { compiled } = await getTemplateForDelivery(app, stored);
  const { notification_type: type, template_id, template_version } = stored;
  return {
    id: stored.shown_id,
    reference: stored.client_reference,
    ...(stored.message_id === null ? {} : { message_id: stored.message_id }),
    email_address: type === 'email' ? stored.recipient : null,
    phone_number: type === 'sms' ? stored.recipient : null,
    ...addressLines(stored),
    postage: stored.postage,
    type,
    status: publicStatus(type, stored.status),
    status_description: describeStatus(type, publicStatus(type, stored.status), stored.provider_response),
    provider_response: stored.provider_response,
    template: {
      id: template_id,
      version: template_version,
      uri: `${root}/v2/template/${template_id}/version/${template_version}`,
    },
    ...(stored.language === null ? {} : { language: stored.language }),
    ...renderPreview(compiled, shownValues(app, stored, compiled.placeholders)),
    created_at: stored.created_at,
    created_by_name: stored.created_by_name,
    sent_at: stored.sent_at,
    completed_at: completedAt(stored.status, stored.updated_at),
    scheduled_for: stored.scheduled_for,
    ...(stored.held_until === null ? {} : { held_until: stored.held_until }),
    one_click_unsubscribe_url: stored.one_click_unsubscribe_url,
    ...costOf(app.country, stored),
    ...(type === 'letter' ? { estimated_delivery: estimatedDelivery(app, stored) } : {}),
  };
}

function estimatedDelivery({ country }: Platform, { created_at, postage }: PricedNotification): Timestamp {
  return timestamp(country.letterDays.estimatedDelivery(new Date(created_at), postage));
}

function publicStatus(type: Channel, status: Status): PublicStatus {
  if (type !== 'letter') return status;
  if (status === 'created' || status === 'sending') return 'accepted';
  return status === 'delivered' || status === 'returned-letter' ? 'received' : status;
}

/** Reasons given by providers in their own words. */
const blockedReason = /suppress/i;
const abroadReason = /NO_ORIGINATION_IDENTITIES_FOUND|DESTINATION_COUNTRY_BLOCKED/;

export function describeStatus(type: Channel, status: string, reason: string | null): string {
  if (status.endsWith('-failure') && reason !== null) {
    if (type === 'email' && status === 'permanent-failure' && blockedReason.test(reason)) return 'Blocked';
    if (type === 'sms' && abroadReason.test(reason)) return "Can't send to this international number";
  }
  return statusLabels[type][status] ?? status;
}

const failures: Status[] = [
  'technical-failure',
  'temporary-failure',
  'permanent-failure',
  'validation-failed',
  'virus-scan-failed',
  'returned-letter',
];

/** Returns the stored statuses that a status filter matches. */
export function matchingStatuses(status: PublicStatus | GcStatus): Status[] {
  if (status === 'in-transit') return ['created', 'sending', 'pending'];
  if (status === 'provider-failure' || status === 'pii-check-failed') return [];
  if (status === 'failed') return failures;
  if (status === 'accepted') return ['created', 'sending'];
  return status === 'received' ? ['delivered'] : [status];
}

const completed = new Set<Status>([
  'sent',
  'delivered',
  'failed',
  'technical-failure',
  'temporary-failure',
  'permanent-failure',
  'returned-letter',
  'cancelled',
  'validation-failed',
]);

export function completedAt(status: Status, updatedAt: Timestamp | null): Timestamp | null {
  return completed.has(status) ? updatedAt : null;
}

type AddressLines = Pick<
  PublicNotification,
  'line_1' | 'line_2' | 'line_3' | 'line_4' | 'line_5' | 'line_6' | 'postcode'
>;

function addressLines({ notification_type, personalisation }: PricedNotification): AddressLines {
  const values = readPersonalisation(notification_type === 'letter' ? personalisation : {});
  const line = (key: string) => {
    const value = values.get(key);
    return value === undefined || value === null ? null : valueToText(value, 'inline');
  };
  return {
    line_1: line('addressline1'),
    line_2: line('addressline2'),
    line_3: line('addressline3'),
    line_4: line('addressline4'),
    line_5: line('addressline5'),
    line_6: line('addressline6'),
    postcode: line('postcode'),
  };
}

const notReady: Cost = { cost_in_pounds: null, is_cost_data_ready: false, cost_details: {} };
const neverPrinted = new Set<Status>(['cancelled', 'technical-failure', 'validation-failed', 'virus-scan-failed']);

export function costOf(country: Country, stored: PricedNotification): Cost {
  const cost = costInPounds(country, stored);
  const hasRate = stored.rate !== null && !isWithoutRateAbroad(country, stored);
  const isPriced = hasRate || cost.cost_details.billable_sheets_of_paper === 0;
  const isKnown = country.code === 'gb' || stored.notification_type === 'email' || !cost.is_cost_data_ready || isPriced;
  return { ...cost, ...country.money.currencyField, ...(isKnown ? {} : { price_known: false }) };
}

/** Whether this is a text to another country that was accepted before any rates abroad were configured. */
function isWithoutRateAbroad({ phone }: Country, stored: PricedNotification): boolean {
  const { notification_type, international, had_rates_abroad } = stored;
  const mayLackRate = phone.hasRatesAbroad && phone.multiplierAbroad === undefined;
  return mayLackRate && notification_type === 'sms' && international && !had_rates_abroad;
}

/** Known once the message was handed over to a provider. Messages of test keys cost nothing. */
function costInPounds(country: Country, stored: PricedNotification): Cost {
  const { notification_type, status, billable_units } = stored;
  const pounds = stored.key_type === 'test' ? 0 : Number(stored.cost ?? 0);
  if (notification_type === 'email') return { cost_in_pounds: 0, is_cost_data_ready: true, cost_details: {} };
  if (notification_type === 'sms') {
    if (status === 'created' && billable_units === 0) return notReady;
    return {
      cost_in_pounds: pounds,
      is_cost_data_ready: true,
      cost_details: {
        billable_sms_fragments: billable_units,
        international_rate_multiplier: stored.rate_multiplier,
        sms_rate: Number(stored.rate ?? 0),
      },
    };
  }
  if (status === 'pending-virus-check' || (status === 'created' && billable_units === 0)) return notReady;
  const printed = !neverPrinted.has(status);
  return {
    cost_in_pounds: printed ? pounds : 0,
    is_cost_data_ready: true,
    cost_details: {
      billable_sheets_of_paper: printed ? billable_units : 0,
      postage: stored.postage ?? country.postage.default,
    },
  };
}
