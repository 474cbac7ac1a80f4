import { describe, expect, it } from 'vitest';
import { useHarness } from '../../../../test/kit/harness.ts';
import { accountMessages, sentBy } from '../../../../test/kit/world/account-messages.ts';
import { aPerson, password, signedIn } from '../../../../test/kit/world/console-people.ts';
import { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { urls: { admin: 'https://elsewhere.example' } } });

const lastValue = async (name: string) => (await accountMessages(harness)).at(-1)?.personalisation[name] ?? '';
const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, '');
const newPassword = 'another long password';

async function aLinkFor(email_address: string): Promise<string> {
  await new ConsoleVisitor(harness).post('/console/forgot-password', { email_address });
  return pathOf(await lastValue('url'));
}

async function signInStatus(email_address: string, typed: string): Promise<number> {
  return (await new ConsoleVisitor(harness).post('/console/sign-in', { email_address, password: typed })).status;
}

describe('a forgotten password', () => {
  it('gets the same page for addresses with and without an account', async () => {
    const user = await aPerson(harness);
    const ask = (email_address: string) =>
      sentBy(harness, () => new ConsoleVisitor(harness).post('/console/forgot-password', { email_address }));
    const [known, unknown] = [await ask(user.email_address), await ask('nobody@example.org')];
    expect(known.sent).toHaveLength(1);
    expect(known.sent[0]?.personalisation.url).toMatch(/^http:\/\/localhost:6011\/console\/new-password\//);
    expect(unknown.sent).toEqual([]);
    expect(known.answer.text.replaceAll(user.email_address, '')).toBe(
      unknown.answer.text.replaceAll('nobody@example.org', ''),
    );
  });

  it('sends three links an hour, however often and at once it is asked; the page stays the same', async () => {
    const { email_address } = await aPerson(harness);
    const ask = () => new ConsoleVisitor(harness).post('/console/forgot-password', { email_address });
    const askOften = () => sentBy(harness, () => Promise.all(Array.from({ length: 8 }, ask)));
    const first = await askOften();
    expect(first.sent).toHaveLength(3);
    expect(new Set(first.answer.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    harness.clock.advance({ minutes: 59 });
    expect((await askOften()).sent).toEqual([]);
    harness.clock.advance({ minutes: 1 });
    expect((await askOften()).sent).toHaveLength(3);
    const ofApi = () => harness.admin('POST', '/user/reset-password', { email: email_address });
    expect((await sentBy(harness, ofApi)).sent).toHaveLength(1);
  });

  it('is replaced after the text code, and ends every session', async () => {
    const user = await aPerson(harness, { email_access_validated_at: '2025-01-01T00:00:00.000000Z' });
    const old = await signedIn(harness, user.id);
    const path = await aLinkFor(user.email_address);
    harness.clock.advance({ seconds: 1 });
    const visitor = new ConsoleVisitor(harness);
    expect((await visitor.get(path)).h1).toBe('Choose a new password');
    expect((await visitor.post(path, { password: newPassword })).location).toBe('/console/sign-in/code');
    expect(await signInStatus(user.email_address, password)).toBe(303);
    const done = await visitor.post('/console/sign-in/code', { code: await lastValue('verify_code') });
    expect(done.location).toBe('/console');
    expect((await visitor.get('/console/services')).status).toBe(200);
    expect((await old.get('/console/services')).status).toBe(303);
    expect(await signInStatus(user.email_address, password)).toBe(400);
    expect(await signInStatus(user.email_address, newPassword)).toBe(303);
    const used = await visitor.get(path);
    expect([used.status, used.h1]).toEqual([400, 'This link does not work']);
    expect(used.text).toContain('href="/console/forgot-password"');
  });

  it('is replaced at once for those who sign in with a link; wrong passwords are forgiven', async () => {
    const user = await aPerson(harness, { auth_type: 'email_auth' });
    for (let count = 0; count < 11; count += 1) await signInStatus(user.email_address, 'wrong');
    const path = await aLinkFor(user.email_address);
    harness.clock.advance({ seconds: 1 });
    const visitor = new ConsoleVisitor(harness);
    expect((await visitor.post(path, { password: newPassword })).location).toBe('/console');
    expect((await visitor.get('/console/services')).status).toBe(200);
    expect((await harness.admin('GET', `/user/${user.id}`)).body.data.failed_login_count).toBe(0);
  });

  it('400 for passwords that are short, long or common', async () => {
    const path = await aLinkFor((await aPerson(harness)).email_address);
    const visitor = new ConsoleVisitor(harness);
    for (const [typed, sentence] of [
      ['', 'Enter a new password.'],
      ['7 chars', 'Enter a password of at least 8 characters.'],
      ['x'.repeat(256), 'Enter a password of at most 255 characters.'],
      ['BlackHawk', 'Many people use this password. Choose another, such as three random words.'],
      ['Pennypost', 'Many people use this password. Choose another, such as three random words.'],
      [
        'Blackhawk2026!',
        'Many people use this password with another ending. Choose another, such as three random words.',
      ],
      ['abababababab', 'The password repeats a few characters. Choose another, such as three random words.'],
    ] as const) {
      expect((await visitor.post(path, { password: typed })).problems).toEqual({ password: sentence });
    }
  });
});

describe('a new account', () => {
  it('confirms its address by a link and its number by a code', async () => {
    const user = await aPerson(harness, { state: 'pending' });
    const visitor = new ConsoleVisitor(harness);
    const sent = await visitor.post('/console/sign-in', { email_address: user.email_address, password });
    expect(sent.location).toBe('/console/sign-in/confirm-address');
    const path = pathOf(await lastValue('url'));
    expect(path).toMatch(/^\/console\/verify-email\//);
    expect((await visitor.get(path)).status).toBe(200);
    expect((await visitor.post(path)).location).toBe('/console/sign-in/code');
    expect((await harness.admin('GET', `/user/${user.id}`)).body.data.state).toBe('pending');
    expect((await visitor.post('/console/sign-in/code', { code: await lastValue('verify_code') })).location).toBe(
      '/console',
    );
    expect((await harness.admin('GET', `/user/${user.id}`)).body.data.state).toBe('active');
    expect((await visitor.post(path)).location).toBe('/console/sign-in');
  });

  it('400 for a link that has expired', async () => {
    const user = await aPerson(harness, { state: 'pending' });
    const visitor = new ConsoleVisitor(harness);
    await visitor.post('/console/sign-in', { email_address: user.email_address, password });
    const path = pathOf(await lastValue('url'));
    harness.clock.advance({ hours: 1 });
    expect([(await visitor.get(path)).status, (await visitor.post(path)).status]).toEqual([400, 400]);
  });
});
