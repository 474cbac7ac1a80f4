import { describe, expect, it } from 'vitest';
import { anOrganisation, aService } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { accountMessages } from '../../../../test/kit/world/account-messages.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor, Page } from '../../../../test/kit/world/console-visitor.ts';
import { creatorPermissions } from '../../../users/members/permissions.ts';
import { platformUserId } from '../../../users/platform-user.ts';
import { collectPages } from '../../collect-pages.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

const managing = [...creatorPermissions];
const findUser = async (email: string) => (await harness.admin('POST', '/user/email', { email })).body.data;
const lastMessage = async () => (await accountMessages(harness)).at(-1);
const permissionsIn = async (service: string, id: string) =>
  (await harness.admin('GET', `/user/${id}`)).body.data.permissions[service];

async function addMember(service: string, permissions: string[], fields: Parameters<typeof aPerson>[1] = {}) {
  const person = await aPerson(harness, fields);
  await harness.admin('POST', `/service/${service}/users/${person.id}`, {
    permissions: permissions.map((permission) => ({ permission })),
  });
  return person;
}

/** A service, the person who manages it, and the address of its team. */
async function aTeam(fields: Parameters<typeof aService>[1] = {}) {
  const service = await aService(harness, fields);
  const manager = await addMember(service, managing, { name: 'Grace Hopper' });
  return { service, manager, browser: await signedIn(harness, manager.id), team: `/console/services/${service}/team` };
}

const entriesOf = ({ text }: Page) => {
  const menu = /<nav aria-label="Service">.*?<\/nav>/s.exec(text)?.[0] ?? '';
  return [...menu.matchAll(/<a [^>]*>([^<]+)<\/a>/g)].map(([, label]) => label);
};

describe('GET /team', () => {
  it('shows members with rights, folders they miss and methods, and who is invited', async () => {
    const { service, browser, team } = await aTeam();
    const folders = `/service/${service}/template-folder`;
    const { body } = await harness.admin('POST', folders, { name: 'Appointments', parent_id: null });
    const bob = await addMember(service, ['send_messages'], { name: 'Bob Moore', auth_type: 'email_auth' });
    expect((await browser.get(team)).text).toMatch(/Bob Moore.*?Sees no folders/s);
    const permission = { permissions: [{ permission: 'send_messages' }], folder_permissions: [body.data.id] };
    await harness.admin('POST', `/user/${bob.id}/service/${service}/permission`, permission);
    const old = await harness.admin('POST', folders, { name: 'Old', parent_id: body.data.id });
    await harness.admin('POST', `${folders}/${old.body.data.id}`, { name: 'Old', users_with_permission: [] });
    const page = await browser.get(team);
    expect(page.text).toMatch(/Bob Moore.*?Does not see “Appointments \/ Old”.*?Email link/s);
    expect(page.text.match(/<span class="sr">Yes<\/span>/g)).toHaveLength(6);
  });

  it('lists people only, not the platform itself, which creates the service of the demo', async () => {
    const { service, manager, browser, team } = await aTeam();
    await harness.admin('POST', `/service/${service}/users/${platformUserId}`, {
      permissions: managing.map((permission) => ({ permission })),
    });
    const page = await browser.get(team);
    expect(page.text).toContain('2 members.');
    expect(page.text).not.toContain('platform.invalid');
    expect((await browser.get(`${team}/${platformUserId}`)).status).toBe(404);
    const left = await browser.post(`${team}/${manager.id}/remove`);
    expect(left.problems['']).toMatch(/^At least one person must be able to manage/);
  });

  it('shows rights and no buttons to those who do not manage; 403 for those who may only send', async () => {
    const { service, team } = await aTeam();
    const reader = await signedIn(harness, (await addMember(service, ['view_activity'])).id);
    const page = await reader.get(team);
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/Change<|team\/invite|team\/csv/);
    const sender = await signedIn(harness, (await addMember(service, ['send_messages'])).id);
    expect((await sender.get(team)).status).toBe(403);
  });

  it('finds people by name or address, which is in no URL', async () => {
    const { service, browser, team } = await aTeam();
    for (const name of ['A', 'B', 'C', 'D', 'E', 'F']) await addMember(service, [], { name: `${name} Person` });
    await addMember(service, [], { name: 'Mary Somerville', email_address: `somerville-${service}@example.org` });
    const redirect = await browser.post(team, { find: 'SOMERVILLE-' });
    expect(redirect.location).not.toMatch(/somerville/i);
    const page = await browser.follow(redirect);
    expect(page.text).toContain('Mary Somerville');
    expect(page.text).not.toContain('A Person');
  });

  it('lists requests to join, with a link for those who were asked', async () => {
    const { service, manager, browser, team } = await aTeam();
    const { id: requester_id } = await aPerson(harness, { name: 'George Boole' });
    const request = { requester_id, contacted_user_ids: [manager.id] };
    const { body } = await harness.admin('POST', `/service/${service}/service-join-request`, request);
    const link = `/console/services/${service}/join-request/${body.service_join_request_id}/approve`;
    expect((await browser.get(team)).text).toContain(link);
    const other = await signedIn(harness, (await addMember(service, managing)).id);
    const page = await other.get(team);
    expect(page.text).toContain('George Boole');
    expect(page.text).not.toContain(link);
    await browser.follow(await browser.post(link, { status: 'rejected' }));
    expect((await browser.get(team)).text).not.toContain('George Boole');
  });

  it('can be downloaded, without formulas', async () => {
    const { service, browser, team } = await aTeam({ name: 'Library' });
    await addMember(service, ['send_messages'], { name: '=HYPERLINK("x")' });
    const { text, headers } = await browser.get(`${team}/csv`);
    expect(headers['content-disposition']).toBe('attachment; filename="Library team.csv"');
    expect(text.split('\r\n')[0]).toBe(
      'name,email_address,See the dashboard,Send messages,Add and edit templates,"Manage settings, team and usage",Manage the API integration,signs_in_with,last_signed_in',
    );
    expect(text).toMatch(/"'=HYPERLINK\(""x""\)",\S+,no,yes,no,no,no,Text code,/);
  });
});

describe('POST /team/invite', () => {
  it('sends a link; the colleague gets these rights, folders and method', async () => {
    const { service, browser, team } = await aTeam({ permissions: ['sms', 'email', 'email_auth'] });
    const { body } = await harness.admin('POST', `/service/${service}/template-folder`, {
      name: 'Appointments',
      parent_id: null,
    });
    const email_address = 'charles@example.org';
    const invitation = { email_address, 'rights[]': ['send'], 'folders[]': [body.data.id], auth_type: 'email_auth' };
    const done = await browser.post(`${team}/invite`, invitation);
    expect(done.location).toBe(team);
    expect((await browser.follow(done)).text).toMatch(/charles@example\.org.*?Invited by <bdi>Grace Hopper/s);
    const url = new URL(String((await lastMessage())?.personalisation.url)).pathname;
    const user = await aPerson(harness, { email_address });
    const colleague = await signedIn(harness, user.id);
    await colleague.post(url);
    expect(await permissionsIn(service, user.id)).toEqual(['send_texts', 'send_emails', 'send_letters']);
    expect(await findUser(email_address)).toMatchObject({ auth_type: 'email_auth' });
    const folders = (await harness.admin('GET', `/service/${service}/template-folder`)).body.template_folders;
    expect(folders[0].users_with_permission).toContain(user.id);
    await refusedElsewhere(colleague, service);
  });

  it('400 for oneself, a member, one who is invited, and a wrong address; keeps every value', async () => {
    const { service, manager, browser, team } = await aTeam();
    const member = await addMember(service, [], { name: 'Bob Moore' });
    await browser.post(`${team}/invite`, { email_address: 'once@example.org' });
    const problemOf = async (email_address: string) =>
      (await browser.post(`${team}/invite`, { email_address })).problems.email_address;
    expect(await problemOf('')).toBe('Enter an email address.');
    expect(await problemOf('nobody')).toMatch(/^Enter an email address/);
    expect(await problemOf(manager.email_address.toUpperCase())).toBe(
      'Enter the address of another person. This one is yours.',
    );
    expect(await problemOf(member.email_address)).toBe('Bob Moore is already in the team.');
    expect(await problemOf('ONCE@example.org')).toMatch(/^This person is already invited/);
    const page = await browser.post(`${team}/invite`, { email_address: 'nobody', 'rights[]': ['api', 'templates'] });
    expect(page.status).toBe(400);
    expect(page.text).toContain('value="nobody"');
    expect([...page.text.matchAll(/value="(\w+)" checked/g)].map(([, value]) => value)).toEqual(['templates', 'api']);
    expect((await harness.admin('GET', `/service/${service}/invite`)).body.data).toHaveLength(1);
  });

  it('is cancelled with a button, unless it was accepted', async () => {
    const { service, browser, team } = await aTeam();
    await browser.post(`${team}/invite`, { email_address: 'late@example.org' });
    const [{ id }] = (await harness.admin('GET', `/service/${service}/invite`)).body.data;
    const cancel = () => browser.post(`${team}/invitations/cancel`, { invite_id: id });
    expect((await browser.follow(await cancel())).text).toContain('Invitation to late@example.org cancelled.');
    await harness.admin('POST', `/service/${service}/invite/${id}`, { status: 'accepted' });
    expect((await browser.follow(await cancel())).text).toContain('has already accepted');
    const other = await aTeam();
    expect((await other.browser.post(`${other.team}/invitations/cancel`, { invite_id: id })).status).toBe(404);
  });
});

/** A colleague who may only send: every page of the service, but those below three entries, replying and opt-outs. */
async function refusedElsewhere(colleague: ConsoleVisitor, service: string): Promise<void> {
  const own = ['Templates', 'Send', 'Messages'];
  const ofOthers = collectPages(harness.app).filter(
    ({ path, menu, below, who }) =>
      path.startsWith('/services/:service_id/') &&
      !own.includes(menu ?? below ?? 'Messages') &&
      typeof who === 'object' &&
      'service' in who &&
      ![who.service].flat().some((right) => right === 'send' || right === 'messages'),
  );
  expect(ofOthers.length).toBeGreaterThan(5);
  for (const { path } of ofOthers) {
    const url = `/console${path.replace(':service_id', service).replaceAll(/:\w+/g, service)}`;
    expect([path, (await colleague.get(url)).status]).toEqual([path, 403]);
  }
  expect(entriesOf(await colleague.get(`/console/services/${service}/messages`))).toEqual(own);
}

describe('POST /team/{user_id}', () => {
  it('changes rights, folders and method', async () => {
    const { service, browser, team } = await aTeam({ permissions: ['email', 'email_auth'] });
    const member = await addMember(service, ['send_messages']);
    const form = { 'rights[]': ['activity', 'manage'], auth_type: 'email_auth' };
    expect((await browser.post(`${team}/${member.id}`, form)).location).toBe(team);
    expect(await permissionsIn(service, member.id)).toEqual(['view_activity', 'manage_users', 'manage_settings']);
    expect(await findUser(member.email_address)).toMatchObject({ auth_type: 'email_auth' });
  });

  it('does not touch the method of operators, those with a key, nor without a number', async () => {
    const { service, browser, team } = await aTeam({ permissions: ['email', 'email_auth'] });
    const withKey = await addMember(service, [], { auth_type: 'webauthn_auth' });
    const admin = await addMember(service, [], { platform_admin: true });
    const reader = await addMember(service, [], { read_only_operator: true });
    for (const { id, email_address, auth_type } of [withKey, admin, reader]) {
      await browser.post(`${team}/${id}`, { auth_type: 'email_auth' });
      expect(await findUser(email_address)).toMatchObject({ auth_type });
      expect((await browser.get(`${team}/${id}`)).text).not.toContain('name="auth_type"');
    }
    const noNumber = await addMember(service, [], { name: 'Bob', auth_type: 'email_auth', mobile_number: null });
    const page = await browser.post(`${team}/${noNumber.id}`, { auth_type: 'sms_auth', 'rights[]': ['api'] });
    expect(page.problems).toEqual({ auth_type: 'Bob has no mobile number for text codes.' });
    expect(await permissionsIn(service, noNumber.id)).toEqual([]);
  });

  it('keeps one person who manages, also when two give it up at once', async () => {
    const { service, manager, browser, team } = await aTeam();
    const problem = /^At least one person must be able to manage the service/;
    expect((await browser.post(`${team}/${manager.id}`, { 'rights[]': ['send'] })).problems['']).toMatch(problem);
    expect((await browser.post(`${team}/${manager.id}/remove`)).problems['']).toMatch(problem);
    const second = await addMember(service, ['manage_service']);
    const other = await signedIn(harness, second.id);
    await Promise.all([browser.post(`${team}/${second.id}`), other.post(`${team}/${manager.id}`)]);
    const left = await Promise.all([permissionsIn(service, manager.id), permissionsIn(service, second.id)]);
    expect(left.filter((permissions) => permissions.length > 0)).toHaveLength(1);
  });

  it('404 for people of other teams and folders of other services', async () => {
    const { browser, team, service } = await aTeam();
    const other = await aTeam();
    for (const path of ['', '/remove', '/email', '/mobile']) {
      expect((await browser.post(`${team}/${other.manager.id}${path}`, { value: 'a@example.org' })).status).not.toBe(
        303,
      );
    }
    expect(await findUser(other.manager.email_address)).toMatchObject({ services: [other.service] });
    const member = await addMember(service, []);
    const { body } = await harness.admin('POST', `/service/${other.service}/template-folder`, {
      name: 'Theirs',
      parent_id: null,
    });
    expect((await browser.post(`${team}/${member.id}`, { 'folders[]': [body.data.id] })).status).toBe(404);
  });
});

describe('POST /team/{user_id}/remove', () => {
  it('removes at once; who leaves lands on the own services', async () => {
    const { service, browser, team, manager } = await aTeam();
    const second = await addMember(service, managing);
    const other = await signedIn(harness, second.id);
    expect((await browser.post(`${team}/${second.id}/remove`)).location).toBe(team);
    expect((await other.get(team)).status).toBe(404);
    await addMember(service, managing);
    expect((await browser.post(`${team}/${manager.id}/remove`)).location).toBe('/console/services');
  });
});

describe('POST /team/{user_id}/email and /mobile', () => {
  it('asks first, then changes it and tells the person', async () => {
    const { service, browser, team } = await aTeam();
    const member = await addMember(service, [], { name: 'Bob' });
    const page = await browser.post(`${team}/${member.id}/email`, { value: 'bob.new@example.org' });
    expect([page.status, page.text.includes(member.email_address)]).toEqual([200, true]);
    expect(await findUser('bob.new@example.org')).toBeUndefined();
    await browser.post(`${team}/${member.id}/email`, { value: 'bob.new@example.org', confirmed: 'yes' });
    expect((await findUser('bob.new@example.org')).id).toBe(member.id);
    expect((await lastMessage())?.recipient).toBe(member.email_address);
    const wrong = await browser.post(`${team}/${member.id}/mobile`, { value: '12', confirmed: 'yes' });
    expect(wrong.problems.value).toBe('Enter a mobile number with more digits. This one is too short.');
  });

  it('signs the person out everywhere', async () => {
    const { service, browser, team } = await aTeam();
    const changes = [
      ['email', `${service}@example.org`],
      ['mobile', '07700900461'],
    ] as const;
    for (const [kind, value] of changes) {
      const member = await addMember(service, []);
      const own = await signedIn(harness, member.id);
      await browser.post(`${team}/${member.id}/${kind}`, { value });
      expect((await own.get('/console/account')).status).toBe(200);
      await browser.post(`${team}/${member.id}/${kind}`, { value, confirmed: 'yes' });
      expect((await own.get('/console/account')).status).toBe(303);
    }
    expect((await browser.get(team)).status).toBe(200);
  });

  it('lets platform administrators change read-only operators, but not each other', async () => {
    const { service, team } = await aTeam();
    const browser = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
    const reader = await addMember(service, [], { read_only_operator: true });
    const admin = await addMember(service, [], { platform_admin: true });
    for (const { id } of [reader, admin]) {
      await browser.post(`${team}/${id}/email`, { value: `${id}@example.org`, confirmed: 'yes' });
    }
    expect((await findUser(`${reader.id}@example.org`)).id).toBe(reader.id);
    expect(await findUser(`${admin.id}@example.org`)).toBeUndefined();
  });

  it('refuses for operators and people with another team', async () => {
    const { service, browser, team } = await aTeam();
    const admin = await addMember(service, [], { platform_admin: true });
    const reader = await addMember(service, [], { read_only_operator: true });
    const busy = await addMember(service, []);
    await harness.admin('POST', `/service/${await aService(harness)}/users/${busy.id}`, { permissions: [] });
    const official = await addMember(service, []);
    await harness.admin('POST', `/organisations/${await anOrganisation(harness)}/users/${official.id}`, {
      permissions: [],
    });
    for (const { id, email_address, mobile_number } of [admin, reader, busy, official]) {
      const { location } = await browser.post(`${team}/${id}/email`, { value: 'taken@example.org', confirmed: 'yes' });
      expect(location).toBe(`${team}/${id}`);
      await browser.post(`${team}/${id}/mobile`, { value: '07700900461', confirmed: 'yes' });
      expect(await findUser(email_address)).toMatchObject({ id, mobile_number });
      expect((await browser.get(`${team}/${id}`)).text).not.toContain(`${team}/${id}/email`);
    }
  });
});
