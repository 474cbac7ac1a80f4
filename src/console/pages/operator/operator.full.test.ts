import { beforeAll, describe, expect, it } from 'vitest';
import { anOrganisation, aService } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { accountMessages, sentBy } from '../../../../test/kit/world/account-messages.ts';
import { aPerson, joinService, password, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';
import { newId } from '../../../platform/id.ts';
import { accountTemplates } from '../../../users/account-messages/account-messages.ts';
import { noPassword } from '../../../users/sign-in/passwords.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const { admin } = harness;

let operator: ConsoleVisitor;
let operatorId: string;

beforeAll(async () => {
  operatorId = (await aPerson(harness, { name: 'Olga Operator', platform_admin: true })).id;
  operator = await signedIn(harness, operatorId);
});

const service = async (id: string) => (await admin('GET', `/service/${id}`)).body.data;
const user = async (id: string) => (await admin('GET', `/user/${id}`)).body.data;
const organisation = async (id: string) => (await admin('GET', `/organisations/${id}`)).body;

async function aRequestToGoLive(fields: { organisation_id?: string } = {}) {
  const asker = await aPerson(harness, { name: 'Ada Lovelace' });
  const id = await aService(harness, { restricted: true, sms_message_limit: 50, ...fields });
  await joinService(harness, id, asker.id);
  await admin('POST', `/service/${id}`, {
    has_active_go_live_request: true,
    go_live_user: asker.id,
    volume_sms: 1_200,
  });
  return { id, asker };
}

describe('services', () => {
  it('are found by a part of the name, by id and by state; the name is in no address', async () => {
    const id = await aService(harness, { name: 'Parking permits' });
    const suspended = await aService(harness, { name: 'Suspended permits', permissions: ['international_sms'] });
    const { location = '' } = await operator.post('/console/operator/services', { find: 'PERMITS' });
    expect(location).not.toMatch(/permits/i);
    const found = await operator.get(location);
    expect(found.text).toContain(`/console/operator/services/${id}"`);
    expect(found.text).toContain('2 found');
    const byId = await operator.post('/console/operator/services', { find: id });
    expect((await operator.get(byId.location ?? '')).text).toContain('1 found');
    const stopped = await operator.get('/console/operator/services?state=suspended');
    expect(stopped.text).toContain(`/console/operator/services/${suspended}"`);
    expect(stopped.text).not.toContain(`/console/operator/services/${id}"`);
    expect((await operator.get('/console/operator/services?page=9999')).status).toBe(200);
  });

  it('show fifty a page', async () => {
    for (let index = 0; index < 51; index += 1)
      await aService(harness, { name: `Many ${String(index).padStart(2, '0')}` });
    const { location = '' } = await operator.post('/console/operator/services', { find: 'Many ' });
    const first = await operator.get(location);
    expect(first.text).toContain('1 to 50 of 51');
    expect(first.text).not.toContain('Many 50');
    const next = /href="([^"]+)" rel="next"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect((await operator.get(next)).text).toContain('Many 50');
  });

  it('go live when the operator approves', async () => {
    const { id, asker } = await aRequestToGoLive();
    const queue = await operator.get('/console/operator/services/going-live');
    expect(queue.text).toContain(asker.email_address);
    expect(queue.text).toContain('1,200 texts');
    const decide = `/console/services/${id}/make-service-live`;
    expect((await operator.post(decide, {})).problems).toEqual({
      decision: 'Choose whether to make the service live.',
    });
    const decided = await operator.post(decide, { decision: 'approve' });
    expect(decided.location).toBe('/console/operator/services/going-live');
    expect(await service(id)).toMatchObject({
      restricted: false,
      sms_message_limit: 250_000,
      has_active_go_live_request: false,
      go_live_at: '2026-11-16T12:00:00.000000Z',
    });
    expect((await accountMessages(harness)).map(({ recipient }) => recipient)).toContain(asker.email_address);
  });

  it('stay in trial mode when the operator refuses, and the person who asked gets the reason', async () => {
    const { id, asker } = await aRequestToGoLive();
    const decide = `/console/services/${id}/make-service-live`;
    expect((await operator.post(decide, { decision: 'refuse' })).problems.reason).toMatch(/Enter a reason/);
    expect(await service(id)).toMatchObject({ has_active_go_live_request: true });
    await operator.post(decide, { decision: 'refuse', reason: 'The name says nothing' });
    expect(await service(id)).toMatchObject({ restricted: true, has_active_go_live_request: false });
    const sent = (await accountMessages(harness)).find(({ recipient }) => recipient === asker.email_address);
    expect(sent?.personalisation).toMatchObject({
      reason: '^ The name says nothing',
      organisation_team_member_name: 'Olga Operator',
    });
    const again = await operator.post(decide, { decision: 'approve' });
    expect(again.location).toBe('/console/operator/services/going-live');
    expect(await service(id)).toMatchObject({ restricted: true });
  });

  it('are decided about by their organisation, if it may; by nobody else of it', async () => {
    const organisation_id = await anOrganisation(harness);
    const { id } = await aRequestToGoLive({ organisation_id });
    const member = await aPerson(harness);
    const permissions = [{ permission: 'can_make_services_live' }];
    await admin('POST', `/organisations/${organisation_id}/users/${member.id}`, { permissions });
    const browser = await signedIn(harness, member.id);
    const decide = `/console/services/${id}/make-service-live`;
    expect((await browser.get(decide)).text).not.toContain('name="decision"');
    expect((await browser.post(decide, { decision: 'approve' })).status).toBe(403);
    await admin('POST', `/organisations/${organisation_id}`, { can_approve_own_go_live_requests: true });
    expect((await browser.get(decide)).text).toContain('name="decision"');
    await browser.post(decide, { decision: 'approve' });
    expect(await service(id)).toMatchObject({ restricted: false });
  });

  it('are not decided about by the person who asked, though another holder of the right may', async () => {
    const organisation_id = await anOrganisation(harness);
    await admin('POST', `/organisations/${organisation_id}`, { can_approve_own_go_live_requests: true });
    const { id, asker } = await aRequestToGoLive({ organisation_id });
    const colleague = await aPerson(harness);
    for (const { id: member } of [asker, colleague]) {
      const permissions = [{ permission: 'can_make_services_live' }];
      await admin('POST', `/organisations/${organisation_id}/users/${member}`, { permissions });
    }
    const decide = `/console/services/${id}/make-service-live`;
    const own = await signedIn(harness, asker.id);
    const page = await own.get(decide);
    expect(page.text).toContain('You asked for this, so another person has to decide.');
    expect(page.text).not.toContain('name="decision"');
    for (const decision of ['approve', 'refuse']) {
      expect((await own.post(decide, { decision, reason: 'No' })).status).toBe(403);
      expect(await service(id)).toMatchObject({ restricted: true, has_active_go_live_request: true });
    }
    await (await signedIn(harness, colleague.id)).post(decide, { decision: 'approve' });
    expect(await service(id)).toMatchObject({ restricted: false });
  });

  it('are suspended and resumed; their page has their name once in its title', async () => {
    const id = await aService(harness, { name: 'Street lights' });
    const path = `/console/operator/services/${id}`;
    const page = await operator.get(path);
    expect(page.text).toContain('<title>Street lights – Pennypost</title>');
    expect(page.text).toContain(`href="${path}/suspend"`);
    expect((await operator.get(`${path}/suspend`)).text).toContain('Its new messages are refused.');
    const suspended = await operator.follow(await operator.post(`${path}/suspend`));
    expect(suspended.text).toContain('Service suspended.');
    const { permissions } = await service(id);
    expect(permissions.filter((name: string) => ['email', 'sms', 'letter'].includes(name))).toEqual([]);
    expect(suspended.text).toMatch(/href="[^"]+\/settings\/operator\/channels">Resume</);
  });

  it('are suspended without a channel, and join and leave an organisation', async () => {
    const id = await aService(harness, { organisation_type: 'central' });
    const settings = `/console/services/${id}/settings/operator`;
    await operator.post(`${settings}/channels`, {});
    expect((await service(id)).permissions).not.toEqual(expect.arrayContaining(['sms']));
    expect((await operator.get(`/console/operator/services/${id}`)).text).toContain('Suspended');
    await operator.post(`${settings}/channels`, { 'channels[]': ['sms', 'email'] });
    expect((await service(id)).permissions).toEqual(expect.arrayContaining(['sms', 'email']));
    const organisation_id = await anOrganisation(harness, { organisation_type: 'local' });
    await operator.post(`${settings}/organisation`, { organisation: organisation_id });
    expect(await service(id)).toMatchObject({ organisation: organisation_id, organisation_type: 'local' });
    expect((await operator.post(`${settings}/organisation`, { organisation: newId(harness.clock.now()) })).status).toBe(
      404,
    );
    await operator.post(`${settings}/organisation`, { organisation: '' });
    expect(await service(id)).toMatchObject({ organisation: null });
  });
});

describe('organisations', () => {
  it('are added, found, changed and archived', async () => {
    expect((await operator.post('/console/operator/organisations/add', { name: 'x' })).problems).toEqual({
      type: 'Choose a type.',
    });
    const added = await operator.post('/console/operator/organisations/add', { name: 'Borough of X', type: 'local' });
    const path = added.location?.replace('/settings', '') ?? '';
    const id = path.split('/').at(-1) ?? '';
    const taken = await operator.post('/console/operator/organisations/add', { name: 'Borough of X', type: 'local' });
    expect([taken.status, taken.problems]).toEqual([400, { '': 'Organisation name already exists' }]);
    const { location = '' } = await operator.post('/console/operator/organisations', { find: 'borough' });
    expect((await operator.get(location)).text).toContain(`href="${path}"`);

    await operator.post(`${path}/settings/domains`, { domains: 'X.example\n y.example, x.example' });
    expect((await organisation(id)).domains).toEqual(['x.example', 'y.example']);
    const wrong = await operator.post(`${path}/settings/domains`, { domains: 'ada@x.example' });
    expect(wrong.problems.domains).toContain('Enter only what follows the @');
    await operator.post(`${path}/settings/joining`, { value: 'yes' });
    await operator.post(`${path}/settings/notes`, { value: 'Calls on Mondays' });
    await operator.post(`${path}/settings/self-approval`, { value: 'yes' });
    expect(await organisation(id)).toMatchObject({
      permissions: ['can_ask_to_join_a_service'],
      notes: 'Calls on Mondays',
      can_approve_own_go_live_requests: true,
    });
    const member = await aPerson(harness);
    await admin('POST', `/organisations/${id}/users/${member.id}`, { permissions: [] });
    expect((await operator.post(`${path}/settings/archive`)).problems['']).toContain('Remove the members');
    await operator.post(`${path}/team/${member.id}/remove`);
    await operator.post(`${path}/settings/archive`);
    expect(await organisation(id)).toMatchObject({ active: false });
  });

  it('show their members the usage of the services, as a file, too; others learn nothing', async () => {
    const id = await anOrganisation(harness, { name: 'Town Hall' });
    await aService(harness, { name: 'Library reminders', organisation_id: id });
    const trial = await aService(harness, { name: 'New thing', organisation_id: id, restricted: true });
    const person = await aPerson(harness);
    const browser = await signedIn(harness, person.id);
    const path = `/console/organisations/${id}`;
    expect((await browser.get(path)).status).toBe(404);
    await admin('POST', `/organisations/${id}/users/${person.id}`, { permissions: [] });
    const page = await browser.get(path);
    expect(page.text).toContain('Library reminders');
    expect(page.text).not.toContain(`${path}/settings`);
    expect((await browser.get(`${path}/settings`)).status).toBe(403);
    expect((await browser.get(`${path}/csv`)).text).toMatch(
      /^service_id,service_name,emails_sent.*\r\n[^,]+,Library reminders,0/,
    );
    expect((await browser.get(`${path}/trial`)).text).toContain(trial);
    expect((await browser.get('/console/services')).text).toContain('Town Hall');
    const elsewhere = await anOrganisation(harness);
    for (const other of ['', '/csv', '/trial', '/team', '/team/invite', `/team/${person.id}`]) {
      expect([other, (await browser.get(`/console/organisations/${elsewhere}${other}`)).status]).toEqual([other, 404]);
    }
  });

  it('invite people; who has accepted is not invited again', async () => {
    const id = await anOrganisation(harness, { name: 'Inviting' });
    const person = await aPerson(harness);
    await admin('POST', `/organisations/${id}/users/${person.id}`, { permissions: [] });
    const browser = await signedIn(harness, person.id);
    const team = `/console/organisations/${id}/team`;
    await browser.post(`${team}/invite`, { email_address: 'new@example.org' });
    const again = await browser.post(`${team}/invite`, { email_address: 'NEW@example.org' });
    expect(again.problems.email_address).toContain('already invited');
    const known = await browser.post(`${team}/invite`, { email_address: person.email_address });
    expect(known.problems.email_address).toContain('already a member');
    const invite = /name="invite_id" value="([^"]+)"/.exec((await browser.get(team)).text)?.[1] ?? '';
    await browser.post(`${team}/invitations/cancel`, { invite_id: invite });
    await browser.get(team);
    expect((await browser.get(team)).text).not.toContain(invite);
    const other = await anOrganisation(harness);
    const foreign = `/console/organisations/${other}/team/invitations/cancel`;
    expect((await operator.post(foreign, { invite_id: invite })).status).toBe(404);
  });
});

describe('people', () => {
  it('are found by name, address and id, or because they are locked out', async () => {
    const locked = await aPerson(harness, { name: 'Wilhelmina Locked', email_address: 'wilhelmina@example.org' });
    await harness.app.db.updateTable('users').set({ failed_login_count: 10 }).where('id', '=', locked.id).execute();
    for (const find of ['wilhelmina lo', 'WILHELMINA@', locked.id]) {
      const { location = '' } = await operator.post('/console/operator/people', { find });
      expect(location).not.toMatch(/wilhelmina/i);
      expect((await operator.get(location)).text).toContain(`/console/operator/people/${locked.id}"`);
    }
    expect((await operator.get('/console/operator/people?show=locked')).text).toContain('Wilhelmina Locked');
    const path = `/console/operator/people/${locked.id}`;
    expect((await operator.get(path)).text).toContain('10: locked out');
    await operator.post(`${path}/unlock`);
    expect(await user(locked.id)).toMatchObject({ failed_login_count: 0 });
    const after = await operator.get('/console/operator/people?show=locked');
    expect(after.text).not.toContain(`/console/operator/people/${locked.id}"`);
  });

  it('become platform administrators and are none again; both end their sessions', async () => {
    const person = await aPerson(harness);
    const path = `/console/operator/people/${person.id}`;
    const before = await signedIn(harness, person.id);
    expect((await before.get('/console/operator')).status).toBe(403);
    const change = (role: string) => operator.post(`${path}/role`, { role, current_password: password });
    await change('admin');
    expect(await user(person.id)).toMatchObject({ platform_admin: true });
    expect((await before.get('/console/operator')).location).toMatch(/sign-in/);
    const asAdmin = await signedIn(harness, person.id);
    expect((await asAdmin.get('/console/operator')).status).toBe(200);
    expect((await operator.post(`${path}/archive`)).problems['']).toContain('Take the role');
    await change('read-only');
    expect(await user(person.id)).toMatchObject({ platform_admin: false, read_only_operator: true });
    expect((await asAdmin.get('/console/operator')).location).toMatch(/sign-in/);
    const looking = await signedIn(harness, person.id);
    expect((await looking.get(path)).status).toBe(200);
    expect((await looking.post(`${path}/role`, { role: 'admin', current_password: password })).status).toBe(403);
    const own = { role: 'none', current_password: password };
    const refused = await operator.post(`/console/operator/people/${operatorId}/role`, own);
    expect(refused.problems.role).toContain('another platform administrator');
    await change('none');
    expect((await looking.get('/console/account')).location).toMatch(/sign-in/);
  });

  it('get a role only with the password of the administrator; all administrators are told', async () => {
    const person = await aPerson(harness, { name: 'Nina New' });
    const colleague = await aPerson(harness, { platform_admin: true });
    const path = `/console/operator/people/${person.id}/role`;
    expect((await operator.get(path)).text).toContain('name="current_password"');
    for (const role of ['admin', 'read-only']) {
      expect((await operator.post(path, { role })).problems).toEqual({
        current_password: 'Enter your current password.',
      });
      expect((await operator.post(path, { role, current_password: 'wrong' })).problems).toEqual({
        current_password: 'That is not your current password. Try again.',
      });
    }
    expect(await user(person.id)).toMatchObject({ platform_admin: false });
    const { sent } = await sentBy(harness, () => operator.post(path, { role: 'admin', current_password: password }));
    expect(new Set(sent.map(({ template_id }) => template_id))).toEqual(
      new Set([accountTemplates.operatorRoleChanged]),
    );
    const told = sent.map(({ recipient }) => recipient);
    const operatorAddress = (await user(operatorId)).email_address;
    expect(told).toEqual(expect.arrayContaining([person.email_address, colleague.email_address, operatorAddress]));
    expect(new Set(told).size).toBe(told.length);
    expect(sent[0]?.personalisation).toMatchObject({
      person_name: 'Nina New',
      role: 'a platform administrator',
      changed_by_name: 'Olga Operator',
    });
    const again = await sentBy(harness, () => operator.post(path, { role: 'admin', current_password: password }));
    expect(again.sent).toEqual([]);
    for (const { id } of [person, colleague]) {
      await operator.post(`/console/operator/people/${id}/role`, { role: 'none', current_password: password });
    }
  });

  it('an administrator without a password gets a link to choose one', async () => {
    const person = await aPerson(harness);
    const admin = await aPerson(harness, { platform_admin: true });
    await harness.app.db.updateTable('users').set({ password_hash: noPassword }).where('id', '=', admin.id).execute();
    const browser = await signedIn(harness, admin.id);
    const path = `/console/operator/people/${person.id}/role`;
    expect((await browser.get(path)).text).toContain('/console/account/choose-password');
    const refused = await browser.post(path, { role: 'admin', current_password: 'none' });
    expect(refused.status).toBe(400);
    expect(await user(person.id)).toMatchObject({ platform_admin: false });
    await operator.post(`/console/operator/people/${admin.id}/role`, { role: 'none', current_password: password });
  });

  it('are signed out everywhere, sign in another way, and are archived', async () => {
    const person = await aPerson(harness, { mobile_number: null, auth_type: 'email_auth' });
    const team = await aService(harness);
    await joinService(harness, team, person.id);
    const path = `/console/operator/people/${person.id}`;
    const browser = await signedIn(harness, person.id);
    expect((await operator.get(path)).text).toContain('Signed in on 1');
    await operator.post(`${path}/sessions`);
    expect((await browser.get('/console/account')).location).toMatch(/sign-in/);
    const refused = await operator.post(`${path}/sign-in`, { auth_type: 'sms_auth' });
    expect(refused.problems.auth_type).toContain('need a mobile number');
    await admin('POST', `/user/${person.id}`, { mobile_number: '07700900460' });
    await operator.post(`${path}/sign-in`, { auth_type: 'sms_auth' });
    expect(await user(person.id)).toMatchObject({ auth_type: 'sms_auth' });
    expect((await operator.get(`${path}/archive`)).text).toMatch(
      /remove the account from 1 service and 0\s+organisations/,
    );
    await operator.post(`${path}/archive`);
    expect(await user(person.id)).toMatchObject({ state: 'inactive', services: [] });
    expect((await operator.post(`${path}/unlock`)).problems['']).toContain('archived');
    expect((await operator.get(`/console/operator/people/${newId(harness.clock.now())}`)).status).toBe(404);
  });
});

describe('POST /user/{id}/platform-admin', () => {
  it('200; 400 for users who are not active and for the only administrator; 404 for an unknown one', async () => {
    const person = await aPerson(harness);
    const set = (id: string, platform_admin: unknown) =>
      admin('POST', `/user/${id}/platform-admin`, { platform_admin });
    expect(await set(person.id, true)).toMatchObject({ status: 200, body: { data: { platform_admin: true } } });
    expect(await set(person.id, false)).toMatchObject({ status: 200, body: { data: { platform_admin: false } } });
    const pending = await aPerson(harness, { state: 'pending' });
    expect(await set(pending.id, true)).toMatchObject({
      status: 400,
      body: { message: 'Only an active user can become a platform administrator' },
    });
    expect((await set(operatorId, false)).body.message).toMatch(/only platform administrator/);
    expect(await user(operatorId)).toMatchObject({ platform_admin: true });
    expect((await set(newId(harness.clock.now()), true)).status).toBe(404);
    expect((await set(person.id, 'yes')).body.message).toEqual({ platform_admin: ['Not a valid boolean.'] });
  });
});
