import { describe, expect, it } from 'vitest';
import { aService, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { timestamp } from '../../platform/clock.ts';
import { newId } from '../../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;

async function aTeam(...states: ('active' | 'pending' | 'inactive')[]) {
  const [first = 'active', ...others] = states;
  const users = [await aUser(harness, { state: first })];
  const service = await aService(harness, { created_by_id: users[0] });
  for (const state of others) {
    const user = await aUser(harness, { state });
    await admin('POST', `/service/${service}/users/${user}`, { permissions: [] });
    users.push(user);
  }
  return { service, users };
}

async function aFolder(service_id: string) {
  const id = newId(harness.clock.now());
  const row = { id, service_id, name: 'Folder', created_at: timestamp(harness.clock.now()) };
  await harness.app.db.insertInto('template_folders').values(row).execute();
  return id;
}

const foldersOf = async (user: string) =>
  harness.app.db
    .selectFrom('template_folder_members')
    .select('template_folder_id')
    .where('user_id', '=', user)
    .execute();

describe('GET /service/{id}/users', () => {
  it('200 with full user records in every state, with this service’s permissions as a list', async () => {
    const { service, users } = await aTeam('active', 'pending', 'inactive');
    const { status, body } = await admin('GET', `/service/${service}/users`);
    expect(status).toBe(200);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(users);
    const { body: whole } = await admin('GET', `/user/${users[0]}`);
    expect(body.data[0]).toEqual({ ...whole.data, permissions: ['manage_settings'] });
  });

  it('404 for an unknown service', async () => {
    expect((await admin('GET', `/service/${newId(new Date())}/users`)).status).toBe(404);
  });
});

describe('POST /service/{id}/users/{user_id}', () => {
  it('201 with the service and its users', async () => {
    const { service, users } = await aTeam('active');
    const user = await aUser(harness, { name: 'Grace' });
    const permissions = [{ permission: 'send_messages' }, { permission: 'manage_settings' }];
    const { status, body } = await admin('POST', `/service/${service}/users/${user}`, { permissions });
    expect(status).toBe(201);
    const { data } = (await admin('GET', `/service/${service}`)).body;
    expect(body).toEqual({
      data: {
        ...data,
        users: [
          { id: users[0], name: 'Ada Sender' },
          { id: user, name: 'Grace' },
        ],
      },
    });
    expect(data.version).toBe(1);
    expect((await admin('GET', `/user/${user}`)).body.data.permissions).toEqual({
      [service]: ['send_messages', 'manage_settings'],
    });
  });

  it('201 with folders of the service; ignores a deleted one', async () => {
    const { service } = await aTeam('active');
    const folder = await aFolder(service);
    const user = await aUser(harness);
    const folder_permissions = [folder, newId(new Date())];
    const { status } = await admin('POST', `/service/${service}/users/${user}`, {
      permissions: [],
      folder_permissions,
    });
    expect(status).toBe(201);
    expect(await foldersOf(user)).toEqual([{ template_folder_id: folder }]);
  });

  it('400 for a folder of another service; adds no member', async () => {
    const { service } = await aTeam('active');
    const folder_permissions = [await aFolder(await aService(harness))];
    const user = await aUser(harness);
    const { status, body } = await admin('POST', `/service/${service}/users/${user}`, {
      permissions: [],
      folder_permissions,
    });
    expect(status).toBe(400);
    expect(body.message).toEqual({ folder_permissions: ['No result found'] });
    expect((await admin('GET', `/user/${user}`)).body.data.services).toEqual([]);
  });

  it('400 for an existing member', async () => {
    const { service, users } = await aTeam('active');
    const { status, body } = await admin('POST', `/service/${service}/users/${users[0]}`, { permissions: [] });
    expect(status).toBe(400);
    expect(body).toEqual({
      result: 'error',
      message: `User id: ${users[0]} already part of service id: ${service}`,
    });
  });

  const names =
    'send_messages, manage_templates, manage_service, manage_api_keys, manage_users, view_activity, manage_settings, send_texts, send_emails, send_letters, platform_admin';
  it.each([
    [{}, { permissions: ['Missing data for required field.'] }],
    [{ permissions: null }, { permissions: ['Field may not be null.'] }],
    [{ permissions: 'x' }, { permissions: ['Not a valid list.'] }],
    [{ permissions: ['send_messages'] }, { permissions: ['Not a valid object.'] }],
    [{ permissions: [{}] }, { permissions: ['Missing data for required field.'] }],
    [{ permissions: [{ permission: 'fly' }] }, { permissions: [`Must be one of: ${names}.`] }],
    [{ permissions: [], folder_permissions: ['x'] }, { folder_permissions: ['Not a valid UUID.'] }],
    [{ permissions: [], colour: 'red' }, { _schema: ['Unknown field name colour'] }],
  ])('400 for %o', async (request, message) => {
    const { service } = await aTeam('active');
    const user = await aUser(harness);
    const { status, body } = await admin('POST', `/service/${service}/users/${user}`, request);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message });
  });

  it('404 and 400 for service and user before validating the body', async () => {
    const { service, users } = await aTeam('active');
    const unknown = newId(new Date());
    const wrong = { permissions: 'all' };
    for (const path of [`${unknown}/users/${users[0]}`, `${service}/users/${unknown}`]) {
      const { status, body } = await admin('POST', `/service/${path}`, wrong);
      expect([status, body.message]).toEqual([404, 'No result found']);
    }
    const { status, body } = await admin('POST', `/service/${service}/users/${users[0]}`, wrong);
    expect([status, body.message]).toEqual([400, `User id: ${users[0]} already part of service id: ${service}`]);
  });

  it('404 for an unknown service or user', async () => {
    const { service } = await aTeam('active');
    const [user, unknown] = [await aUser(harness), newId(new Date())];
    for (const path of [`/service/${unknown}/users/${user}`, `/service/${service}/users/${unknown}`]) {
      const { status, body } = await admin('POST', path, { permissions: [] });
      expect([status, body.message]).toEqual([404, 'No result found']);
    }
    expect((await admin('POST', `/service/${service}/users/me`, { permissions: [] })).status).toBe(404);
  });
});

describe('DELETE /service/{id}/users/{user_id}', () => {
  it('204; deletes permissions and folders', async () => {
    const { service } = await aTeam('active');
    const user = await aUser(harness);
    const folder_permissions = [await aFolder(service)];
    await admin('POST', `/service/${service}/users/${user}`, { permissions: [], folder_permissions });
    const { status, text } = await admin('DELETE', `/service/${service}/users/${user}`);
    expect([status, text]).toEqual([204, '']);
    expect((await admin('GET', `/user/${user}`)).body.data).toMatchObject({ services: [], permissions: {} });
    expect(await foldersOf(user)).toEqual([]);
  });

  it.each([
    ['the only member', ['active'], 0, 400],
    ['the only member, who is pending', ['pending'], 0, 400],
    ['the only active member', ['active', 'pending', 'inactive'], 0, 400],
    ['a pending member beside an active one', ['active', 'pending'], 1, 204],
    ['one of two active members', ['active', 'active'], 0, 204],
  ] as const)('%s', async (_who, states, index, expected) => {
    const { service, users } = await aTeam(...states);
    const { status, body } = await admin('DELETE', `/service/${service}/users/${users[index]}`);
    expect(status).toBe(expected);
    if (expected === 400) expect(body).toEqual({ result: 'error', message: 'User cannot be removed from the service' });
  });

  it('204 once when the last two active members are removed concurrently', async () => {
    const { service, users } = await aTeam('active', 'active');
    const responses = await Promise.all(users.map((user) => admin('DELETE', `/service/${service}/users/${user}`)));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 400]);
  });

  it('404 for a user who is not a member, and for unknown ids', async () => {
    const { service, users } = await aTeam('active', 'active');
    const stranger = await aUser(harness);
    const unknown = newId(new Date());
    const response = async (path: string) => {
      const { status, body } = await admin('DELETE', path);
      return [status, body.message];
    };
    expect(await response(`/service/${service}/users/${stranger}`)).toEqual([404, 'User not found']);
    expect(await response(`/service/${service}/users/${unknown}`)).toEqual([404, 'No result found']);
    expect(await response(`/service/${unknown}/users/${users[0]}`)).toEqual([404, 'No result found']);
  });
});
