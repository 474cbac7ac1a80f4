import { describe, expect, it } from 'vitest';
import { aNewUser, anOrganisation, aService } from '../../test/kit/builders/rows.ts';
import { adminSecret, adminToken, useHarness } from '../../test/kit/harness.ts';
import { accountMessages } from '../../test/kit/world/account-messages.ts';
import { newId } from '../platform/id.ts';
import { platformServiceId } from './platform-user.ts';

const now = '2026-11-16T12:00:00Z';
const harness = useHarness({
  now,
  config: { auth: { functionalTestsSecrets: ['a-secret-of-the-browser-tests-32-characters'] } },
});
const closed = useHarness({ now });
const iss = 'notify-functional-tests';

function put(
  users: unknown,
  { at = harness, secret = 'a-secret-of-the-browser-tests-32-characters', claims = { iss } } = {},
) {
  return at.request({
    method: 'PUT',
    url: '/__testing/functional/users',
    headers: { authorization: `Bearer ${adminToken(at.clock, { claims, secret })}` },
    payload: JSON.stringify(users),
  });
}

async function aTestUser(change: object = {}) {
  return {
    name: 'Ada',
    email_address: 'ada@example.org',
    mobile_number: '07700900900',
    auth_type: 'sms_auth',
    password: 'a long password',
    state: 'active',
    permissions: ['manage_templates', 'send_texts'],
    service_id: await aService(harness),
    ...change,
  };
}

const byEmail = async (email: string) => (await harness.admin('POST', '/user/email', { email })).body.data;

describe('PUT /__testing/functional/users', () => {
  it('201 creates the users; a second request updates them', async () => {
    const organisation_id = await anOrganisation(harness);
    const user = await aTestUser({ organisation_id });
    const response = await put([user]);
    expect(response.status).toBe(201);
    expect(response.text).toBe('ok');
    const created = await byEmail('ada@example.org');
    expect(created).toMatchObject({
      ...{ name: 'Ada', mobile_number: '07700900900', auth_type: 'sms_auth', state: 'active' },
      organisations: [organisation_id],
      permissions: { [user.service_id]: ['manage_templates', 'send_texts'] },
    });
    const password = { password: 'a long password' };
    expect((await harness.admin('POST', `/user/${created.id}/verify/password`, password)).status).toBe(204);

    await harness.admin('POST', `/user/${created.id}/verify/password`, { password: 'wrong' });
    const change = { name: 'Grace', auth_type: 'email_auth', password: 'another password', permissions: [] };
    await put([{ ...user, ...change, email_address: 'ADA@example.org' }]);
    const changed = await byEmail('ada@example.org');
    expect(changed).toMatchObject({ id: created.id, name: 'Grace', auth_type: 'email_auth', failed_login_count: 0 });
    expect(changed.permissions).toEqual({ [user.service_id]: [] });
    expect((await harness.admin('POST', `/user/${created.id}/verify/password`, password)).status).toBe(400);
  });

  it('201 deletes the user’s organisation memberships and resets its state', async () => {
    const [first, second] = [await anOrganisation(harness), await anOrganisation(harness)];
    const user = await aTestUser({ email_address: 'reset@example.org', organisation_id: first });
    await put([user]);
    const { id } = await byEmail('reset@example.org');
    const permissions = [{ permission: 'can_make_services_live' }];
    for (const organisation of [first, second]) {
      await harness.admin('POST', `/organisations/${organisation}/users/${id}`, { permissions });
    }
    await harness.app.db
      .updateTable('users')
      .set({ platform_admin: true, current_session_id: id, passwords_refused_until: '2026-11-16T13:00:00Z' })
      .where('id', '=', id)
      .execute();
    await harness.admin('POST', `/user/${id}/sms-code`, {});
    const code = (await accountMessages(harness)).at(-1)?.personalisation.verify_code;

    await put([{ ...user, organisation_id: second }]);
    expect(await byEmail('reset@example.org')).toMatchObject({
      platform_admin: false,
      current_session_id: null,
      organisations: [second],
      organisation_permissions: { [second]: [] },
    });
    const { password } = user;
    expect((await harness.admin('POST', `/user/${id}/verify/password`, { password })).status).toBe(204);
    expect((await harness.admin('POST', `/user/${id}/verify/code`, { code, code_type: 'sms' })).status).toBe(400);
    await put([{ ...user, organisation_id: null }]);
    expect(await byEmail('reset@example.org')).toMatchObject({ organisations: [], organisation_permissions: {} });
  });

  it.each([['Boss@example.org'], ['BOSS@EXAMPLE.ORG']])(
    '400 for a user that it did not create (%s); changes no user',
    async (address) => {
      const boss = { ...aNewUser({ email_address: `${address.length}-Boss@example.org` }), platform_admin: true };
      const { data: before } = (await harness.admin('POST', '/user', { ...boss, state: 'active' })).body;
      const other = await aTestUser({ email_address: `beside-${address}` });
      const taken = await aTestUser({
        email_address: address === 'Boss@example.org' ? before.email_address : before.email_address.toUpperCase(),
        name: 'Mallory',
      });
      const response = await put([other, taken]);
      expect(response.status).toBe(400);
      expect(response.body.message).toEqual({ email_address: ['User was not created by functional tests'] });
      expect((await harness.admin('GET', `/user/${before.id}`)).body.data).toEqual(before);
      const { password } = boss;
      expect((await harness.admin('POST', `/user/${before.id}/verify/password`, { password })).status).toBe(204);
      expect(await byEmail(`beside-${address}`)).toBeUndefined();
      await harness.admin('POST', `/user/${before.id}/archive`);
    },
  );

  it.each([[platformServiceId], [platformServiceId.toUpperCase()], [platformServiceId.replaceAll('-', '')]])(
    '400 for a member of the platform service, %s',
    async (service_id) => {
      const response = await put([await aTestUser({ email_address: 'inside@example.org', service_id })]);
      expect(response.status).toBe(400);
      expect(await byEmail('inside@example.org')).toBeUndefined();
    },
  );

  it('400 for an invalid user, 404 for an unknown service; creates none', async () => {
    expect((await put([{}])).status).toBe(400);
    expect((await put({})).status).toBe(400);
    const good = await aTestUser({ email_address: 'first@example.org' });
    const bad = await aTestUser({ email_address: 'second@example.org', service_id: newId(new Date(now)) });
    expect((await put([good, bad])).status).toBe(404);
    expect(await byEmail('first@example.org')).toBeUndefined();
  });

  it('401 for the admin client, 403 with another secret or when none is configured', async () => {
    expect((await put([], { secret: adminSecret, claims: { iss: 'notify-admin' } })).status).toBe(401);
    expect((await put([], { secret: adminSecret })).status).toBe(403);
    expect((await put([], { at: closed })).status).toBe(403);
  });
});
