import { describe, expect, it } from 'vitest';
import { anOrganisation, aService, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { timestamp } from '../../platform/clock.ts';
import { newId } from '../../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const unknown = '4f46df42-0000-4cc4-83bb-65ca312f49cc';
const notFound = { result: 'error', message: 'No result found' };
const missing = 'Missing data for required field.';
const named = (...names: string[]) => names.map((permission) => ({ permission }));

async function aFolder(serviceId: string): Promise<string> {
  const id = newId(harness.clock.now());
  const created_at = timestamp(harness.clock.now());
  await harness.app.db
    .insertInto('template_folders')
    .values({ id, service_id: serviceId, name: 'Folder', created_at })
    .execute();
  return id;
}

async function foldersOf(userId: string): Promise<string[]> {
  const rows = await harness.app.db
    .selectFrom('template_folder_members')
    .select('template_folder_id')
    .where('user_id', '=', userId)
    .orderBy('template_folder_id')
    .execute();
  return rows.map((row) => row.template_folder_id);
}

async function aMember() {
  const user = await aUser(harness);
  return { user, service: await aService(harness, { created_by_id: user }) };
}

async function record(userId: string) {
  return (await harness.admin('GET', `/user/${userId}`)).body.data;
}

describe('POST /user/{user_id}/service/{service_id}/permission', () => {
  const set = (user: string, service: string, body: unknown) =>
    harness.admin('POST', `/user/${user}/service/${service}/permission`, body);

  it('204; replaces the set, in this service only', async () => {
    const { user, service } = await aMember();
    const other = await aService(harness, { created_by_id: user });
    const response = await set(user, service, {
      permissions: named('send_messages', 'manage_templates', 'send_texts'),
    });
    expect(response.status).toBe(204);
    expect(response.text).toBe('');
    expect((await record(user)).permissions).toEqual({
      [service]: ['send_messages', 'manage_templates', 'send_texts'],
      [other]: ['manage_settings'],
    });
    await set(user, service, { permissions: [] });
    expect((await record(user)).permissions).toEqual({ [service]: [], [other]: ['manage_settings'] });
  });

  it('204; replaces the folders if given, otherwise keeps them', async () => {
    const { user, service } = await aMember();
    const [one, two] = [await aFolder(service), await aFolder(service)];
    await set(user, service, { permissions: [], folder_permissions: [one, two, one] });
    expect(await foldersOf(user)).toEqual([one, two]);
    await set(user, service, { permissions: [] });
    expect(await foldersOf(user)).toEqual([one, two]);
    await set(user, service, { permissions: [], folder_permissions: [two] });
    expect(await foldersOf(user)).toEqual([two]);
    await set(user, service, { permissions: [], folder_permissions: [] });
    expect(await foldersOf(user)).toEqual([]);
  });

  it('404 for a folder that is unknown, of another service or not an id; changes nothing', async () => {
    const { user, service } = await aMember();
    const mine = await aFolder(service);
    await set(user, service, { permissions: named('view_activity'), folder_permissions: [mine] });
    for (const folder of [unknown, await aFolder(await aService(harness)), 'nonsense']) {
      const response = await set(user, service, { permissions: [], folder_permissions: [mine, folder] });
      expect(response.status).toBe(404);
      expect(response.body).toEqual(notFound);
      expect((await record(user)).permissions[service]).toEqual(['view_activity']);
      expect(await foldersOf(user)).toEqual([mine]);
    }
  });

  const allowed =
    'send_messages, manage_templates, manage_service, manage_api_keys, manage_users, view_activity, manage_settings, send_texts, send_emails, send_letters, platform_admin';
  it.each([
    [{}, { permissions: [missing] }],
    [{ permissions: 'x' }, { permissions: ['Not a valid list.'] }],
    [{ permissions: ['manage_users'] }, { permissions: ['Not a valid object.'] }],
    [{ permissions: [{}] }, { permissions: [missing] }],
    [{ permissions: named('rule_the_world') }, { permissions: [`Must be one of: ${allowed}.`] }],
    [{ permissions: named('manage_users', 'manage_users') }, { permissions: ['Must not contain duplicates.'] }],
    [{ permissions: [], folder_permissions: 'x' }, { folder_permissions: ['Not a valid list.'] }],
    [{ permissions: [], extra: 1 }, { _schema: ['Unknown field name extra'] }],
  ])('400 for %j', async (body, message) => {
    const { user, service } = await aMember();
    const response = await set(user, service, body);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message });
    expect((await record(user)).permissions[service]).toEqual(['manage_settings']);
  });

  it('404 unless the user is a member, before validating the body', async () => {
    const { user, service } = await aMember();
    for (const response of [
      await set(user, await aService(harness), {}),
      await set(user, unknown, {}),
      await set(unknown, service, {}),
    ]) {
      expect(response.status).toBe(404);
      expect(response.body).toEqual(notFound);
    }
  });
});

describe('POST /user/{user_id}/organisation/{organisation_id}/permissions', () => {
  const set = (user: string, organisation: string, body: unknown) =>
    harness.admin('POST', `/user/${user}/organisation/${organisation}/permissions`, body);

  it('204; replaces the set', async () => {
    const [user, organisation] = [await aUser(harness), await anOrganisation(harness)];
    const response = await set(user, organisation, { permissions: named('manage_services', 'can_make_services_live') });
    expect(response.status).toBe(204);
    expect((await record(user)).organisation_permissions).toEqual({
      [organisation]: ['can_make_services_live', 'manage_services'],
    });
    await set(user, organisation, { permissions: named('view_all_services') });
    expect((await record(user)).organisation_permissions[organisation]).toEqual(['view_all_services']);
    await set(user, organisation, { permissions: [] });
    expect((await record(user)).organisation_permissions).toEqual({});
  });

  it.each([
    [{}, { permissions: [missing] }],
    [{ permissions: ['x'] }, { permissions: ['Not a valid object.'] }],
    [
      { permissions: named('manage_users') },
      {
        permissions: [
          'Must be one of: manage_services, view_all_services, manage_organisation, can_make_services_live.',
        ],
      },
    ],
    [{ permissions: [], extra: 1 }, { _schema: ['Unknown field name extra'] }],
  ])('400 for %j', async (body, message) => {
    const response = await set(await aUser(harness), await anOrganisation(harness), body);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message });
  });

  it('404 for an unknown organisation or user, before validating the body', async () => {
    for (const response of [
      await set(await aUser(harness), unknown, {}),
      await set(unknown, await anOrganisation(harness), {}),
    ]) {
      expect(response.status).toBe(404);
      expect(response.body).toEqual(notFound);
    }
  });
});
