import { describe, expect, it } from 'vitest';
import { anOrganisation, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { newId } from '../../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;

async function aMember(organisation: string, state: 'active' | 'pending' = 'active') {
  const user = await aUser(harness, { state });
  const permissions = [{ permission: 'manage_services' }];
  const response = await admin('POST', `/organisations/${organisation}/users/${user}`, { permissions });
  return { user, response };
}

describe('POST /organisations/{id}/users/{user_id}', () => {
  it('200 with the user record', async () => {
    const organisation = await anOrganisation(harness);
    const { user, response } = await aMember(organisation);
    expect(response.status).toBe(200);
    expect(response.body.data).toMatchObject({
      id: user,
      organisations: [organisation],
      organisation_permissions: { [organisation]: ['manage_services'] },
    });
  });

  it('200 again with other permissions', async () => {
    const organisation = await anOrganisation(harness);
    const { user } = await aMember(organisation);
    const permissions = [{ permission: 'can_make_services_live' }];
    const { body } = await admin('POST', `/organisations/${organisation}/users/${user}`, { permissions });
    expect(body.data.organisation_permissions).toEqual({ [organisation]: ['can_make_services_live'] });
  });

  it('400 for an unknown permission, 404 for unknown ids', async () => {
    const organisation = await anOrganisation(harness);
    const user = await aUser(harness);
    const permissions = [{ permission: 'fly' }];
    const refused = await admin('POST', `/organisations/${organisation}/users/${user}`, { permissions });
    expect(refused.status).toBe(400);
    const unknown = newId(new Date());
    expect((await admin('POST', `/organisations/${unknown}/users/${user}`, { permissions: [] })).status).toBe(404);
    expect((await admin('POST', `/organisations/${organisation}/users/${unknown}`, { permissions: [] })).status).toBe(
      404,
    );
  });
});

describe('GET /organisations/{id}/users', () => {
  it('200 with active members only', async () => {
    const organisation = await anOrganisation(harness);
    const { user } = await aMember(organisation);
    await aMember(organisation, 'pending');
    const { status, body } = await admin('GET', `/organisations/${organisation}/users`);
    expect(status).toBe(200);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([user]);
  });

  it('404 for an unknown organisation', async () => {
    expect((await admin('GET', `/organisations/${newId(new Date())}/users`)).status).toBe(404);
  });
});

describe('DELETE /organisations/{id}/users/{user_id}', () => {
  it('204, then 404 `User not found`', async () => {
    const organisation = await anOrganisation(harness);
    const { user } = await aMember(organisation);
    const { status, text } = await admin('DELETE', `/organisations/${organisation}/users/${user}`);
    expect([status, text]).toEqual([204, '']);
    const again = await admin('DELETE', `/organisations/${organisation}/users/${user}`);
    expect([again.status, again.body.message]).toEqual([404, 'User not found']);
  });

  it('404 for unknown ids', async () => {
    const [organisation, user, unknown] = [await anOrganisation(harness), await aUser(harness), newId(new Date())];
    const a = await admin('DELETE', `/organisations/${organisation}/users/${unknown}`);
    expect([a.status, a.body.message]).toEqual([404, 'No result found']);
    expect((await admin('DELETE', `/organisations/${unknown}/users/${user}`)).status).toBe(404);
  });
});
