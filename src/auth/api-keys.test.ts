import { describe, expect, it } from 'vitest';
import { anApiKey, aService, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { newId } from '../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;
const now = '2026-11-15T12:00:00.000000Z';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function aKey(fields: object = {}) {
  const service = await aService(harness);
  const created_by = await aUser(harness);
  const request = { name: 'Main key', key_type: 'normal', created_by, ...fields };
  const response = await admin('POST', `/service/${service}/api-key`, request);
  const { apiKeys } = (await admin('GET', `/service/${service}/api-keys`)).body;
  return { service, created_by, request, response, key: apiKeys[0] };
}

describe('POST /service/{id}/api-key', () => {
  it('201 with the secret, only this once; it authenticates with the public API', async () => {
    const { service, created_by, response, key } = await aKey();
    expect(response.status).toBe(201);
    expect(response.body).toEqual({ data: expect.stringMatching(uuid) });
    expect(key).toEqual({
      id: expect.stringMatching(uuid),
      name: 'Main key',
      key_type: 'normal',
      created_by,
      created_at: now,
      updated_at: null,
      expiry_date: null,
      expires_at: null,
      allowed_networks: null,
      last_used_at: null,
      version: 1,
    });
    const opened = await harness.v2('GET', '/v2/templates', `Main key-${service}-${response.body.data}`);
    expect(opened.status).toBe(200);
    const { encrypted_secret } = await harness.app.db
      .selectFrom('api_keys')
      .select('encrypted_secret')
      .where('id', '=', key.id)
      .executeTakeFirstOrThrow();
    expect(encrypted_secret).not.toContain(response.body.data);
  });

  it.each(['normal', 'team', 'test'])('201 for a %s key', async (key_type) => {
    expect((await aKey({ key_type })).key.key_type).toBe(key_type);
  });

  it.each(['live', 'LIVE'])('201 for a %s key, stored as normal', async (key_type) => {
    expect((await aKey({ key_type })).key.key_type).toBe('normal');
  });

  it('400 for the name of a live key of the service; 201 after that key is revoked', async () => {
    const { service, request, key } = await aKey();
    const { status, body } = await admin('POST', `/service/${service}/api-key`, request);
    expect([status, body.message]).toEqual([400, { name: ["Duplicate API key name 'Main key'"] }]);
    await admin('POST', `/service/${service}/api-key/revoke/${key.id}`);
    expect((await admin('POST', `/service/${service}/api-key`, request)).status).toBe(201);
  });

  const missing = ['Missing data for required field.'];
  it.each([
    [
      { name: undefined, key_type: undefined, created_by: undefined },
      { name: missing, key_type: missing, created_by: missing },
    ],
    [{ key_type: 'golden' }, { key_type: ['Must be one of: normal, team, test.'] }],
    [
      { name: null, created_by: 'me' },
      { name: ['Field may not be null.'], created_by: ['Not a valid UUID.'] },
    ],
    [{ name: 'x'.repeat(256) }, { name: ['Longer than maximum length 255.'] }],
    [{ created_by: newId(new Date()) }, { created_by: ['No result found'] }],
  ])('400 for %o', async (fields, message) => {
    const { response } = await aKey(fields);
    expect([response.status, response.body.message]).toEqual([400, message]);
  });

  it('404 for an unknown service', async () => {
    const request = { name: 'x', key_type: 'normal', created_by: await aUser(harness) };
    expect((await admin('POST', `/service/${newId(new Date())}/api-key`, request)).status).toBe(404);
  });
});

describe('GET /service/{id}/api-keys', () => {
  it('200 with live keys and those revoked in the last seven days', async () => {
    const { service, key } = await aKey();
    await admin('POST', `/service/${service}/api-key/revoke/${key.id}`);
    await anApiKey(harness, service, { name: 'Live key' });
    const names = async () =>
      (await admin('GET', `/service/${service}/api-keys`)).body.apiKeys.map(({ name }: { name: string }) => name);
    expect(await names()).toEqual(['Main key', 'Live key']);
    harness.clock.advance({ days: 7, seconds: 1 });
    expect(await names()).toEqual(['Live key']);
    harness.clock.set('2026-11-15T12:00:00Z');
  });

  it('200 with one key by id; 404 after it is revoked', async () => {
    const { service, key } = await aKey();
    const path = `/service/${service}/api-keys/${key.id}`;
    expect((await admin('GET', path)).body).toEqual({ apiKeys: [key] });
    await admin('POST', `/service/${service}/api-key/revoke/${key.id}`);
    const { status, body } = await admin('GET', path);
    expect([status, body.message]).toEqual([404, `API key not found for id: ${service}`]);
  });

  it('404 for an unknown service', async () => {
    expect((await admin('GET', `/service/${newId(new Date())}/api-keys`)).status).toBe(404);
  });
});

describe('POST /service/{id}/api-key/revoke/{key_id}', () => {
  it('202 with null; the key is rejected immediately and its history records who revoked it', async () => {
    const { service, response, key } = await aKey();
    const revoker = await aUser(harness);
    const path = `/service/${service}/api-key/revoke/${key.id}`;
    expect(await admin('POST', path, { created_by: revoker })).toMatchObject({ status: 202, text: 'null' });
    const refused = await harness.v2('GET', '/v2/templates', `Main key-${service}-${response.body.data}`);
    expect([refused.status, refused.body.errors[0].message]).toEqual([403, 'Invalid token: API key revoked']);
    const [revoked] = (await admin('GET', `/service/${service}/api-keys`)).body.apiKeys;
    expect(revoked).toEqual({ ...key, created_by: revoker, version: 2, updated_at: now, expiry_date: now });
  });

  it('202 again, and the key keeps its first revocation time', async () => {
    const { service, key } = await aKey();
    const path = `/service/${service}/api-key/revoke/${key.id}`;
    await admin('POST', path);
    harness.clock.advance({ minutes: 1 });
    expect((await admin('POST', path)).status).toBe(202);
    harness.clock.set('2026-11-15T12:00:00Z');
    const [revoked] = (await admin('GET', `/service/${service}/api-keys`)).body.apiKeys;
    expect(revoked).toMatchObject({ version: 2, expiry_date: now });
  });

  it('400 for other fields, 404 for unknown keys and keys of another service', async () => {
    const { service, key } = await aKey();
    const other = await aKey();
    const path = `/service/${service}/api-key/revoke`;
    const refused = await admin('POST', `${path}/${key.id}`, { reason: 'x' });
    expect([refused.status, refused.body.message]).toEqual([400, { _schema: ['Unknown field name reason'] }]);
    expect((await admin('POST', `${path}/${other.key.id}`)).status).toBe(404);
    expect((await admin('POST', `${path}/${newId(new Date())}`)).status).toBe(404);
  });
});
