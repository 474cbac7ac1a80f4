import { beforeAll, describe, expect, it } from 'vitest';
import { anOrganisation, aService } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { accountMessages } from '../../../../test/kit/world/account-messages.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';
import { creatorPermissions } from '../../../users/members/permissions.ts';
import { getUserRecord } from '../../../users/user-record.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });

async function joins(userId: string, serviceId: string, permissions: readonly string[] = creatorPermissions) {
  const body = { permissions: permissions.map((permission) => ({ permission })) };
  await harness.admin('POST', `/service/${serviceId}/users/${userId}`, body);
}

async function somebody(fields: Parameters<typeof aPerson>[1] = {}) {
  const user = await aPerson(harness, fields);
  return { user, browser: await signedIn(harness, user.id) };
}

describe('GET /console', () => {
  it('303 to the only service, to the last one used, or to the list', async () => {
    const { user, browser } = await somebody();
    expect((await browser.get('/console')).location).toBe('/console/services');
    const [first, second] = [await aService(harness), await aService(harness)];
    await joins(user.id, first);
    expect((await browser.get('/console')).location).toBe(`/console/services/${first}`);
    await joins(user.id, second);
    expect((await browser.get('/console')).location).toBe('/console/services');
    await browser.get(`/console/services/${second}`);
    expect((await browser.get('/console')).location).toBe(`/console/services/${second}`);
    await harness.admin('DELETE', `/service/${second}/users/${user.id}`);
    expect((await browser.get('/console')).location).toBe(`/console/services/${first}`);
  });
});

describe('/console/services/add', () => {
  it('403 for those whom the operator does not let add services', async () => {
    const form = { name: `Bin days ${Math.random()}`, organisation_type: 'local' };
    await anOrganisation(harness, { domains: ['adds.example'] });
    const known = await aPerson(harness, { email_address: 'ada@adds.example' });
    const [other, admin] = [await aPerson(harness), await aPerson(harness, { platform_admin: true })];
    for (const [serviceCreators, allowed] of [
      ['known-domains', [known, admin]],
      ['platform-admins', [admin]],
    ] as const) {
      const process = await harness.anotherProcess({ console: { serviceCreators } });
      for (const person of [known, other, admin]) {
        const browser = await signedIn(harness, person.id, process);
        const may = allowed.some(({ id }) => id === person.id);
        expect((await browser.get('/console/services')).text.includes('/console/services/add')).toBe(may);
        expect((await browser.get('/console/services/add')).status).toBe(may ? 200 : 403);
        if (!may) expect((await browser.post('/console/services/add', form)).h1).toBe('You cannot add a service');
      }
    }
  });

  it('303 to a new service in trial mode, whose creator may do everything', async () => {
    const { user, browser } = await somebody({ auth_type: 'email_auth' });
    const page = await browser.post('/console/services/add', { name: 'Bin days', organisation_type: 'local' });
    expect(page.status).toBe(303);
    const id = page.location?.split('/').at(-1) ?? '';
    const { data } = (await harness.admin('GET', `/service/${id}`)).body;
    expect(data).toMatchObject({
      name: 'Bin days',
      restricted: true,
      organisation_type: 'local',
      sms_message_limit: 50,
      prefix_sms: true,
    });
    expect(data.permissions).toContain('email_auth');
    expect((await getUserRecord(harness.app.db, user.id)).permissions[id]).toEqual([...creatorPermissions]);
    expect((await browser.follow(page)).text).toContain('Bin days is ready. You have all permissions.');
    const allowance = await harness.admin(
      'GET',
      `/service/${id}/billing/free-sms-fragment-limit?financial_year_start=2026`,
    );
    expect(allowance.status).toBe(200);
  });

  it('303; the organisation of the email domain decides the type', async () => {
    const organisation = await anOrganisation(harness, { organisation_type: 'nhs_gp', domains: ['surgery.example'] });
    const { browser } = await somebody({ email_address: 'doctor@surgery.example' });
    expect((await browser.get('/console/services/add')).text).not.toContain('Who runs it?');
    const page = await browser.post('/console/services/add', { name: 'Flu jabs', organisation_type: 'central' });
    const id = page.location?.split('/').at(-1) ?? '';
    const { data } = (await harness.admin('GET', `/service/${id}`)).body;
    expect(data).toMatchObject({ organisation, organisation_type: 'nhs_gp' });
  });

  it('303 to a service that keeps the id of another Notify, for an operator only', async () => {
    const [operator, other] = [await somebody({ platform_admin: true }), await somebody()];
    const id = '7b2cb4a9-2f7c-4b8e-9a51-3f0c1d2e4f5a';
    const form = { organisation_type: 'local', id };
    expect((await other.browser.get('/console/services/add')).text).not.toContain('another Notify');
    const ignored = await other.browser.post('/console/services/add', { ...form, name: 'Not moved' });
    expect([ignored.status, ignored.location?.includes(id)]).toEqual([303, false]);
    expect((await operator.browser.get('/console/services/add')).text).toContain('another Notify');
    const add = (fields: object) => operator.browser.post('/console/services/add', { ...form, ...fields });
    expect((await add({ name: 'Wrong', id: 'x' })).problems.id).toContain('Enter the whole id');
    expect((await add({ name: 'Moved', id: ` ${id} ` })).location).toBe(`/console/services/${id}`);
    expect((await add({ name: 'Moved again' })).problems.id).toContain('This one is already in use here.');
  });

  it('400 for all wrong fields at once, and adds nothing', async () => {
    const { user, browser } = await somebody();
    await aService(harness, { name: 'Taken' });
    const cases: [Record<string, string>, Record<string, string>][] = [
      [{}, { name: 'Enter a name.', organisation_type: 'Choose who runs the service.' }],
      [{ name: 'Something' }, { organisation_type: 'Choose who runs the service.' }],
      [{ name: '...', organisation_type: 'local' }, { name: 'Enter a name with a letter or a digit.' }],
      [{ name: 'x'.repeat(256), organisation_type: 'local' }, { name: 'Enter at most 255 characters.' }],
      [
        { name: 'taken', organisation_type: 'local' },
        { name: 'Enter another name. A service is already called “taken”.' },
      ],
      [{ name: 'Fine', organisation_type: 'pigeons' }, { organisation_type: 'Choose one from the list.' }],
    ];
    for (const [form, problems] of cases) {
      const page = await browser.post('/console/services/add', form);
      expect([form, page.status, Object.keys(page.problems)]).toEqual([form, 400, Object.keys(problems)]);
      for (const [field, text] of Object.entries(problems)) expect(page.problems[field]).toContain(text);
    }
    expect((await getUserRecord(harness.app.db, user.id)).services).toEqual([]);
  });
});

describe('asking to join', () => {
  let service: string;
  let manager: Awaited<ReturnType<typeof somebody>>;
  let asker: Awaited<ReturnType<typeof somebody>>;
  let url: string;

  beforeAll(async () => {
    const organisation = await anOrganisation(harness, { domains: ['townhall.example'] });
    await harness.admin('POST', `/organisations/${organisation}`, { permissions: ['can_ask_to_join_a_service'] });
    service = await aService(harness, { name: 'Parking', organisation_id: organisation });
    url = `/console/services/${service}/join/ask`;
    manager = await somebody({ name: 'Grace Hopper' });
    await joins(manager.user.id, service);
  });

  async function ask(): Promise<string> {
    asker = await somebody({ name: 'Ada Lovelace', email_address: `ada-${Math.random()}@townhall.example` });
    const page = await asker.browser.post(url, { 'contacted_user_ids[]': [manager.user.id], reason: 'I park' });
    expect(page.status).toBe(303);
    const { id } = await harness.app.db
      .selectFrom('service_join_requests')
      .select('id')
      .where('requester_id', '=', asker.user.id)
      .executeTakeFirstOrThrow();
    return `/console/services/${service}/join-request/${id}/approve`;
  }

  it('lists services of the own organisation only', async () => {
    const { browser } = await somebody({ email_address: 'new@townhall.example' });
    expect((await browser.get('/console/services/join')).text).toContain('Parking');
    const page = await browser.get(url);
    expect(page.text).toContain('Grace Hopper');
    const stranger = await somebody();
    expect((await stranger.browser.get('/console/services/join')).text).not.toContain('Parking');
    for (const refused of [await stranger.browser.get(url), await stranger.browser.post(url, { reason: 'x' })]) {
      expect([refused.location, refused.text.includes('Parking')]).toEqual(['/console/services/join', false]);
    }
  });

  it('400 without a person to ask, or with one who does not manage the service', async () => {
    const { browser, user } = await somebody({ email_address: 'other@townhall.example' });
    expect((await browser.post(url, {})).problems).toEqual({ contacted_user_ids: 'Choose at least one person.' });
    const page = await browser.post(url, { 'contacted_user_ids[]': [user.id] });
    expect(page.problems).toEqual({ contacted_user_ids: 'Choose people who manage the service.' });
  });

  it('303; the person who was asked gets a link and lets the asker in', async () => {
    const approve = await ask();
    const links = (await accountMessages(harness)).map(({ personalisation }) => String(personalisation.url ?? ''));
    expect(links.some((link) => link.endsWith(approve.replace('/console', '')))).toBe(true);
    const page = await manager.browser.get(approve);
    expect([page.h1, page.text.includes('I park')]).toEqual(['Ada Lovelace asked to join', true]);
    expect((await manager.browser.post(approve, {})).problems).toEqual({
      status: 'Choose whether to let this person in.',
    });
    const done = await manager.browser.post(approve, { status: 'approved', 'rights[]': ['send', 'api'] });
    expect(done.status).toBe(303);
    const { permissions } = await getUserRecord(harness.app.db, asker.user.id);
    expect(permissions[service]).toEqual(['send_texts', 'send_emails', 'send_letters', 'manage_api_keys']);
    expect((await manager.browser.get(approve)).text).toContain('Grace Hopper has already let Ada Lovelace in.');
    expect((await asker.browser.get(url)).location).toBe(`/console/services/${service}`);
  });

  it('303 when refused; the asker does not get in', async () => {
    const approve = await ask();
    await manager.browser.post(approve, { status: 'rejected', 'rights[]': ['manage'] });
    expect((await getUserRecord(harness.app.db, asker.user.id)).services).toEqual([]);
    const again = await manager.browser.post(approve, { status: 'approved' });
    expect([again.status, again.problems]).toEqual([400, { '': 'Grace Hopper has already refused.' }]);
    expect((await getUserRecord(harness.app.db, asker.user.id)).services).toEqual([]);
  });

  it('400 for a manager who was not asked, 404 under another service', async () => {
    const approve = await ask();
    const other = await somebody();
    await joins(other.user.id, service);
    const page = await other.browser.post(approve, { status: 'approved' });
    expect([page.status, page.problems]).toEqual([400, { '': 'Only the people who were asked can decide.' }]);
    const elsewhere = await aService(harness);
    await joins(manager.user.id, elsewhere);
    expect((await manager.browser.get(approve.replace(service, elsewhere))).status).toBe(404);
  });
});
