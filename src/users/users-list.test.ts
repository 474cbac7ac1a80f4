import { beforeAll, describe, expect, it } from 'vitest';
import { aService, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-10T12:00:00Z' });
let first: string;
let second: string;
let service: string;

beforeAll(async () => {
  first = await aUser(harness);
  service = await aService(harness, { name: 'Parking', created_by_id: first });
  await aUser(harness, { state: 'pending' });
  harness.clock.set('2026-11-12T23:59:59Z');
  second = await aUser(harness);
  await harness.admin('POST', `/user/${second}`, { take_part_in_research: false });
  await harness.admin('POST', `/user/${second}/complete/webauthn-login`, { successful: true });
});

const list = (body: object = {}) => harness.admin('POST', '/platform-admin/users-list', body);
async function idsOf(body: object): Promise<string[]> {
  const ids = (await list(body)).body.data.map(({ id }: { id: string }) => id);
  return [first, second].filter((id) => ids.includes(id));
}

describe('POST /platform-admin/users-list', () => {
  it('200 with active users and the names of their services', async () => {
    const response = await list();
    expect(response.status).toBe(200);
    const user = response.body.data.find(({ id }: { id: string }) => id === first);
    expect(user.services).toEqual([{ id: service, name: 'Parking' }]);
    expect(Object.keys(user)).toHaveLength(20);
    expect(response.body.data.every(({ state }: { state: string }) => state === 'active')).toBe(true);
  });

  it('200 without the platform’s own user', async () => {
    const addresses = (await list()).body.data.map(({ email_address }: { email_address: string }) => email_address);
    expect(addresses).not.toContain('pennypost@platform.invalid');
    const stored = await harness.app.db.selectFrom('users').select('email_address').execute();
    expect(stored.map(({ email_address }) => email_address)).toContain('pennypost@platform.invalid');
  });

  it('200 with the users that match the filters, in whole days', async () => {
    expect(await idsOf({})).toEqual([first, second]);
    expect(await idsOf({ created_start: '2026-11-11' })).toEqual([second]);
    expect(await idsOf({ created_end: '2026-11-12' })).toEqual([first, second]);
    expect(await idsOf({ created_end: '2026-11-11' })).toEqual([first]);
    expect(await idsOf({ logged_in_start: '2026-11-12', logged_in_end: '2026-11-12' })).toEqual([second]);
    expect(await idsOf({ logged_in_start: '2026-11-13' })).toEqual([]);
    expect(await idsOf({ take_part_in_research: true, created_start: null })).toEqual([first]);
    expect(await idsOf({ take_part_in_research: false })).toEqual([second]);
  });

  it('400 for an invalid date', async () => {
    expect((await list({ created_start: 'noon' })).body.message).toEqual({ created_start: ['Not a valid date.'] });
  });
});

describe('POST /events', () => {
  it('201 with the stored event', async () => {
    const body = { event_type: 'sucessful_login', data: { user_id: first, browser: { os: 'x' } } };
    const response = await harness.admin('POST', '/events', body);
    expect(response.status).toBe(201);
    expect(response.body.data).toEqual({
      ...body,
      id: response.body.data.id,
      created_at: '2026-11-12T23:59:59.000000Z',
    });
  });

  it('400 unless both fields are present', async () => {
    const missing = ['Missing data for required field.'];
    expect((await harness.admin('POST', '/events', {})).body.message).toEqual({ event_type: missing, data: missing });
    expect((await harness.admin('POST', '/events', { event_type: 'x', data: [] })).body.message).toEqual({
      data: ['Not a valid object.'],
    });
  });
});

describe('clean-up', () => {
  it('deletes codes after a day and invitations after two', async () => {
    await harness.admin('POST', `/user/${first}/sms-code`, {});
    const body = { email_address: 'a@example.org', from_user: first, permissions: 'view_activity' };
    const invite = (await harness.admin('POST', `/service/${service}/invite`, body)).body.data;
    const counts = async () => {
      for (const name of ['delete-verify-codes', 'delete-invites']) await harness.addTask(name);
      await harness.runTasks();
      const codes = await harness.app.db.selectFrom('verify_codes').select('id').execute();
      const { status } = await harness.admin('GET', `/invite/service/${invite.id}`);
      return { codes: codes.length, status };
    };
    harness.clock.advance({ hours: 23, minutes: 59 });
    expect(await counts()).toEqual({ codes: 1, status: 200 });
    harness.clock.advance({ minutes: 1 });
    expect(await counts()).toEqual({ codes: 0, status: 200 });
    harness.clock.advance({ days: 1 });
    expect(await counts()).toEqual({ codes: 0, status: 404 });
  });
});
