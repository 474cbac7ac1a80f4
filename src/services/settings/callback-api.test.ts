import { describe, expect, it } from 'vitest';
import { aService, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { newId } from '../../platform/id.ts';
import { decryptToken } from './callback-api.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;
const now = '2026-11-15T12:00:00.000000Z';

async function aCallback(fields: object = {}) {
  const service = await aService(harness);
  const updated_by_id = await aUser(harness);
  const path = `/service/${service}/callback-api`;
  const request = {
    url: 'https://service.example/hook',
    bearer_token: 'a-long-secret-token',
    updated_by_id,
    callback_type: 'delivery_status',
    ...fields,
  };
  return { service, path, request, response: await admin('POST', path, request) };
}

const stored = (id: string) =>
  harness.app.db.selectFrom('service_callback_api').selectAll().where('id', '=', id).executeTakeFirst();

describe('/service/{id}/callback-api', () => {
  it('POST 201 without the token, which is stored encrypted', async () => {
    const { service, path, request, response } = await aCallback();
    expect(response.status).toBe(201);
    const { id } = response.body.data;
    expect(response.body).toEqual({
      data: {
        id: expect.any(String),
        service_id: service,
        url: request.url,
        updated_by_id: request.updated_by_id,
        created_at: now,
        updated_at: null,
      },
    });
    const row = await stored(id);
    expect(row?.encrypted_bearer_token).not.toContain('secret');
    expect(row && decryptToken(harness.app, row, row.encrypted_bearer_token)).toBe('a-long-secret-token');
    expect(await admin('GET', `${path}/${id}?callback_type=delivery_status`)).toMatchObject({ body: response.body });
    expect((await admin('GET', `${path}/${id}?callback_type=complaint`)).status).toBe(404);
    expect((await admin('GET', `/service/${service}`)).body.data.service_callback_api).toEqual([
      { callback_id: id, callback_type: 'delivery_status' },
    ]);
    expect(harness.logged.join()).not.toContain('a-long-secret-token');
  });

  it.each(['delivery_status', 'complaint', 'returned_letter', 'inbound_sms'])(
    'POST 201 for %s',
    async (callback_type) => {
      expect((await aCallback({ callback_type })).response.status).toBe(201);
    },
  );

  it('POST 400 for a second callback of the same type', async () => {
    const { path, request } = await aCallback();
    const { status, body } = await admin('POST', path, request);
    expect([status, body.message]).toEqual([
      400,
      { name: ['You can only have one URL and bearer token for your service.'] },
    ]);
    expect((await admin('POST', path, { ...request, callback_type: 'complaint' })).status).toBe(201);
  });

  it.each([
    [{ url: 'http://service.example' }, { url: ['Not a valid https url.'] }],
    [{ url: 'nonsense' }, { url: ['Not a valid https url.'] }],
    [{ url: 'https://user:pass@service.example/' }, { url: ['Must not contain a user name or password.'] }],
    [{ url: 'https://user@service.example/' }, { url: ['Must not contain a user name or password.'] }],
    [
      { bearer_token: 'short', callback_type: 'fax', url: 7 },
      {
        bearer_token: ['Shorter than minimum length 10.'],
        callback_type: ['Must be one of: delivery_status, message_status, complaint, returned_letter, inbound_sms.'],
        url: ['Not a valid string.'],
      },
    ],
    [{ updated_by_id: 'x' }, { updated_by_id: ['Not a valid UUID.'] }],
    [{ updated_by_id: newId(new Date()) }, { updated_by_id: ['No result found'] }],
  ])('POST 400 for %o', async (fields, message) => {
    const { response } = await aCallback(fields);
    expect([response.status, response.body.message]).toEqual([400, message]);
  });

  it('POST {id} 200 updates URL and token, and keeps versions', async () => {
    const { path, response, request } = await aCallback();
    const { id } = response.body.data;
    const editor = await aUser(harness);
    const change = { url: 'https://other.example/hook', updated_by_id: editor };
    const { status, body } = await admin('POST', `${path}/${id}`, change);
    expect(status).toBe(200);
    expect(body).toEqual({ data: { ...response.body.data, ...change, updated_at: now } });
    await admin('POST', `${path}/${id}`, { bearer_token: 'another-long-token', updated_by_id: editor });
    const row = await stored(id);
    expect(row?.version).toBe(3);
    expect(row && decryptToken(harness.app, row, row.encrypted_bearer_token)).toBe('another-long-token');
    const history = await harness.app.db
      .selectFrom('service_callback_api_history')
      .select(['version', 'url', 'updated_by_id'])
      .where('id', '=', id)
      .orderBy('version')
      .execute();
    expect(history).toEqual([
      { version: 1, url: request.url, updated_by_id: request.updated_by_id },
      { version: 2, url: change.url, updated_by_id: editor },
      { version: 3, url: change.url, updated_by_id: editor },
    ]);
    expect((await admin('POST', `${path}/${id}`, {})).body.message).toEqual({
      updated_by_id: ['Missing data for required field.'],
    });
    expect((await admin('POST', `${path}/${id}`, { ...change, url: 'ftp://x' })).status).toBe(400);
  });

  it('DELETE 204; 404 for unknown ids and services', async () => {
    const { path, response, request } = await aCallback();
    const { id } = response.body.data;
    expect((await admin('DELETE', `${path}/${id}?callback_type=complaint`)).status).toBe(404);
    expect(await admin('DELETE', `${path}/${id}?callback_type=delivery_status`)).toMatchObject({
      status: 204,
      text: '',
    });
    expect((await admin('DELETE', `${path}/${id}`)).status).toBe(404);
    expect((await admin('GET', `${path}/${id}`)).status).toBe(404);
    expect((await admin('POST', `${path}/${id}`, { updated_by_id: request.updated_by_id })).status).toBe(404);
    expect((await admin('POST', `/service/${newId(new Date())}/callback-api`, request)).status).toBe(404);
  });
});

describe('with CALLBACK_ALLOW_PRIVATE', () => {
  const open = useHarness({ config: { callbacks: { allowPrivate: true } } });

  it.each([
    ['http://127.0.0.1:4000/hook', 201],
    ['http://[::1]:4000/hook', 201],
    ['http://localhost/hook', 201],
    ['http://sink:8080/hook', 201],
    ['http://sink.svc.cluster.local/hook', 201],
    ['http://93.184.216.34/hook', 400],
    ['http://service.example/hook', 400],
  ])('POST %s is %i: plain http is allowed only inside this network', async (url, expected) => {
    const request = {
      url,
      bearer_token: 'a-long-secret-token',
      updated_by_id: await aUser(open),
      callback_type: 'inbound_sms',
    };
    const { status } = await open.admin('POST', `/service/${await aService(open)}/callback-api`, request);
    expect(status).toBe(expected);
  });
});

describe('in a demo that only this machine reaches', () => {
  const local = useHarness({ config: { callbacks: { allowLoopback: true } } });

  it.each([
    ['http://127.0.0.1:4000/hook', 201],
    ['http://[::1]:4000/hook', 201],
    ['http://LOCALHOST/hook', 201],
    ['http://sink:8080/hook', 400],
    ['http://10.1.2.3/hook', 400],
    ['http://localhost.example/hook', 400],
  ])('POST %s is %i: plain http is allowed only to this machine', async (url, expected) => {
    const request = {
      url,
      bearer_token: 'a-long-secret-token',
      updated_by_id: await aUser(local),
      callback_type: 'inbound_sms',
    };
    const { status } = await local.admin('POST', `/service/${await aService(local)}/callback-api`, request);
    expect(status).toBe(expected);
  });
});
