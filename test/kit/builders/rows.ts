import type { Insertable } from 'kysely';
import { createApiKey } from '../../../src/auth/api-keys.ts';
import { lanes, type NewNotification } from '../../../src/notifications/notification.ts';
import { insertNotifications } from '../../../src/notifications/sending/notifications.sql.ts';
import { timestamp } from '../../../src/platform/clock.ts';
import { inTransaction } from '../../../src/platform/db/database.ts';
import type { DB } from '../../../src/platform/db/schema.ts';
import { newId } from '../../../src/platform/id.ts';
import type { KeyType } from '../../../src/protocol/key-types.ts';
import { createInboundNumber } from '../../../src/services/inbound-numbers/inbound-numbers.ts';
import type { Harness } from '../harness.ts';

/** Rows with a default for every column: a test sets only the columns it is about. */

let made = 0;

function nextNumber(): number {
  made += 1;
  return made;
}

export async function aUser(
  { app, clock }: Harness,
  fields: {
    name?: string;
    email_address?: string;
    mobile_number?: string;
    password_hash?: string;
    language?: string | null;
    state?: 'pending' | 'active' | 'inactive';
  } = {},
): Promise<string> {
  const id = newId(clock.now());
  const now = timestamp(clock.now());
  await app.db
    .insertInto('users')
    .values({
      id,
      name: 'Ada Sender',
      email_address: `user-${nextNumber()}-${id.slice(-6)}@example.org`,
      mobile_number: '07700900460',
      password_hash: 'none',
      state: 'active',
      email_access_validated_at: now,
      password_changed_at: now,
      created_at: now,
      ...fields,
    })
    .execute();
  return id;
}

export async function anOrganisation(
  { app, clock }: Harness,
  fields: {
    name?: string;
    active?: boolean;
    crown?: boolean | null;
    organisation_type?: 'central' | 'local' | 'nhs_gp' | 'nhs_notify' | 'other' | null;
    email_branding_id?: string;
    letter_branding_id?: string;
    sms_annual_limit?: number;
    domains?: string[];
  } = {},
): Promise<string> {
  const id = newId(clock.now());
  const { domains = [], ...columns } = fields;
  await app.db
    .insertInto('organisations')
    .values({
      id,
      name: `Organisation ${nextNumber()} ${id.slice(-6)}`,
      crown: true,
      organisation_type: 'central',
      created_at: timestamp(clock.now()),
      ...columns,
    })
    .execute();
  for (const domain of domains) {
    await app.db.insertInto('organisation_domains').values({ domain, organisation_id: id }).execute();
  }
  return id;
}

/** The body of a request that creates a user. */
export function aNewUser(fields: object = {}) {
  return {
    name: 'Ada Sender',
    email_address: `new-${nextNumber()}@example.org`,
    mobile_number: '+4407700900460',
    password: 'correct horse',
    ...fields,
  };
}

export async function aService(
  harness: Harness,
  fields: {
    name?: string;
    restricted?: boolean;
    active?: boolean;
    permissions?: string[];
    created_by_id?: string;
    rate_limit?: number;
    api_dialect?: 'govuk' | 'gc';
    sms_message_limit?: number;
    email_message_limit?: number;
    letter_message_limit?: number;
    international_sms_message_limit?: number;
    email_annual_limit?: number;
    sms_annual_limit?: number;
    letter_annual_limit?: number;
    sms_limit_unit?: 'messages' | 'parts';
    prefix_sms?: boolean;
    contact_link?: string;
    organisation_id?: string;
    organisation_type?: 'central' | 'local' | 'nhs_gp' | 'other';
    email_branding_id?: string;
    letter_branding_id?: string;
  } = {},
): Promise<string> {
  const { app, clock } = harness;
  const id = newId(clock.now());
  const now = timestamp(clock.now());
  const name = fields.name ?? `Service ${nextNumber()} ${id.slice(-6)}`;
  const normalised = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '.');
  const creator = fields.created_by_id ?? (await aUser(harness));
  await app.db
    .insertInto('services')
    .values({
      id,
      normalised_name: normalised,
      restricted: false,
      permissions: ['sms', 'email', 'letter', 'international_sms', 'international_letters'],
      email_message_limit: 250_000,
      sms_message_limit: 250_000,
      letter_message_limit: 20_000,
      international_sms_message_limit: 100,
      email_sender_local_part: normalised,
      created_at: now,
      ...fields,
      name,
      created_by_id: creator,
    })
    .execute();
  await app.db
    .insertInto('service_members')
    .values({ service_id: id, user_id: creator, permissions: ['manage_settings'], created_at: now })
    .execute();
  await app.db
    .insertInto('service_sms_senders')
    .values({ id: newId(clock.now()), service_id: id, sms_sender: 'TESTING', is_default: true, created_at: now })
    .execute();
  return id;
}

/** Creates a key and returns all of it, as an application uses it. */
export async function anApiKey(
  harness: Harness,
  serviceId: string,
  fields: {
    name?: string;
    key_type?: KeyType;
    manage_templates?: boolean;
    manage_reports?: boolean;
    send_over_smtp?: boolean;
    expires_at?: string;
    allowed_networks?: string[];
  } = {},
): Promise<string> {
  const name = fields.name ?? `key-${nextNumber()}`;
  const created_by = await aUser(harness);
  const secret = await createApiKey(harness.app, serviceId, {
    name,
    key_type: fields.key_type ?? 'normal',
    created_by,
    manage_templates: fields.manage_templates ?? false,
    manage_reports: fields.manage_reports ?? false,
    send_over_smtp: fields.send_over_smtp ?? false,
    expires_at: fields.expires_at ?? null,
    allowed_networks: fields.allowed_networks ?? null,
  });
  harness.app.changeListener.reset();
  return `${name}-${serviceId}-${secret}`;
}

/** A text message unless `template_type` says otherwise. */
export async function aTemplate(
  harness: Harness,
  serviceId: string,
  fields: Partial<Omit<Insertable<DB['templates']>, 'id' | 'service_id' | 'version'>> = {},
): Promise<string> {
  const { app, clock } = harness;
  const { template_type = 'sms' } = fields;
  const row = {
    id: newId(clock.now()),
    service_id: serviceId,
    name: `Template ${nextNumber()}`,
    template_type,
    subject: template_type === 'sms' ? null : 'About ((thing))',
    content: 'Hello ((name))',
    version: 1,
    archived: false,
    hidden: false,
    process_type: 'normal' as const,
    redact_personalisation: false,
    postage: template_type === 'letter' ? ('second' as const) : null,
    letter_languages: template_type === 'letter' ? ('english' as const) : null,
    has_unsubscribe_link: false,
    created_at: timestamp(clock.now()),
    ...fields,
    created_by_id: fields.created_by_id ?? (await aUser(harness)),
  };
  await app.db.insertInto('templates').values(row).execute();
  const { folder: _only_the_newest_has_one, ...version } = { folder: null, ...row };
  await app.db.insertInto('templates_history').values(version).execute();
  app.changeListener.reset();
  return row.id;
}

/** A letter contact, a reply-to address or an SMS sender, by the type of template it is for. */
export async function aReplyTo(
  { app, clock }: Harness,
  serviceId: string,
  type: 'letter' | 'email' | 'sms',
  fields: { text?: string; is_default?: boolean; archived?: boolean } = {},
): Promise<string> {
  const row = {
    id: newId(clock.now()),
    service_id: serviceId,
    is_default: fields.is_default ?? false,
    archived: fields.archived ?? false,
    created_at: timestamp(clock.now()),
  };
  if (type === 'letter') {
    const contact_block = fields.text ?? '1 Main Street\nSW1A 1AA';
    await app.db
      .insertInto('service_letter_contacts')
      .values({ ...row, contact_block })
      .execute();
  } else if (type === 'email') {
    const email_address = fields.text ?? 'reply@example.org';
    await app.db
      .insertInto('service_email_reply_to')
      .values({ ...row, email_address })
      .execute();
  } else {
    const sms_sender = fields.text ?? 'SENDER';
    await app.db
      .insertInto('service_sms_senders')
      .values({ ...row, sms_sender })
      .execute();
  }
  app.changeListener.reset();
  return row.id;
}

/** Creates a report about two people that was downloaded. */
export async function anUnsubscribeReport({ app, clock }: Harness, serviceId: string): Promise<string> {
  const now = timestamp(clock.now());
  const id = newId(clock.now());
  const span = { earliest_timestamp: now, latest_timestamp: now, created_at: now };
  await app.db
    .insertInto('unsubscribe_reports')
    .values({ ...span, id, service_id: serviceId, count: 2 })
    .execute();
  return id;
}

export async function aTemplateFolder({ app, clock }: Harness, serviceId: string): Promise<string> {
  const id = newId(clock.now());
  const name = `Folder ${nextNumber()}`;
  const created_at = timestamp(clock.now());
  await app.db.insertInto('template_folders').values({ id, service_id: serviceId, name, created_at }).execute();
  return id;
}

/** Creates a message that is accepted now, queued for delivery and counted. `more` overwrites columns. */
export async function aNotification(
  { app, clock }: Harness,
  serviceId: string,
  templateId: string,
  fields: Partial<NewNotification> = {},
  more: Partial<Insertable<DB['notifications']>> = {},
): Promise<string> {
  const now = clock.now();
  const id = newId(now);
  const type = fields.notification_type ?? 'sms';
  const recipients = { sms: '07700900123', email: 'ada@example.org', letter: 'Ada\n1 High Street\nLondon\nSW1A 1AA' };
  const notification: NewNotification = {
    id,
    service_id: serviceId,
    template_id: templateId,
    template_version: 1,
    notification_type: type,
    key_type: 'normal',
    api_key_id: null,
    created_by_id: null,
    status: 'created',
    client_reference: null,
    recipient: recipients[type],
    normalised_recipient: type === 'letter' ? null : recipients[type].replace(/^0/, '44'),
    personalisation: { name: 'Ada' },
    reply_to_text: null,
    postage: type === 'letter' ? 'second' : null,
    international: false,
    rate_multiplier: 1,
    one_click_unsubscribe_url: null,
    scheduled_for: null,
    created_at: timestamp(now),
    lane: type === 'letter' ? null : lanes.normal,
    due_at: timestamp(now),
    ...fields,
  };
  await inTransaction(app.db, (tx) => insertNotifications(app.country, tx, [notification]));
  if (Object.keys(more).length > 0) {
    await app.db.updateTable('notifications').set(more).where('id', '=', id).execute();
  }
  return id;
}

/** Creates a number at which the service receives texts. */
export async function anInboundNumber(
  { app }: Harness,
  service_id: string,
  { number, provider }: { number: string; provider: string },
): Promise<void> {
  const { id } = await createInboundNumber(app, { number, provider });
  await app.db.updateTable('inbound_numbers').set({ service_id }).where('id', '=', id).execute();
}

/** Creates a sending time that is open during the day, every day. */
export async function aSendWindow(harness: Harness, serviceId: string, name = 'Daytime'): Promise<string> {
  const hours = { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from_time: '08:00', until_time: '21:00' };
  return (await harness.admin('POST', `/service/${serviceId}/send-window`, { name, ...hours })).body.data.id;
}
