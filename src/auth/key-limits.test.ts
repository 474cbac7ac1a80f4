import { beforeEach, describe, expect, it } from 'vitest';
import { jwt } from '../../test/kit/builders/jwt.ts';
import { aService, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { credentialTexts } from './bearer.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { http: { trustedProxies: ['10.0.0.0/8'] } } });
const { admin } = harness;

beforeEach(() => harness.clock.set('2026-11-15T12:00:00Z'));

async function createKey(limits: object) {
  const service = await aService(harness);
  const request = { name: 'limited', key_type: 'normal', created_by: await aUser(harness), ...limits };
  const response = await admin('POST', `/service/${service}/api-key`, request);
  const { apiKeys } = (await admin('GET', `/service/${service}/api-keys`)).body;
  return {
    service,
    response,
    listed: apiKeys[0],
    secret: response.body.data,
    key: `k-${service}-${response.body.data}`,
  };
}

function ask(key: string, { from = '127.0.0.1', forwarded = '' } = {}) {
  const headers = { authorization: `Bearer ${key}`, ...(forwarded ? { 'x-forwarded-for': forwarded } : {}) };
  return harness.request({ method: 'GET', url: '/v2/templates', headers, remoteAddress: from });
}

function refusal(message: string) {
  return { status_code: 403, errors: [{ error: 'AuthError', message }] };
}

describe('a key with expires_at', () => {
  it('works until it expires, then is rejected like a revoked key, also when cached', async () => {
    const { service, secret, key, listed } = await createKey({ expires_at: '2026-11-15T12:00:10Z' });
    expect(listed).toMatchObject({ expires_at: '2026-11-15T12:00:10.000000Z', expiry_date: null });
    const token = jwt({ iss: service, iat: harness.clock.now().getTime() / 1_000 }, secret);
    expect([(await ask(key)).status, (await ask(token)).status]).toEqual([200, 200]);
    harness.clock.advance({ seconds: 9 });
    expect([(await ask(key)).status, (await ask(token)).status]).toEqual([200, 200]);
    harness.clock.advance({ seconds: 1 });
    expect((await ask(key)).body).toEqual(refusal(credentialTexts.keyRevoked));
    expect((await ask(token)).body).toEqual(refusal(credentialTexts.keyRevoked));
  });

  it.each([
    ['2026-11-15T12:00:00Z', 'Must be in the future.'],
    ['tomorrow', 'Not a valid datetime.'],
    [7, 'Not a valid datetime.'],
  ])('400 for %j', async (expires_at, text) => {
    const { response } = await createKey({ expires_at });
    expect([response.status, response.body.message]).toEqual([400, { expires_at: [text] }]);
  });
});

describe('a key with allowed_networks', () => {
  const networks = ['192.0.2.0/24', '2001:db8::/32', '198.51.100.7'];

  it.each([
    ['192.0.2.9', '', 200],
    ['::ffff:192.0.2.9', '', 200],
    ['2001:db8::9', '', 200],
    ['198.51.100.7', '', 200],
    ['198.51.100.8', '', 403],
    ['127.0.0.1', '192.0.2.9', 403],
    ['10.0.0.1', '192.0.2.9', 200],
    ['10.0.0.1', '192.0.2.9, 203.0.113.5', 403],
    ['10.0.0.1', '192.0.2.9, 10.1.1.1', 200],
    ['10.0.0.1', '', 403],
  ])('from %s, forwarded for "%s": %i', async (from, forwarded, status) => {
    const { key } = await createKey({ allowed_networks: networks });
    const response = await ask(key, { from, forwarded });
    expect(response.status).toBe(status);
    if (status === 403) expect(response.body).toEqual(refusal(credentialTexts.network));
  });

  it('checks the address on every request, also when the key is cached', async () => {
    const { key, listed } = await createKey({ allowed_networks: networks });
    expect(listed.allowed_networks).toEqual(networks);
    expect((await ask(key, { from: '192.0.2.1' })).status).toBe(200);
    expect((await ask(key, { from: '203.0.113.1' })).status).toBe(403);
    expect((await ask(key, { from: '192.0.2.1' })).status).toBe(200);
  });

  it.each([
    [['example.org'], 'Not a valid network: example.org'],
    [['192.0.2.0/33'], 'Not a valid network: 192.0.2.0/33'],
    [[], 'Must name at least one network, or be null.'],
    ['192.0.2.0/24', 'Not a valid list.'],
  ])('400 for %j', async (allowed_networks, text) => {
    const { response } = await createKey({ allowed_networks });
    expect([response.status, response.body.message]).toEqual([400, { allowed_networks: [text] }]);
  });
});

describe('last_used_at', () => {
  it('is written once a minute and does not invalidate cached keys', async () => {
    const { service, key } = await createKey({});
    const lastUsed = async () => (await admin('GET', `/service/${service}/api-keys`)).body.apiKeys[0].last_used_at;
    expect(await lastUsed()).toBeNull();
    await ask(key);
    const inMemory = harness.app.serviceKeys.peek(service);
    expect(inMemory).toBeDefined();
    await harness.app.keyUses.write();
    expect(await lastUsed()).toBe('2026-11-15T12:00:00.000000Z');
    harness.clock.advance({ seconds: 30 });
    await ask(key);
    await harness.app.keyUses.write();
    expect(await lastUsed()).toBe('2026-11-15T12:00:00.000000Z');
    expect(harness.app.serviceKeys.peek(service)).toBe(inMemory);
  });

  it('is written when the keys were read again since', async () => {
    const { service, key } = await createKey({});
    await ask(key);
    const inMemory = harness.app.serviceKeys.peek(service);
    await admin('POST', `/service/${service}`, { contact_link: 'https://example.org' });
    await expect.poll(() => harness.app.serviceKeys.peek(service)).toBeUndefined();
    await ask(key);
    expect(harness.app.serviceKeys.peek(service)).not.toBe(inMemory);
    await harness.app.keyUses.write();
    const { apiKeys } = (await admin('GET', `/service/${service}/api-keys`)).body;
    expect(apiKeys[0].last_used_at).not.toBeNull();
  });

  it('stays null for a rejected key', async () => {
    const { service, key } = await createKey({ allowed_networks: ['192.0.2.0/24'] });
    expect((await ask(key)).status).toBe(403);
    await harness.app.keyUses.write();
    const { apiKeys } = (await admin('GET', `/service/${service}/api-keys`)).body;
    expect(apiKeys[0].last_used_at).toBeNull();
  });
});
