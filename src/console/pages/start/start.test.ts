import { afterEach, describe, expect, it } from 'vitest';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';
import { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';
import { ensureDemo } from '../../../operations/demo.ts';
import { createOperatorLink } from '../../../users/sign-in/operator-links.ts';
import { setUpCode } from './set-up.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { demo: { enabled: true } } });

afterEach(async () => {
  const admins = harness.app.db.selectFrom('users').select('id').where('platform_admin', '=', true);
  for (const { id } of await admins.execute()) await harness.admin('POST', `/user/${id}/archive`);
  harness.clock.advance({ minutes: 2 });
});

let count = 0;
const form = () => {
  count += 1;
  return {
    code: setUpCode(harness.app),
    name: 'Ada Lovelace',
    email_address: `ada-${count}@example.org`,
    password: 'three long words',
  };
};
const send = (change: object = {}, visitor = new ConsoleVisitor(harness)) =>
  visitor.post('/console/start', { ...form(), ...change });

describe('the first account', () => {
  it('is a platform administrator who signs in by email, is signed in and in the team of the demo', async () => {
    const demo = await ensureDemo(harness.app);
    const visitor = new ConsoleVisitor(harness);
    expect((await visitor.get('/console/sign-in')).text).toContain('href="/console/start"');
    expect((await visitor.get('/console/start')).h1).toBe('Set up this Pennypost');
    const done = await send({}, visitor);
    expect([done.status, done.location]).toEqual([303, `/console/services/${demo.service_id}/quick-start`]);
    const home = await visitor.follow(done);
    expect(home.text).toContain('Your account is ready');
    const { body } = await harness.admin('POST', '/user/email', { email: `ada-${count}@example.org` });
    const logged_in_at = '2026-11-15T12:00:00.000000Z';
    expect(body.data).toMatchObject({ platform_admin: true, auth_type: 'email_auth', state: 'active', logged_in_at });
    expect(body.data.permissions[demo.service_id]).toContain('manage_api_keys');
  });

  it('404 for the second visitor, with the right code too', async () => {
    await send();
    const visitor = new ConsoleVisitor(harness);
    for (const page of [await visitor.get('/console/start'), await send()]) {
      expect([page.status, page.h1]).toEqual([404, 'This Pennypost is set up']);
      expect(page.text).toContain('href="/console/sign-in"');
    }
    expect((await visitor.get('/console/sign-in')).text).not.toContain('/console/start');
  });

  it('404 for one of two at once', async () => {
    const pages = await Promise.all([send(), send()]);
    expect(pages.map(({ status }) => status).sort()).toEqual([303, 404]);
  });

  it('400 for a wrong code, whatever its case and dashes', async () => {
    expect((await send({ code: 'AAAA-AAAA-AAAA' })).problems).toEqual({
      code: 'That set-up code is wrong. Check the link, or run pennypost console-link on the server.',
    });
    expect((await send({ code: '' })).problems).toEqual({ code: 'Enter the set-up code.' });
    expect((await send({ code: setUpCode(harness.app).toLowerCase().replaceAll('-', ' ') })).status).toBe(303);
  });

  it('429 after ten tries in a minute', async () => {
    for (let tries = 0; tries < 10; tries += 1) expect((await send({ code: 'AAAA' })).status).toBe(400);
    const page = await send();
    expect([page.status, page.h1]).toEqual([429, 'Too many attempts']);
    harness.clock.advance({ minutes: 1 });
    expect((await send()).status).toBe(303);
  });

  it('400 with the error of each field, and creates nothing', async () => {
    expect((await send({ name: '', password: 'short' })).problems).toEqual({
      name: 'Enter your name.',
      password: 'Enter a password of at least 8 characters.',
    });
    const page = await send({ name: '', email_address: 'ada', password: '' });
    expect(page.problems).toEqual({
      name: 'Enter your name.',
      email_address: 'Enter an email address in the correct format, such as name@example.org.',
      password: 'Enter a password.',
    });
    expect((await send({ password: 'password1' })).problems.password).toContain('Many people');
    const taken = await aPerson(harness);
    expect((await send({ email_address: taken.email_address.toUpperCase() })).problems).toEqual({
      email_address: 'Enter another email address. This one already has an account.',
    });
    expect((await new ConsoleVisitor(harness).get('/console/start')).status).toBe(200);
  });

  it('has a code that is the same in every process and does not look like the key', async () => {
    const { app } = await harness.anotherProcess();
    expect(setUpCode(app)).toBe(setUpCode(harness.app));
    expect(setUpCode(app)).toMatch(/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/);
  });
});

describe('pennypost console-link --for', () => {
  it('signs a person in once, without password and code', async () => {
    const user = await aPerson(harness);
    const path = `/console/link/${await createOperatorLink(harness.app, user.email_address)}`;
    const visitor = new ConsoleVisitor(harness);
    expect((await visitor.get(path)).text).toContain(user.email_address);
    expect((await visitor.get('/console/account')).status).toBe(303);
    const results = await Promise.all([visitor.post(path), new ConsoleVisitor(harness).post(path)]);
    expect(results.map(({ status }) => status).sort()).toEqual([303, 400]);
  });

  it('400 after 30 minutes; no link without an active account', async () => {
    const user = await aPerson(harness);
    const path = `/console/link/${await createOperatorLink(harness.app, user.email_address)}`;
    harness.clock.advance({ minutes: 30 });
    expect((await new ConsoleVisitor(harness).post(path)).status).toBe(400);
    await expect(createOperatorLink(harness.app, 'nobody@example.org')).rejects.toThrow('no active account');
    const archived = await aPerson(harness, { state: 'inactive' });
    await expect(createOperatorLink(harness.app, archived.email_address)).rejects.toThrow('no active account');
  });

  it('keeps sessions that exist', async () => {
    const user = await aPerson(harness);
    const visitor = await signedIn(harness, user.id);
    await createOperatorLink(harness.app, user.email_address);
    expect((await visitor.get('/console/account')).status).toBe(200);
  });
});
