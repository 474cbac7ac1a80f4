import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';

const harness = useHarness({ config: { auth: { importKeys: true } } });
let service: string;
let user: string;

beforeAll(async () => {
  user = await aUser(harness);
  service = await aService(harness, { created_by_id: user });
});

const inUse = (field: string) => ({
  status: 400,
  body: { result: 'error', message: { [field]: ['Already in use.'] } },
});

async function imports(id: string): Promise<{ noun: string; service_id: string }[]> {
  const { body } = await harness.admin('GET', `/platform-admin/audit-log?thing_id=${id}&action=import`);
  return body.data;
}

/** Requests that create something with an id. */
const creating = [
  {
    path: () => '/service',
    noun: 'service',
    body: () => ({ name: `Moved ${randomUUID()}`, user_id: user }),
    idOf: ({ data }: { data: { id: string } }) => data.id,
  },
  {
    path: () => `/service/${service}/template`,
    noun: 'template',
    body: () => ({ name: 'Moved', template_type: 'sms', content: 'Hello', created_by: user }),
    idOf: ({ data }: { data: { id: string } }) => data.id,
  },
  {
    path: () => `/service/${service}/email-reply-to`,
    noun: 'email_reply_to',
    body: () => ({ email_address: `${randomUUID()}@example.org`, is_default: true }),
    idOf: ({ data }: { data: { id: string } }) => data.id,
  },
  {
    path: () => `/service/${service}/sms-sender`,
    noun: 'sms_sender',
    body: () => ({ sms_sender: 'Library', is_default: false }),
    idOf: ({ id }: { id: string }) => id,
  },
];

describe.each(creating)('POST of a $noun with an id', ({ path, noun, body, idOf }) => {
  it('201 under that id, with an audit entry', async () => {
    const id = randomUUID();
    const { status, body: made } = await harness.admin('POST', path(), { ...body(), id: id.toUpperCase() });
    expect([status, idOf(made as never)]).toEqual([201, id]);
    expect(await imports(id)).toMatchObject([{ noun, service_id: noun === 'service' ? id : service }]);
    expect(await harness.admin('POST', path(), { ...body(), id })).toMatchObject(inUse('id'));
  });

  it('400 for an id that anything else has, and for one that is none; nothing is imported', async () => {
    const template = await aTemplate(harness, await aService(harness));
    for (const id of [service, user, template, '00000000-0000-0000-0000-000000000000']) {
      expect(await harness.admin('POST', path(), { ...body(), id })).toMatchObject(inUse('id'));
      expect(await imports(id)).toEqual([]);
    }
    const { status, body: refused } = await harness.admin('POST', path(), { ...body(), id: 'x' });
    expect([status, refused.message]).toEqual([400, { id: ['Not a valid UUID.'] }]);
  });

  it('201 once and 400 once when two come together', async () => {
    const id = randomUUID();
    const answers = await Promise.all([1, 2].map(() => harness.admin('POST', path(), { ...body(), id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  });
});

describe('POST /v2/template with an id', () => {
  it('201 under that id, 400 for one in use, and nothing with dry_run', async () => {
    const key = await anApiKey(harness, service, { manage_templates: true });
    const body = { name: 'By key', type: 'sms', body: 'Hello', id: randomUUID() };
    const tried = await harness.v2('POST', '/v2/template?dry_run=true', key, body);
    expect([tried.status, tried.body.id, await imports(body.id)]).toEqual([200, body.id, []]);
    expect((await harness.v2('POST', '/v2/template', key, body)).body.id).toBe(body.id);
    expect(await imports(body.id)).toMatchObject([{ noun: 'template', actor_type: 'api_key' }]);
    const again = await harness.v2('POST', '/v2/template', key, body);
    expect([again.status, again.body.errors]).toEqual([
      400,
      [{ error: 'ValidationError', message: 'id Already in use.' }],
    ]);
    const manage = { ...body, id: randomUUID() };
    expect((await harness.v2('POST', '/v2/manage-template', key, manage)).status).toBe(400);
  });
});

describe('POST /service/{id}/api-key with a secret', () => {
  const post = (secret: string, name = `key ${randomUUID()}`, of = service) =>
    harness.admin('POST', `/service/${of}/api-key`, { name, key_type: 'normal', created_by: user, secret });

  it('201, works at once, is marked and in the audit log, without the secret', async () => {
    const secret = randomUUID();
    const { status, body } = await post(secret, 'website');
    expect([status, body.data]).toEqual([201, secret]);
    expect((await harness.v2('GET', '/v2/templates', `gcntfy-website-${service}-${secret}`)).status).toBe(200);
    const { apiKeys } = (await harness.admin('GET', `/service/${service}/api-keys`)).body;
    const key = apiKeys.find(({ name }: { name: string }) => name === 'website');
    expect(key.imported).toBe(true);
    expect(await imports(key.id)).toMatchObject([{ noun: 'api_key', service_id: service }]);
    const log = await harness.admin('GET', `/platform-admin/audit-log?thing_id=${key.id}`);
    expect(log.text).not.toContain(secret);
    expect(harness.logged.join('')).not.toContain(secret);
  });

  it('400 for a secret in use anywhere, also by a revoked key, and when two come together', async () => {
    const other = await aService(harness);
    const secret = (await anApiKey(harness, other)).slice(-36);
    expect(await post(secret)).toMatchObject(inUse('secret'));
    expect(await post(secret.toUpperCase())).toMatchObject(inUse('secret'));
    const { apiKeys } = (await harness.admin('GET', `/service/${other}/api-keys`)).body;
    await harness.admin('POST', `/service/${other}/api-key/revoke/${apiKeys[0].id}`, {});
    expect(await post(secret, 'back again', other)).toMatchObject(inUse('secret'));
    const twice = randomUUID();
    const answers = await Promise.all([post(twice), post(twice, 'other', other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect((await post('x')).body.message).toEqual({ secret: ['Not a valid UUID.'] });
  });

  it.each([
    ['the nil UUID', '00000000-0000-0000-0000-000000000000'],
    ['version 1, which is a time', 'a32c5d60-c5f3-11f0-8de9-0242ac120002'],
    ['version 7, which begins with a time', '0199a0a4-2f0b-7c55-b0a7-6d7a3a6f8a13'],
    ['another variant', '7d1f0b7c-3c50-4a8e-2f0b-6d7a3a6f8a13'],
    ['the highest UUID, without hyphens', 'f'.repeat(32)],
  ])('400 for %s', async (_what, secret) => {
    const { status, body } = await post(secret);
    expect([status, body.message]).toEqual([400, { secret: ['Must be a UUID of version 4.'] }]);
  });

  it('403 while IMPORT_KEYS is off, as it is unless somebody turns it on', async () => {
    const { admin } = await harness.anotherProcess({ auth: { importKeys: false } });
    const body = { name: 'never', key_type: 'normal', created_by: user };
    const path = `/service/${service}/api-key`;
    const refused = await admin('POST', path, { ...body, secret: randomUUID() });
    expect([refused.status, refused.body.message]).toEqual([403, 'Keys cannot be imported here: IMPORT_KEYS is off']);
    expect((await admin('POST', path, body)).status).toBe(201);
    const { apiKeys } = (await harness.admin('GET', `/service/${service}/api-keys`)).body;
    expect(apiKeys.find(({ name }: { name: string }) => name === 'never')).not.toHaveProperty('imported');
  });
});
