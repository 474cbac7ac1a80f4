import { describe, expect, it } from 'vitest';
import { anApiKey, anOrganisation, aService, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { newId } from '../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;
const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

describe('GET /service', () => {
  it('200 with full records, oldest first', async () => {
    const older = await aService(harness);
    harness.clock.advance({ seconds: 1 });
    const newer = await aService(harness);
    const { status, body } = await admin('GET', '/service');
    expect(status).toBe(200);
    expect(ids(body.data).slice(-2)).toEqual([older, newer]);
    expect(body.data.at(-1)).toEqual((await admin('GET', `/service/${newer}`)).body.data);
  });

  it.each(['true', 'True', '1'])('200 with active services only for only_active=%s', async (text) => {
    const id = await aService(harness, { active: false });
    expect(ids((await admin('GET', '/service')).body.data)).toContain(id);
    expect(ids((await admin('GET', `/service?only_active=${text}`)).body.data)).not.toContain(id);
  });

  it('200 with the services of a user; empty for an unknown user', async () => {
    const user = await aUser(harness);
    const mine = await aService(harness, { created_by_id: user });
    const closed = await aService(harness, { created_by_id: user, active: false });
    expect(ids((await admin('GET', `/service?user_id=${user}`)).body.data)).toEqual([mine, closed]);
    expect(ids((await admin('GET', `/service?user_id=${user}&only_active=1`)).body.data)).toEqual([mine]);
    expect((await admin('GET', `/service?user_id=${newId(new Date())}`)).body).toEqual({ data: [] });
  });

  it.each([
    ['only_active=maybe', { only_active: ['Not a valid boolean.'] }],
    [
      'detailed=yes&include_from_test_key=no',
      {
        detailed: ['Not a valid boolean.'],
        include_from_test_key: ['Not a valid boolean.'],
      },
    ],
    ['user_id=me', { user_id: ['Not a valid UUID.'] }],
    ['start_date=yesterday', { start_date: ['Not a valid date.'] }],
    ['end_date=2026-02-30', { end_date: ['Not a valid date.'] }],
    ['detailed=true&start_date=2026-11-02&end_date=2026-11-01', { start_date: ['Start date must be before end date'] }],
  ])('400 for ?%s', async (query, message) => {
    const { status, body } = await admin('GET', `/service?${query}`);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message });
  });
});

describe('GET /service/{id}', () => {
  it('404 for an unknown id', async () => {
    const { status, body } = await admin('GET', `/service/${newId(new Date())}`);
    expect(status).toBe(404);
    expect(body).toEqual({ result: 'error', message: 'No result found' });
  });

  it('404 for an invalid id', async () => {
    expect((await admin('GET', '/service/nonsense')).status).toBe(404);
  });

  it('200 without statistics unless detailed', async () => {
    const id = await aService(harness);
    expect((await admin('GET', `/service/${id}`)).body.data).not.toHaveProperty('statistics');
    const none = { requested: 0, delivered: 0, failed: 0 };
    for (const query of ['detailed=True', 'detailed=true&today_only=true']) {
      const { data } = (await admin('GET', `/service/${id}?${query}`)).body;
      expect(data).toMatchObject({
        id,
        permissions: expect.any(Array),
        statistics: { email: none, sms: none, letter: none },
      });
    }
  });

  it('400 for an invalid boolean', async () => {
    const id = await aService(harness);
    expect((await admin('GET', `/service/${id}?detailed=perhaps`)).status).toBe(400);
  });
});

describe('GET /service/find-services-by-name', () => {
  const find = async (name: string) =>
    (await admin('GET', `/service/find-services-by-name?service_name=${encodeURIComponent(name)}`)).body.data;

  it('200 with the services whose name contains the text, ignoring case', async () => {
    const organisation_id = await anOrganisation(harness, { name: 'Mint' });
    const owned = await aService(harness, { name: 'Coins of the Realm', organisation_id });
    const closed = await aService(harness, { name: 'Coins no more', active: false, restricted: true });
    expect(await find('COINS')).toEqual([
      { id: closed, name: 'Coins no more', active: false, restricted: true, organisation_name: null },
      { id: owned, name: 'Coins of the Realm', active: true, restricted: false, organisation_name: 'Mint' },
    ]);
  });

  it('200; matches special characters literally', async () => {
    await aService(harness, { name: '50% off_season\\/' });
    for (const text of ['0% off', 'f_s', 'n\\', '\\/']) expect(await find(text)).toHaveLength(1);
    for (const text of ['5%season', 'o_f', 'n/']) expect(await find(text)).toHaveLength(0);
  });

  it.each(['/service/find-services-by-name', '/service/find-services-by-name?service_name='])(
    '400 at %s',
    async (url) => {
      const { status, body } = await admin('GET', url);
      expect(status).toBe(400);
      expect(body).toEqual({ result: 'error', message: { service_name: ['Missing data for required field.'] } });
    },
  );
});

describe('POST /service/{id}/archive', () => {
  it('204; deactivates and renames it, revokes keys, archives templates and creates a version', async () => {
    const id = await aService(harness, { name: 'Sample service' });
    const key = await anApiKey(harness, id);
    const revoked = await anApiKey(harness, id);
    const created_by = await aUser(harness);
    const template = { name: 't', template_type: 'sms', content: 'c', created_by };
    const made = (await admin('POST', `/service/${id}/template`, template)).body.data;
    const old = (await admin('POST', `/service/${id}/template`, template)).body.data;
    await admin('POST', `/service/${id}/template/${old.id}`, { archived: true, created_by });
    const { apiKeys } = (await admin('GET', `/service/${id}/api-keys`)).body;
    await admin('POST', `/service/${id}/api-key/revoke/${apiKeys[1].id}`, {});
    harness.clock.advance({ minutes: 1 });
    const moment = harness.clock.now().toISOString().slice(0, 19);

    const { status, text } = await admin('POST', `/service/${id}/archive`);
    expect([status, text]).toEqual([204, '']);
    const [day, time] = moment.split('T');
    expect((await admin('GET', `/service/${id}`)).body.data).toMatchObject({
      active: false,
      name: `_archived_${day}-${time}_Sample service`,
      email_sender_local_part: `archived${moment.replaceAll(/\D/g, '')}sample.service`,
      version: 2,
      updated_at: `${moment}.000000Z`,
    });
    for (const old_key of [key, revoked]) {
      const response = await harness.v2('GET', '/v2/templates', old_key);
      expect([response.status, response.body.errors[0].message]).toEqual([403, 'Invalid token: service is archived']);
    }
    const keys = (await admin('GET', `/service/${id}/api-keys`)).body.apiKeys;
    expect(keys[0]).toMatchObject({ version: 2, expiry_date: `${moment}.000000Z` });
    expect(keys[1]).toMatchObject({ version: 2 });
    expect(keys[1].expiry_date).not.toBe(`${moment}.000000Z`);
    const read = async (templateId: string) => (await admin('GET', `/service/${id}/template/${templateId}`)).body.data;
    expect(await read(made.id)).toMatchObject({ archived: true, version: 2 });
    expect(await read(old.id)).toMatchObject({ archived: true, version: 2 });
  });

  it('204 again; changes nothing', async () => {
    const id = await aService(harness);
    await admin('POST', `/service/${id}/archive`);
    const before = (await admin('GET', `/service/${id}`)).body;
    harness.clock.advance({ minutes: 1 });
    expect((await admin('POST', `/service/${id}/archive`)).status).toBe(204);
    expect((await admin('GET', `/service/${id}`)).body).toEqual(before);
  });

  it('204 for two services with the same name within a second, and for a name of maximum length', async () => {
    for (const name of ['Same second', 'Same second', 'n'.repeat(255)]) {
      const id = await aService(harness, { name });
      expect((await admin('POST', `/service/${id}/archive`)).status).toBe(204);
    }
  });

  it('404 for an unknown id, 405 for GET', async () => {
    expect((await admin('POST', `/service/${newId(new Date())}/archive`)).status).toBe(404);
    expect((await admin('GET', `/service/${newId(new Date())}/archive`)).status).toBe(405);
  });

  it('removes the service from its members’ records', async () => {
    const user = await aUser(harness);
    const id = await aService(harness, { created_by_id: user });
    await admin('POST', `/service/${id}/archive`);
    expect((await admin('GET', `/user/${user}`)).body.data).toMatchObject({ services: [], permissions: {} });
  });
});
