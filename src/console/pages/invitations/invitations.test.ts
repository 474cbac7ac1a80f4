import { describe, expect, it } from 'vitest';
import { anOrganisation, aService } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { accountMessages } from '../../../../test/kit/world/account-messages.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';
import { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

const lastValue = async (name: string) => (await accountMessages(harness)).at(-1)?.personalisation[name] ?? '';
const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, '');
const findUser = async (email: string) => (await harness.admin('POST', '/user/email', { email })).body.data;

async function anInvitation(email_address: string, change: object = {}) {
  const inviter = await aPerson(harness, { name: 'Grace Hopper' });
  const service = await aService(harness, { name: `Library ${email_address}`, created_by_id: inviter.id });
  const { body } = await harness.admin('POST', `/service/${service}/invite`, {
    email_address,
    from_user: inviter.id,
    permissions: 'view_activity,manage_templates',
    auth_type: 'sms_auth',
    ...change,
  });
  return { service, inviter, id: body.data.id as string, path: pathOf(await lastValue('url')) };
}

const account = { name: 'Ada Lovelace', mobile_number: '07700 900461', password: 'three long words' };

describe('an invitation to a service', () => {
  it('creates an account that proves its number, then joins', async () => {
    const email = 'new-1@example.org';
    const { service, id, path } = await anInvitation(email);
    const visitor = new ConsoleVisitor(harness);
    const page = await visitor.get(path);
    expect(page.h1).toBe(`Join Library ${email}`);
    expect(page.text).toContain('Grace Hopper invited you.');
    expect((await visitor.post(path)).problems).toEqual({
      name: 'Enter your name.',
      mobile_number: 'Enter your mobile number.',
      password: 'Enter a password.',
    });
    expect((await visitor.post(path, { ...account, mobile_number: '0770' })).problems).toEqual({
      mobile_number: 'Enter a mobile number with more digits. This one is too short.',
    });
    expect(Object.keys((await visitor.post(path, { mobile_number: '0770', password: 'short' })).problems)).toEqual([
      'name',
      'mobile_number',
      'password',
    ]);
    expect((await visitor.post(path, account)).location).toBe('/console/sign-in/code');
    expect(await findUser(email)).toMatchObject({ state: 'pending', services: [] });
    const done = await visitor.post('/console/sign-in/code', { code: await lastValue('verify_code') });
    expect(done.location).toBe(`/console/services/${service}`);
    expect((await visitor.follow(done)).status).toBe(200);
    expect(await findUser(email)).toMatchObject({
      state: 'active',
      permissions: { [service]: ['view_activity', 'manage_templates'] },
    });
    const { body } = await harness.admin('GET', `/service/${service}/invite/${id}`);
    expect(body.data.status).toBe('accepted');
    expect((await visitor.get(path)).location).toBe(`/console/services/${service}`);
  });

  it('creates an account without a number where it signs in by email', async () => {
    const email = 'new-2@example.org';
    const { service, path } = await anInvitation(email, { auth_type: 'email_auth' });
    const visitor = new ConsoleVisitor(harness);
    expect((await visitor.get(path)).text).not.toContain('mobile_number');
    const done = await visitor.post(path, { name: 'Ada', password: account.password });
    expect(done.location).toBe(`/console/services/${service}`);
    expect((await visitor.follow(done)).status).toBe(200);
    expect(await findUser(email)).toMatchObject({ auth_type: 'email_auth', state: 'active', mobile_number: null });
    expect((await findUser(email)).logged_in_at).not.toBeNull();
  });

  it('is joined with a button by those who have an account; it may change how they sign in', async () => {
    const user = await aPerson(harness);
    const { service, path } = await anInvitation(user.email_address.toUpperCase(), { auth_type: 'email_auth' });
    const out = await new ConsoleVisitor(harness).get(path);
    expect(out.text).toContain('Sign in as');
    const visitor = await signedIn(harness, user.id);
    expect((await visitor.get(path)).status).toBe(200);
    expect((await findUser(user.email_address)).services).toEqual([]);
    expect((await visitor.post(path)).location).toBe(`/console/services/${service}`);
    expect(await findUser(user.email_address)).toMatchObject({ services: [service], auth_type: 'email_auth' });
  });

  it('does not change how platform administrators sign in', async () => {
    const user = await aPerson(harness, { platform_admin: true });
    const { path } = await anInvitation(user.email_address, { auth_type: 'email_auth' });
    await (await signedIn(harness, user.id)).post(path);
    expect((await findUser(user.email_address)).auth_type).toBe('sms_auth');
  });

  it('403 for another person, with a way out', async () => {
    const { path } = await anInvitation('new-3@example.org');
    const other = await signedIn(harness, (await aPerson(harness)).id);
    for (const page of [await other.get(path), await other.post(path)]) {
      expect([page.status, page.h1]).toEqual([403, 'The invitation is for another person']);
      expect(page.text).toContain('action="/console/sign-out"');
    }
  });

  it('400 when it was cancelled, has expired or is altered', async () => {
    const { service, id, path } = await anInvitation('new-4@example.org');
    const visitor = new ConsoleVisitor(harness);
    expect((await visitor.get(path.slice(0, -3))).status).toBe(400);
    await harness.admin('POST', `/service/${service}/invite/${id}`, { status: 'cancelled' });
    const page = await visitor.post(path, account);
    expect([page.status, page.h1]).toEqual([400, 'The invitation was cancelled']);
    expect(page.text).toContain('Grace Hopper');
    const late = await anInvitation('new-5@example.org');
    harness.clock.advance({ hours: 48 });
    expect((await visitor.post(late.path, account)).h1).toBe('This invitation does not work');
    expect(await findUser('new-5@example.org')).toBeUndefined();
  });

  it('is accepted once when sent twice', async () => {
    const user = await aPerson(harness);
    const { service, path } = await anInvitation(user.email_address);
    const visitor = await signedIn(harness, user.id);
    const pages = await Promise.all([visitor.post(path), visitor.post(path)]);
    expect(pages.filter(({ status }) => status === 303).length).toBeGreaterThan(0);
    expect((await findUser(user.email_address)).services).toEqual([service]);
  });
});

describe('an invitation to an organisation', () => {
  it('is joined by those who have an account, and creates others', async () => {
    const organisation = await anOrganisation(harness, { name: 'Town Hall' });
    const inviter = await aPerson(harness);
    const invite = async (email_address: string) => {
      await harness.admin('POST', `/organisation/${organisation}/invite`, {
        email_address,
        invited_by: inviter.id,
        permissions: ['can_make_services_live'],
      });
      return pathOf(await lastValue('url'));
    };
    const user = await aPerson(harness);
    const visitor = await signedIn(harness, user.id);
    const done = await visitor.post(await invite(user.email_address));
    expect((await visitor.follow(done)).text).toContain('You have joined Town Hall.');
    expect(await findUser(user.email_address)).toMatchObject({
      organisations: [organisation],
      organisation_permissions: { [organisation]: ['can_make_services_live'] },
    });
    const path = await invite('org-new@example.org');
    const fresh = new ConsoleVisitor(harness);
    await fresh.post(path, account);
    await fresh.post('/console/sign-in/code', { code: await lastValue('verify_code') });
    expect(await findUser('org-new@example.org')).toMatchObject({ state: 'active', organisations: [organisation] });
  });
});
