import { describe, expect, it } from 'vitest';
import { useHarness } from '../../../../test/kit/harness.ts';
import { accountMessages, sentBy } from '../../../../test/kit/world/account-messages.ts';
import { aPerson, password, signedIn } from '../../../../test/kit/world/console-people.ts';
import { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

const lastValue = async (name: string) => (await accountMessages(harness)).at(-1)?.personalisation[name] ?? '';
const credentials = (user: { email_address: string }) => ({ email_address: user.email_address, password });

async function typeCode(visitor: ConsoleVisitor, code?: string) {
  return visitor.post('/console/sign-in/code', { code: code ?? (await lastValue('verify_code')) });
}

const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, '');

describe('signing in with a text code', () => {
  it('303 to the code, then to the page that was asked for', async () => {
    const user = await aPerson(harness);
    const visitor = new ConsoleVisitor(harness);
    const refused = await visitor.get('/console/services');
    expect([refused.status, refused.location]).toEqual([303, '/console/sign-in?next=%2Fconsole%2Fservices']);
    const page = await visitor.follow(refused);
    expect([page.status, page.h1]).toEqual([200, 'Sign in']);
    const sent = await visitor.post(refused.location ?? '', credentials(user));
    expect([sent.status, sent.location]).toEqual([303, '/console/sign-in/code']);
    expect((await visitor.follow(sent)).text).toContain('••• 460');
    const done = await typeCode(visitor);
    expect([done.status, done.location]).toEqual([303, '/console/services']);
    const services = await visitor.follow(done);
    expect([services.status, services.h1]).toEqual([200, 'Your services']);
    expect((await harness.admin('GET', `/user/${user.id}`)).body.data.logged_in_at).toBe('2026-11-15T12:00:00.000000Z');
  });

  it('400 with one sentence for an unknown address, a wrong password and an archived account', async () => {
    const user = await aPerson(harness);
    const archived = await aPerson(harness, { state: 'inactive' });
    for (const form of [
      { email_address: 'nobody@example.org', password },
      { ...credentials(user), password: 'incorrect horse' },
      credentials(archived),
    ]) {
      const page = await new ConsoleVisitor(harness).post('/console/sign-in', form);
      expect(page.status).toBe(400);
      expect(page.problems).toEqual({ email_address: 'The email address or the password is wrong.' });
      expect(page.text).toContain(`value="${form.email_address}"`);
      expect(page.text).not.toContain(form.password);
      expect(page.text).toContain('<title>Error: Sign in – Pennypost</title>');
    }
  });

  it('400 with the error of each field', async () => {
    const visitor = new ConsoleVisitor(harness);
    expect((await visitor.post('/console/sign-in')).problems).toEqual({
      email_address: 'Enter your email address.',
      password: 'Enter your password.',
    });
    const page = await visitor.post('/console/sign-in', { email_address: 'ada', password: 'x' });
    expect(page.problems).toEqual({
      email_address: 'Enter an email address in the correct format, such as name@example.org.',
    });
    expect(page.text).toMatch(/aria-invalid="true" aria-describedby="email_address-error"/);
  });

  it('400 for a wrong code, which counts as a failure', async () => {
    const user = await aPerson(harness);
    const visitor = new ConsoleVisitor(harness);
    await visitor.post('/console/sign-in', credentials(user));
    expect((await typeCode(visitor, '1234')).problems).toEqual({ code: 'Enter the 5 digits of the code.' });
    const right = await lastValue('verify_code');
    const page = await typeCode(visitor, right === '13131' ? '24242' : '13131');
    expect(page.problems).toEqual({ code: 'The code is wrong. Check the latest message.' });
    expect((await harness.admin('GET', `/user/${user.id}`)).body.data.failed_login_count).toBe(1);
    expect((await visitor.get('/console/services')).status).toBe(303);
  });

  it('sends another code, and says when there are enough', async () => {
    const visitor = new ConsoleVisitor(harness);
    await visitor.post('/console/sign-in', credentials(await aPerson(harness)));
    const again = () => sentBy(harness, () => visitor.post('/console/sign-in/again'));
    const first = await again();
    expect(first.sent).toHaveLength(1);
    expect((await visitor.follow(first.answer)).text).toContain('Sent again.');
    for (let count = 2; count < 5; count += 1) await again();
    const last = await again();
    expect(last.sent).toEqual([]);
    expect((await visitor.follow(last.answer)).text).toContain('Use the latest one.');
  });

  it('303 back to the start when the second step comes too late or the password has changed', async () => {
    const user = await aPerson(harness);
    const late = new ConsoleVisitor(harness);
    await late.post('/console/sign-in', credentials(user));
    const stale = new ConsoleVisitor(harness);
    harness.clock.advance({ minutes: 30 });
    expect((await typeCode(late)).location).toBe('/console/sign-in');
    await stale.post('/console/sign-in', credentials(user));
    await harness.admin('POST', `/user/${user.id}/update-password`, { _password: 'another password' });
    expect((await typeCode(stale)).location).toBe('/console/sign-in');
  });

  it('refuses the right password too while too many wrong ones came in a row', async () => {
    const user = await aPerson(harness);
    const visitor = new ConsoleVisitor(harness);
    for (let count = 0; count < 12; count += 1) {
      await visitor.post('/console/sign-in', { ...credentials(user), password: 'wrong' });
    }
    expect((await visitor.post('/console/sign-in', credentials(user))).status).toBe(400);
    harness.clock.advance({ minutes: 1 });
    expect((await visitor.post('/console/sign-in', credentials(user))).status).toBe(303);
  });

  it('does not lead to other hosts', async () => {
    for (const next of ['https://evil.example', '//evil.example/console', '/console/../v2', '/\\evil.example', 'x']) {
      const visitor = await signedIn(harness, (await aPerson(harness)).id);
      const page = await visitor.get(`/console/sign-in?${new URLSearchParams({ next })}`);
      expect(page.location).toBe('/console');
    }
  });
});

describe('signing in with an email link', () => {
  it('needs the button behind the link, once, in any browser', async () => {
    const user = await aPerson(harness, { auth_type: 'email_auth' });
    const visitor = new ConsoleVisitor(harness);
    const inbox = await visitor.follow(await visitor.post('/console/sign-in', credentials(user)));
    expect(inbox.h1).toBe('Check your inbox');
    expect(inbox.text).toContain('p••@example.org');
    const url = await lastValue('url');
    expect(url).toMatch(/^http:\/\/localhost:6011\/console\/email-auth\//);
    const other = new ConsoleVisitor(harness);
    const opened = await other.get(pathOf(url));
    expect([opened.status, opened.text.includes('as p••@example.org')]).toEqual([200, true]);
    expect(opened.text).toContain('This sign-in was not started in this browser.');
    expect((await visitor.get(pathOf(url))).text).toContain('as p••@example.org');
    expect((await visitor.get(pathOf(url))).text).not.toContain('This sign-in was not started in this browser.');
    expect((await other.get('/console/services')).status).toBe(303);
    const done = await other.post(pathOf(url));
    expect([done.status, done.location]).toEqual([303, '/console']);
    expect((await other.get('/console/services')).status).toBe(200);
    const used = await new ConsoleVisitor(harness).post(pathOf(url));
    expect([used.status, used.h1]).toEqual([400, 'This link does not work']);
  });

  it('warns a person who has begun to sign in to another account', async () => {
    const [attacker, victim] = [
      await aPerson(harness, { auth_type: 'email_auth', email_address: 'mallory@example.org' }),
      await aPerson(harness, { auth_type: 'email_auth' }),
    ];
    await new ConsoleVisitor(harness).post('/console/sign-in', credentials(attacker));
    const path = pathOf(await lastValue('url'));
    const visitor = new ConsoleVisitor(harness);
    await visitor.post('/console/sign-in', credentials(victim));
    const page = await visitor.get(path);
    expect(page.text).toContain('as m••@example.org');
    expect(page.text).toContain('This sign-in was not started in this browser.');
  });

  it('tells the page that waits', async () => {
    const user = await aPerson(harness, { auth_type: 'email_auth' });
    const visitor = new ConsoleVisitor(harness);
    await visitor.post('/console/sign-in', credentials(user));
    const waiting = await visitor.get('/console/sign-in/inbox/state');
    expect(waiting.text).toContain('data-live');
    const unchanged = await visitor.get('/console/sign-in/inbox/state', {
      'if-none-match': String(waiting.headers.etag),
    });
    expect(unchanged.status).toBe(304);
    await visitor.post(pathOf(await lastValue('url')));
    const done = await visitor.get('/console/sign-in/inbox/state');
    expect(done.text).toContain('You are signed in.');
    expect(done.text).not.toContain('data-live');
  });

  it('400 for links that are old, altered or for people with another method', async () => {
    const user = await aPerson(harness, { auth_type: 'email_auth' });
    const visitor = new ConsoleVisitor(harness);
    await visitor.post('/console/sign-in', credentials(user));
    const path = pathOf(await lastValue('url'));
    expect((await visitor.post(path.slice(0, -4))).status).toBe(400);
    harness.clock.advance({ minutes: 30 });
    expect((await visitor.get(path)).status).toBe(400);
    const texted = await aPerson(harness);
    await harness.admin('POST', `/user/${texted.id}/email-code`, {});
    expect(
      (await visitor.post(pathOf((await lastValue('url')).replace(/.*(?=\/email-auth)/, '/console')))).status,
    ).toBe(400);
  });
});

describe('the proof of the address', () => {
  it('asks for an email link as a third step after 90 days', async () => {
    const user = await aPerson(harness, { email_access_validated_at: '2026-08-01T00:00:00.000000Z' });
    const visitor = new ConsoleVisitor(harness);
    await visitor.post('/console/sign-in', credentials(user));
    const proof = await typeCode(visitor);
    expect(proof.location).toBe('/console/sign-in/inbox');
    expect((await visitor.get('/console/services')).status).toBe(303);
    const path = pathOf(await lastValue('url'));
    expect((await new ConsoleVisitor(harness).post(path)).status).toBe(400);
    expect((await visitor.post(path)).location).toBe('/console');
    expect((await visitor.get('/console/services')).status).toBe(200);
    const proven = (await harness.admin('GET', `/user/${user.id}`)).body.data.email_access_validated_at;
    expect(proven > '2026-11-15').toBe(true);
  });
});

describe('signing out', () => {
  it('ends the session, not only the cookie', async () => {
    const visitor = await signedIn(harness, (await aPerson(harness)).id);
    const cookies = [...visitor.cookies];
    const page = await visitor.post('/console/sign-out');
    expect(page.location).toBe('/console/sign-in');
    expect((await visitor.follow(page)).text).toContain('You are signed out.');
    for (const [name, value] of cookies) visitor.cookies.set(name, value);
    expect((await visitor.get('/console/services')).status).toBe(303);
  });
});
