import { sql } from 'kysely';
import { anApiKey, aTemplate } from '../builders/rows.ts';
import { adminToken, type Harness } from '../harness.ts';
import type { ConsoleWorld } from './console-world.ts';

/** How many rows of a table a large installation has, and what differs between them: SQL in which `copy` counts from 1. */
interface Copies {
  table: string;
  count: number;
  /** Which row is copied. */
  where: string;
  change?: Record<string, string>;
}

/** A text of this length in which a language that renders it finds as much to do as it can. */
export function longText(length: number): string {
  const part = '# Title\n\n* [link](https://example.org/a) & "quoted" <b> ((name))\n\n| a | b |\n';
  return part.repeat(Math.ceil(length / part.length)).slice(0, length);
}

const languageTags = Array.from({ length: 50 }, (_, index) => `en-x-${index.toString(36).padStart(3, 'a')}`);

/** As many of everything as a service or an installation can have, or as many as a large one has where there is no limit. */
export async function fillToTheLimits(harness: Harness, world: ConsoleWorld): Promise<{ key: string }> {
  const key = await anApiKey(harness, world.service.id, { manage_templates: true, manage_reports: true });
  await lengthenTemplates(harness, world);
  for (const copies of copiesOf(world)) await copyRow(harness, copies);
  for (let number = 0; number < 200; number += 1) await anApiKey(harness, world.service.id);
  await sendLongEmail(harness, world, key);
  await sql`analyze`.execute(harness.app.db);
  return { key };
}

/** An email of almost two million bytes, half of it values. */
async function sendLongEmail(harness: Harness, { ids, service }: ConsoleWorld, key: string): Promise<void> {
  const content = `((name))\n\n${longText(390_000)}`;
  const template_id = await aTemplate(harness, service.id, {
    template_type: 'email',
    subject: 'Long ((name))',
    content,
  });
  const sent = await harness.v2('POST', '/v2/notifications/email', key, {
    ...{
      email_address: 'ada@example.org',
      template_id,
      personalisation: { name: 'a [link](https://example.org) '.repeat(10) },
    },
  });
  if (sent.status !== 201) throw new Error(`POST /v2/notifications/email: ${sent.text}`);
  for (const name of ['message_id', 'email_id']) ids.set(name, sent.body.id);
  await harness.deliver();
}

async function lengthenTemplates(harness: Harness, { ids, service, visitors }: ConsoleWorld): Promise<void> {
  const created_by = visitors.get('a manager')?.user?.id;
  const save = async (name: string, change: object) => {
    const url = `/service/${service.id}/template/${ids.get(name)}`;
    const { statusCode, body } = await harness.http.inject({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${adminToken(harness.clock)}`, 'content-type': 'application/json' },
      payload: JSON.stringify({ ...change, created_by }),
    });
    if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${body.slice(0, 500)}`);
  };
  for (const mark of ['a', 'b']) {
    const languages = (length: number, subject?: string) => ({
      default: 'en',
      variants: [...languageTags.slice(1), 'fr'].map((language) => ({
        language,
        ...(subject === undefined ? {} : { subject }),
        content: `${mark}${longText(length)}`,
      })),
    });
    await save('email_template_id', { content: `${mark}${longText(1_990_000)}`, languages: languages(39_000, 'S') });
    await save('letter_template_id', { content: `${mark}${longText(20_000)}`, languages: languages(4_000, 'S') });
    await save('template_id', { content: `${mark}${'é ((name)) '.repeat(80)}`, languages: languages(800) });
  }
}

function copiesOf({ ids, service, visitors }: ConsoleWorld): Copies[] {
  const id = (name: string) => `id = '${ids.get(name)}'`;
  const ofService = `service_id = '${service.id}'`;
  const unique = (text: string) => `concat('${text} ', copy)`;
  const template = { name: unique('Reminder'), content: `repeat('Hello ((name)), see you soon. ', 10)` };
  const manager = visitors.get('a manager')?.user?.id ?? '';
  const past = (column: string) => `${column} - copy * interval '1 minute'`;
  const copies: Copies[] = [
    {
      table: 'templates',
      count: 5_000,
      where: id('template_id'),
      change: { ...template, language: 'null', version: '1' },
    },
    {
      table: 'templates_history',
      count: 5_000,
      where: `${id('template_id')} and version = 1`,
      change: { ...template, id: uuidOf('templates'), language: 'null' },
    },
    { table: 'template_folders', count: 1_000, where: id('folder_id'), change: { name: unique('Folder') } },
    {
      table: 'users',
      count: 5_000,
      where: id('person_id'),
      change: { name: unique('Person'), email_address: `concat('person.', copy, '@example.org')` },
    },
    {
      table: 'service_members',
      count: 500,
      where: `${ofService} and user_id = '${ids.get('person_id')}'`,
      change: { user_id: uuidOf('users') },
    },
    {
      table: 'recurring_sends',
      count: 49,
      where: id('recurring_send_id'),
      change: {
        rule: `(array['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=500', 'FREQ=DAILY;COUNT=500', 'FREQ=MONTHLY;BYDAY=-1WD;COUNT=500'])[1 + copy % 3]`,
        ...{ state: `'active'`, next_at: `'2026-11-16T10:00:00Z'`, starts_on: `'2025-12-01'`, ends_reason: 'null' },
      },
    },
    { table: 'contact_lists', count: 500, where: id('list_id'), change: { original_file_name: unique('list') } },
    { table: 'uploads', count: 500, where: id('email_file_id'), change: { original_file_name: unique('file') } },
    { table: 'jobs', count: 5_000, where: id('file_id'), change: { created_at: past('created_at') } },
    { table: 'channel_plans', count: 500, where: id('plan_id'), change: { name: unique('Plan') } },
    { table: 'plan_messages', count: 5_000, where: id('plan_message_id') },
    { table: 'send_windows', count: 50, where: id('send_window_id'), change: { name: unique('Window') } },
    { table: 'inbound_sms', count: 5_000, where: id('received_id'), change: { user_number: `concat('4477', copy)` } },
    {
      table: 'suppressed_recipients',
      count: 5_000,
      where: id('suppressed_id'),
      change: { email_address: `concat('person.', copy, '@example.org')` },
    },
    { table: 'sms_opt_outs', count: 5_000, where: id('opt_out_id'), change: { user_number: `concat('4477', copy)` } },
    {
      table: 'services',
      count: 5_000,
      where: `id = '${service.id}'`,
      change: {
        ...{ name: unique('Service'), normalised_name: unique('service') },
        email_sender_local_part: unique('service'),
      },
    },
    { table: 'organisations', count: 2_000, where: `id = '${service.organisation}'`, change: { name: unique('Town') } },
    { table: 'email_branding', count: 1_000, where: id('email_brand_id'), change: { name: unique('Brand') } },
    {
      table: 'letter_branding',
      count: 1_000,
      where: id('letter_brand_id'),
      change: { name: unique('Brand'), filename: unique('brand') },
    },
    {
      table: 'organisation_email_branding_pool',
      count: 1_000,
      where: 'true',
      change: { email_branding_id: uuidOf('email_branding') },
    },
    {
      table: 'organisation_letter_branding_pool',
      count: 1_000,
      where: 'true',
      change: { letter_branding_id: uuidOf('letter_branding') },
    },
    { table: 'service_sms_senders', count: 500, where: id('sms_sender_id'), change: { is_default: 'false' } },
    {
      table: 'service_email_reply_to',
      count: 500,
      where: id('reply_to_id'),
      change: { is_default: 'false', email_address: `concat('desk.', copy, '@example.org')` },
    },
    { table: 'service_letter_contacts', count: 500, where: id('letter_contact_id'), change: { is_default: 'false' } },
    { table: 'complaints', count: 5_000, where: 'true' },
    { table: 'audit_log', count: 10_000, where: id('entry_id'), change: { created_at: past('created_at') } },
    { table: 'notifications', count: 10_000, where: id('text_id') },
    {
      table: 'inbound_numbers',
      count: 1_000,
      where: id('number_id'),
      change: {
        number: `concat('44799', 100000 + copy)`,
        normalised_number: `concat('44799', 100000 + copy)`,
      },
    },
    { table: 'sessions', count: 500, where: `user_id = '${manager}'`, change: { token_hash: 'md5(copy::text)' } },
    { table: 'service_join_requests', count: 500, where: id('request_id') },
  ];
  return copies;
}

const uuidOf = (table: string) => `md5(concat('${table}', copy))::uuid`;

async function copyRow({ app }: Harness, { table, count, where, change = {} }: Copies): Promise<void> {
  const { rows } = await sql<{ column_name: string; data_type: string }>`
    select column_name, data_type from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'`.execute(app.db);
  const changed: Record<string, string> = { id: uuidOf(table), ...change };
  const columns = rows.map(({ column_name }) => column_name);
  const values = columns.map((column) => changed[column] ?? column);
  await sql
    .raw(`insert into ${table} (${columns.join(', ')}) select ${values.join(', ')}
      from (select * from ${table} where ${where} limit 1) row cross join generate_series(1, ${count}) as copy`)
    .execute(app.db)
    .catch((error: unknown) => {
      throw new Error(`rows of ${table}: ${error}`, { cause: error });
    });
}
