import { beforeAll, describe, expect, it } from 'vitest';
import { jwt } from '../../test/kit/builders/jwt.ts';
import { anApiKey, aService } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { credentialTexts } from './bearer.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const now = Date.parse('2026-11-15T12:00:00Z') / 1000;
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f49cc';
let service: string;
let key: string;
let secret: string;

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service, { name: 'a key - with spaces' });
  secret = key.slice(-36);
});

async function responseTo(authorization: string | undefined) {
  const headers = authorization === undefined ? {} : { authorization };
  return harness.request({ method: 'GET', url: '/v2/templates', headers });
}

function refusal(status: number, message: string) {
  return { status_code: status, errors: [{ error: 'AuthError', message }] };
}

function signed(claims: object = {}, with_secret = secret, header: object = {}): string {
  return `Bearer ${jwt({ iss: service, iat: now, ...claims }, with_secret, header)}`;
}

describe('public authentication', () => {
  const refusals: [string, () => string | undefined, number, string][] = [
    ['no header', () => undefined, 401, credentialTexts.missing],
    ['another scheme', () => `Key ${key}`, 401, credentialTexts.scheme],
    ['a token that is neither a key nor a JWT', () => 'Bearer nonsense', 403, credentialTexts.serviceNotFound],
    ['a JWT that was cut off', () => signed().slice(0, -50), 403, credentialTexts.malformed],
    ['a JWT whose claims are not JSON', () => signed().replace(/\..*\./, '.e30e30.'), 403, credentialTexts.malformed],
    ['three parts that are not a JWT', () => 'Bearer a.b.c', 403, credentialTexts.serviceNotFound],
    ['a bare secret', () => `Bearer ${secret}`, 403, credentialTexts.serviceNotFound],
    ['no issuer', () => signed({ iss: undefined }), 403, credentialTexts.noIssuer],
    ['an issuer that is not an id', () => signed({ iss: 'notify-admin' }), 403, credentialTexts.issuerNotAnId],
    ['an unknown service', () => signed({ iss: unknown }), 403, credentialTexts.serviceNotFound],
    ['a raw key of an unknown service', () => `Bearer k-${unknown}-${secret}`, 403, credentialTexts.serviceNotFound],
    ['another algorithm', () => signed({}, secret, { alg: 'HS384' }), 403, credentialTexts.algorithm],
    ['another secret', () => signed({}, unknown), 403, credentialTexts.keyNotFound],
    ['a raw key with another secret', () => `Bearer k-${service}-${unknown}`, 403, credentialTexts.keyNotFound],
    ['an old token', () => signed({ iat: now - 31 }), 403, credentialTexts.clock],
    ['a token with an audience', () => signed({ aud: 'x' }), 403, credentialTexts.malformed],
  ];
  it.each(refusals)('rejects %s', async (_what, header, status, text) => {
    const response = await responseTo(header());
    expect(response.status).toBe(status);
    expect(response.body).toEqual(refusal(status, text));
  });

  it('accepts the raw key, whatever its name contains', async () => {
    expect((await responseTo(`Bearer ${key}`)).status).toBe(200);
  });

  it('accepts a JWT signed with the secret', async () => {
    expect((await responseTo(signed())).status).toBe(200);
  });

  it('rejects a service without keys', async () => {
    const bare = await aService(harness);
    const response = await responseTo(`Bearer k-${bare}-${secret}`);
    expect(response.body).toEqual(refusal(403, credentialTexts.noKeys));
  });

  it('rejects an archived service', async () => {
    const archived = await aService(harness);
    const archivedKey = await anApiKey(harness, archived);
    await harness.app.db.updateTable('services').set({ active: false }).where('id', '=', archived).execute();
    harness.app.changeListener.reset();
    expect((await responseTo(`Bearer ${archivedKey}`)).body).toEqual(refusal(403, credentialTexts.archived));
  });

  it('rejects a revoked key immediately, and reports it as not found after 7 days', async () => {
    const other = await anApiKey(harness, service, { name: 'to be revoked' });
    expect((await responseTo(`Bearer ${other}`)).status).toBe(200);
    const { body } = await harness.admin('GET', `/service/${service}/api-keys`);
    const { id } = body.apiKeys.find((listed: { name: string }) => listed.name === 'to be revoked');
    expect((await harness.admin('POST', `/service/${service}/api-key/revoke/${id}`)).status).toBe(202);
    expect((await responseTo(`Bearer ${other}`)).body).toEqual(refusal(403, credentialTexts.keyRevoked));
    expect((await responseTo(`Bearer ${key}`)).status).toBe(200);
    harness.clock.advance({ days: 7, seconds: 1 });
    expect((await responseTo(`Bearer ${other}`)).body).toEqual(refusal(403, credentialTexts.keyNotFound));
    harness.clock.set('2026-11-15T12:00:00Z');
  });
});

describe('Authorization: ApiKey-v1', () => {
  it.each([
    ['the key', () => `ApiKey-v1 ${key}`],
    ['the prefix of GC Notify', () => `ApiKey-v1 gcntfy-${key}`],
    ['a scheme in lower case and several spaces', () => `apikey-v1    ${key}  `],
    ['another name, which is not compared', () => `ApiKey-v1 another-${service}-${secret}`],
  ])('200 with %s', async (_what, header) => {
    expect((await responseTo(header())).status).toBe(200);
  });

  it.each([
    ['a word', () => 'ApiKey-v1 nope', 403, credentialTexts.wholeKey],
    ['the scheme alone', () => 'ApiKey-v1', 403, credentialTexts.wholeKey],
    ['the bare secret', () => `ApiKey-v1 gcntfy-${secret}`, 403, credentialTexts.wholeKey],
    ['a JWT', () => signed().replace('Bearer', 'ApiKey-v1'), 403, credentialTexts.wholeKey],
    ['no such service', () => `ApiKey-v1 k-${unknown}-${secret}`, 403, credentialTexts.keyNotFound],
    ['another secret', () => `ApiKey-v1 k-${service}-${unknown}`, 403, credentialTexts.keyNotFound],
    ['a scheme that does not exist', () => `ApiKey-v2 ${key}`, 401, credentialTexts.scheme],
    ['a scheme that only begins like it', () => `ApiKey-v11 ${key}`, 401, credentialTexts.scheme],
  ])('rejects %s', async (_what, header, status, text) => {
    const response = await responseTo(header());
    expect(response.body).toEqual(refusal(status, text));
    expect(response.status).toBe(status);
  });

  it('403 for a service without keys, for an archived one and for a revoked key', async () => {
    const other = await aService(harness);
    expect((await responseTo(`ApiKey-v1 k-${other}-${secret}`)).body).toEqual(
      refusal(403, credentialTexts.keyNotFound),
    );
    const revoked = await anApiKey(harness, other, { name: 'revoked' });
    const { body } = await harness.admin('GET', `/service/${other}/api-keys`);
    await harness.admin('POST', `/service/${other}/api-key/revoke/${body.apiKeys[0].id}`);
    expect((await responseTo(`ApiKey-v1 ${revoked}`)).body).toEqual(refusal(403, credentialTexts.keyRevoked));
    await harness.admin('POST', `/service/${other}/archive`);
    expect((await responseTo(`ApiKey-v1 ${revoked}`)).body).toEqual(refusal(403, credentialTexts.archived));
  });

  it('401 on the administrative API', async () => {
    const response = await harness.request({
      method: 'GET',
      url: '/service',
      headers: { authorization: `ApiKey-v1 ${key}` },
    });
    expect(response.status).toBe(401);
  });
});
