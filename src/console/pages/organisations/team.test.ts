import { describe, expect, it } from 'vitest';
import { anOrganisation } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { accountMessages } from '../../../../test/kit/world/account-messages.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const makesLive = 'can_make_services_live';

async function aMember(organisation: string, permissions: string[] = [], fields: Parameters<typeof aPerson>[1] = {}) {
  const { id } = await aPerson(harness, fields);
  await harness.admin('POST', `/organisations/${organisation}/users/${id}`, {
    permissions: permissions.map((permission) => ({ permission })),
  });
  return { id, browser: await signedIn(harness, id) };
}

async function anOrganisationWith() {
  const id = await anOrganisation(harness);
  const plain = await aMember(id);
  const holder = await aMember(id, [makesLive]);
  const admin = { browser: await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id) };
  const rightsOf = async (userId: string) =>
    (await harness.admin('GET', `/user/${userId}`)).body.data.organisation_permissions[id];
  return { id, plain, holder, admin, rightsOf, team: `/console/organisations/${id}/team` };
}

const give = { 'rights[]': [makesLive] };

describe('POST /organisations/{id}/team/{member_id}', () => {
  it('403 for members without the right, about themselves and others; gives and takes nothing', async () => {
    const { id, plain, holder, rightsOf, team } = await anOrganisationWith();
    const other = await aMember(id);
    const attempts = [
      [plain.id, give],
      [other.id, give],
      [holder.id, {}],
    ] as const;
    for (const [member, form] of attempts) {
      const before = await rightsOf(member);
      expect((await plain.browser.get(`${team}/${member}`)).text).not.toContain(makesLive);
      expect((await plain.browser.post(`${team}/${member}`, form)).status).toBe(403);
      expect(await rightsOf(member)).toEqual(before);
    }
  });

  it('gives and takes the right for its holders and platform administrators', async () => {
    const { plain, holder, admin, rightsOf, team } = await anOrganisationWith();
    for (const { browser } of [holder, admin]) {
      expect((await browser.post(`${team}/${plain.id}`, give)).location).toBe(team);
      expect(await rightsOf(plain.id)).toEqual([makesLive]);
      expect((await browser.post(`${team}/${plain.id}`, {})).location).toBe(team);
      expect(await rightsOf(plain.id)).toEqual([]);
    }
  });

  it('lets holders give up their own right, which they cannot take back', async () => {
    const { holder, rightsOf, team } = await anOrganisationWith();
    expect((await holder.browser.post(`${team}/${holder.id}`, {})).location).toBe(team);
    expect(await rightsOf(holder.id)).toEqual([]);
    expect((await holder.browser.post(`${team}/${holder.id}`, give)).status).toBe(403);
  });

  it('403 for a platform administrator who takes the right as a member', async () => {
    const { id, rightsOf, team } = await anOrganisationWith();
    const member = await aMember(id, [], { platform_admin: true });
    expect((await member.browser.post(`${team}/${member.id}`, give)).status).toBe(403);
    expect(await rightsOf(member.id)).toEqual([]);
  });

  it('403 for holders of the right in another organisation who are members here', async () => {
    const { id, plain, rightsOf, team } = await anOrganisationWith();
    const elsewhere = await anOrganisation(harness);
    const member = await aMember(elsewhere, [makesLive]);
    await harness.admin('POST', `/organisations/${id}/users/${member.id}`, { permissions: [] });
    expect((await member.browser.post(`${team}/${plain.id}`, give)).status).toBe(403);
    expect(await rightsOf(plain.id)).toEqual([]);
  });
});

describe('POST /organisations/{id}/team/invite', () => {
  it('403 for an invitation with the right from members who do not have it', async () => {
    const { id, plain, team } = await anOrganisationWith();
    const before = (await accountMessages(harness)).length;
    expect((await plain.browser.get(`${team}/invite`)).text).not.toContain(makesLive);
    const invitation = { email_address: `${id}@example.org`, ...give };
    expect((await plain.browser.post(`${team}/invite`, invitation)).status).toBe(403);
    expect(await accountMessages(harness)).toHaveLength(before);
  });

  it.each(['holder', 'admin'] as const)('sends it for a %s, and without the right for any member', async (role) => {
    const { id, plain, team, [role]: inviter } = await anOrganisationWith();
    const invitation = { email_address: `with-${id}@example.org`, ...give };
    expect((await inviter.browser.post(`${team}/invite`, invitation)).location).toBe(team);
    const without = { email_address: `without-${id}@example.org` };
    expect((await plain.browser.post(`${team}/invite`, without)).location).toBe(team);
    const { data } = (await harness.admin('GET', `/organisation/${id}/invite`)).body;
    const given = data.map(({ permissions }: { permissions: string[] }) => permissions);
    expect(given.sort()).toEqual([[], [makesLive]]);
  });
});
