import { describe, expect, it } from 'vitest';
import { aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { newId } from '../../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;
const now = '2026-11-15T12:00:00.000000Z';
const atLeastOne = 'You must have at least one reply to email address as the default.';

async function replyTos() {
  const service = await aService(harness);
  const path = `/service/${service}/email-reply-to`;
  const list = async () => (await admin('GET', path)).body;
  const add = async (email_address: string, is_default: boolean) =>
    (await admin('POST', path, { email_address, is_default })).body.data;
  return { service, path, list, add };
}

describe('POST /service/{id}/email-reply-to', () => {
  it('201 in data; the list is a bare array, the default first', async () => {
    const { service, path, list, add } = await replyTos();
    expect(await list()).toEqual([]);
    const { status, body } = await admin('POST', path, { email_address: 'First@example.org', is_default: true });
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        id: expect.any(String),
        service_id: service,
        email_address: 'First@example.org',
        is_default: true,
        archived: false,
        created_at: now,
        updated_at: null,
      },
    });
    const second = await add('second@example.org', true);
    expect(await list()).toEqual([second, { ...body.data, is_default: false, updated_at: now }]);
    expect((await admin('GET', `${path}/${second.id}`)).body).toEqual(second);
  });

  it('400 when the first one is not the default', async () => {
    const { path, list } = await replyTos();
    const { status, body } = await admin('POST', path, { email_address: 'a@example.org', is_default: false });
    expect([status, body.message]).toEqual([400, atLeastOne]);
    expect(await list()).toEqual([]);
  });

  it('409 for an existing address', async () => {
    const { path, add, list } = await replyTos();
    await add('a@example.org', true);
    const { status, body } = await admin('POST', path, { email_address: 'a@example.org', is_default: true });
    expect(status).toBe(409);
    expect(body).toEqual({
      result: 'error',
      message: '‘a@example.org’ is already a reply-to email address for this service.',
    });
    expect(await list()).toHaveLength(1);
  });

  it('400 for invalid fields', async () => {
    const { path } = await replyTos();
    const missing = ['Missing data for required field.'];
    expect((await admin('POST', path, {})).body.message).toEqual({ email_address: missing, is_default: missing });
    const wrong = await admin('POST', path, { email_address: 'nonsense', is_default: 1 });
    expect(wrong.body.message).toEqual({
      email_address: ['Not a valid email address'],
      is_default: ['Not a valid boolean.'],
    });
  });

  it('404 for an unknown service', async () => {
    const path = `/service/${newId(new Date())}/email-reply-to`;
    expect((await admin('GET', path)).status).toBe(404);
    expect((await admin('POST', path, { email_address: 'a@example.org', is_default: true })).status).toBe(404);
    expect((await admin('POST', `${path}/verify`, { email: 'a@example.org' })).status).toBe(404);
  });
});

describe('POST /service/{id}/email-reply-to/{reply_to_id}', () => {
  it('200 updates address and default', async () => {
    const { path, add, list } = await replyTos();
    const first = await add('a@example.org', true);
    const second = await add('b@example.org', false);
    const change = { email_address: 'c@example.org', is_default: true };
    const { status, body } = await admin('POST', `${path}/${second.id}`, change);
    expect(status).toBe(200);
    expect(body).toEqual({ data: { ...second, ...change, updated_at: now } });
    expect(await list()).toEqual([body.data, { ...first, is_default: false, updated_at: now }]);
  });

  it('400 when unsetting the default, 409 for an existing address, 404 for an unknown id', async () => {
    const { path, add } = await replyTos();
    const first = await add('a@example.org', true);
    await add('b@example.org', false);
    const unset = await admin('POST', `${path}/${first.id}`, { email_address: 'a@example.org', is_default: false });
    expect([unset.status, unset.body.message]).toEqual([400, atLeastOne]);
    const request = { email_address: 'b@example.org', is_default: true };
    expect((await admin('POST', `${path}/${first.id}`, request)).status).toBe(409);
    expect((await admin('POST', `${path}/${newId(new Date())}`, request)).status).toBe(404);
  });
});

describe('POST /service/{id}/email-reply-to/verify', () => {
  it('201 with the id of a message to that address', async () => {
    const { path } = await replyTos();
    const { status, body } = await admin('POST', `${path}/verify`, { email: 'check@example.org' });
    expect(status).toBe(201);
    const sent = await harness.app.db
      .selectFrom('notifications')
      .select(['recipient', 'template_id'])
      .where('id', '=', body.data.id)
      .executeTakeFirst();
    expect(sent).toEqual({ recipient: 'check@example.org', template_id: 'a42f1d17-9404-46d5-a647-d013bdfca3e1' });
  });

  it('409 for an existing address, 400 for an invalid one', async () => {
    const { path, add } = await replyTos();
    await add('a@example.org', true);
    expect((await admin('POST', `${path}/verify`, { email: 'a@example.org' })).status).toBe(409);
    const { status, body } = await admin('POST', `${path}/verify`, { email: 'nonsense' });
    expect([status, body.message]).toEqual([400, { email: ['Not a valid email address'] }]);
    expect((await admin('POST', `${path}/verify`, {})).body.message).toEqual({
      email: ['Missing data for required field.'],
    });
  });
});

describe('POST /service/{id}/email-reply-to/{reply_to_id}/archive', () => {
  it('200; its address is free again', async () => {
    const { path, add, list } = await replyTos();
    const first = await add('a@example.org', true);
    const second = await add('b@example.org', false);
    const { status, body } = await admin('POST', `${path}/${second.id}/archive`);
    expect(status).toBe(200);
    expect(body).toEqual({ data: { ...second, archived: true, updated_at: now } });
    expect(await list()).toEqual([first]);
    expect((await admin('GET', `${path}/${second.id}`)).status).toBe(404);
    expect(await add('b@example.org', false)).toMatchObject({ email_address: 'b@example.org' });
  });

  it('400 for the default', async () => {
    const { path, add } = await replyTos();
    const first = await add('a@example.org', true);
    const { status, body } = await admin('POST', `${path}/${first.id}/archive`);
    expect([status, body.message]).toEqual([400, 'You cannot delete a default email reply to address']);
  });
});
