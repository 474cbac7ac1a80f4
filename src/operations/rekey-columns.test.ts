import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { sql } from 'kysely';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { anApiKey, aService, aTemplate, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { databaseNamed } from '../../test/kit/process/database-url.ts';
import { aPerson } from '../../test/kit/world/console-people.ts';
import { contentOf } from '../plans/message-content.ts';
import { selectPlanMessage } from '../plans/plan-messages.sql.ts';
import { newId } from '../platform/id.ts';
import { SecretBox } from '../platform/secrets/secrets.ts';
import { encryptToken, readSigningKey } from '../services/settings/callback-api.ts';
import { rekey } from './rekey.ts';

/** Every column encrypted with SECRET_KEYS. */
const encryptedColumns = [
  'api_keys.encrypted_secret',
  'documents.recipient_digest',
  'idempotency_keys.response',
  'notifications.secret_personalisation',
  'plan_messages.encrypted_content',
  'sandbox_messages.body',
  'sending_domain_keys.encrypted_private_key',
  'service_callback_api.encrypted_bearer_token',
  'service_callback_signing_secrets.encrypted_secret',
  'service_callbacks.encrypted_bearer_token',
];

const [oldKey, newKey] = ['old', 'new'].map((name) => name.padEnd(32, '.')) as [string, string];
const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  config: { encryption: { keys: [oldKey] }, demo: { enabled: true } },
});
let url: string;

beforeAll(async () => {
  const { rows } = await harness.app.pool.query('select current_database() as name');
  url = databaseNamed(inject('databaseUrl'), rows[0].name);
});

async function columnsOf(types: string[]) {
  const { rows } = await sql<{ table: string; column: string }>`
    select t.table_name as table, c.column_name as column
    from information_schema.tables t join information_schema.columns c using (table_schema, table_name)
    where t.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type = any(${types})
      and t.table_name not in (select inhrelid::regclass::text from pg_inherits)
    order by 1, 2`.execute(harness.app.db);
  return rows;
}

/** Columns with a value encrypted with this key, found by the prefix of the ciphertext. */
async function columnsEncryptedWith(key: string): Promise<string[]> {
  const beginning = new SecretBox([key]).encrypt('any', 'thing').slice(0, 8);
  const found: string[] = [];
  for (const { table, column } of await columnsOf(['text', 'character varying', 'json', 'jsonb', 'bytea', 'ARRAY'])) {
    const { rows } = await sql`
      select 1 from ${sql.table(table)} where position(${beginning} in ${sql.ref(column)}::text) > 0 limit 1
    `.execute(harness.app.db);
    if (rows.length > 0) found.push(`${table}.${column}`);
  }
  return found;
}

/** Creates one value for each encrypted column, with a function that reads it. */
async function writeEverything() {
  const { app, clock } = harness;
  const service_id = await aService(harness, { contact_link: 'https://example.org' });
  const api_key = await anApiKey(harness, service_id);
  const updated_by_id = await aUser(harness);
  const owner = { service_id, callback_type: 'delivery_status' as const };
  const callback = { callback_type: owner.callback_type, url: 'https://example.org/hook', updated_by_id };
  const path = `/service/${service_id}/callback-api`;
  const created = await harness.admin('POST', path, { ...callback, bearer_token: 'a-long-bearer-token' });
  const callback_id = created.body.data.id;
  const signing = await harness.admin('POST', `${path}/${callback_id}/signing-secret`, { updated_by_id });
  await app.db
    .insertInto('service_callbacks')
    .values({
      ...{ ...owner, id: newId(clock.now()), subject_id: newId(clock.now()), url: callback.url, body: '{}' },
      ...{ due_at: '2099-01-01T00:00:00Z', created_at: clock.now().toISOString() },
      encrypted_bearer_token: encryptToken(app, owner, 'a-long-bearer-token'),
    })
    .execute();
  const template_id = await aTemplate(harness, service_id, { template_type: 'email', content: '((f))', subject: 's' });
  const personalisation = { f: { file: 'aGk=', confirm_email_before_download: true } };
  const email = { email_address: 'ada@example.org', template_id, personalisation };
  const headers = { 'idempotency-key': 'once' };
  const sent = await harness.v2('POST', '/v2/notifications/email', api_key, email, headers);
  expect([created.status, signing.status, sent.status]).toEqual([201, 201, 201]);
  await harness.deliver();
  const steps = [
    { channel: 'email', template_id, wait_h: 1 },
    { channel: 'email', template_id },
  ];
  const plan = { name: 'Plan', steps, created_by: updated_by_id };
  expect((await harness.admin('POST', `/service/${service_id}/channel-plan`, plan)).status).toBe(201);
  const { email_address } = email;
  const byPlan = { plan_name: 'Plan', recipient: { email_address }, personalisation: { f: 'x' } };
  const scheduled_for = '2026-11-15T20:00:00Z';
  const planned = await harness.v2('POST', '/v2/messages', api_key, { ...byPlan, scheduled_for });
  expect(planned.status).toBe(201);
  const { id: created_by_id } = await aPerson(harness, { platform_admin: true });
  const domain = { scope: 'installation', name: 'notify.council.example', created_by_id };
  expect((await harness.admin('POST', '/sending-domain', domain)).status).toBe(201);
  return async ({ app, v2, request }: Pick<typeof harness, 'app' | 'v2' | 'request'>) => {
    const secret = await app.db
      .selectFrom('service_callback_signing_secrets')
      .select('encrypted_secret')
      .where('callback_id', '=', callback_id)
      .executeTakeFirstOrThrow();
    const stored = await selectPlanMessage(app.db, { service_id }, planned.body.id);
    if (!stored) throw new Error('The message is missing');
    return {
      message: (await v2('GET', `/v2/notifications/${sent.body.id}`, api_key)).body.body,
      repeated: (await v2('POST', '/v2/notifications/email', api_key, email, headers)).body,
      outbox: (await request({ method: 'GET', url: '/outbox' })).body,
      planned: contentOf(app, stored),
      signingKey: readSigningKey(app, owner, secret.encrypted_secret)?.toString('base64'),
    };
  };
}

describe('pennypost rekey', () => {
  it('re-encrypts every column, so that all values can be read without the old key', async () => {
    const read = await writeEverything();
    expect(await columnsEncryptedWith(oldKey)).toEqual(encryptedColumns);
    const before = await read(harness);
    expect(before.message).toContain('/d/');
    expect(before.repeated.content.body).toBe(before.message);
    expect(before.outbox.messages[0].body).toContain('/d/');

    await rekey({ url, secretKeys: [newKey, oldKey], say: () => {} });
    expect(await columnsEncryptedWith(oldKey)).toEqual([]);
    expect(await columnsEncryptedWith(newKey)).toEqual(encryptedColumns);
    expect(await read(await harness.anotherProcess({ encryption: { keys: [newKey] } }))).toEqual(before);
  });

  it('covers every column with a name like that of a secret', async () => {
    const named = (await columnsOf(['text', 'bytea', 'json', 'jsonb']))
      .filter(({ column }) => /encrypt|secret|sealed|cipher/.test(column))
      .map(({ table, column }) => `${table}.${column}`);
    expect(encryptedColumns).toEqual(expect.arrayContaining(named));
    expect(named.length).toBeGreaterThan(3);
  });

  it('covers every call of encrypt() whose result is stored', () => {
    /** These encrypt cookies, links and tokens that are not stored; those of documents are stored through documents.ts. */
    const notListed = [
      'cookies.ts',
      'document-links.ts',
      'link-tokens.ts',
      'links.ts',
      'message-preview.tsx',
      'rekey.ts',
      'unsubscribe.ts',
    ];
    const src = new URL('..', import.meta.url);
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.test.ts'))
      .map((path) => ({ name: basename(path), text: readFileSync(new URL(path, src), 'utf8') }));
    const listsOf = (text: string) =>
      [...text.matchAll(/export const (\w+): EncryptedValues = /g)].map(([, name = '']) => name);
    const encrypting = files.filter(({ text }) => /\bsecrets\s*\.encrypt\(/.test(text));
    const names = encrypting.filter(({ text }) => listsOf(text).length === 0).map(({ name }) => name);
    expect(names.sort()).toEqual(notListed);

    const kept = /const kept: EncryptedValues\[\] = \[([^\]]*)\]/.exec(
      files.find(({ text }) => text.includes('const kept: EncryptedValues[]'))?.text ?? '',
    );
    const lists = files.flatMap(({ text }) => listsOf(text));
    expect((kept?.[1] ?? '').match(/\w+/g)?.sort()).toEqual(lists.sort());
    expect(lists).toHaveLength(encryptedColumns.length);
  });
});
