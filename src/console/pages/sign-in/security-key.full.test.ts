import { describe, expect, it } from 'vitest';
import { useHarness } from '../../../../test/kit/harness.ts';
import { SecurityKey } from '../../../../test/kit/vendors/security-key.ts';
import { sentBy } from '../../../../test/kit/world/account-messages.ts';
import { aPerson, password, signedIn } from '../../../../test/kit/world/console-people.ts';
import { ConsoleVisitor, type Page } from '../../../../test/kit/world/console-visitor.ts';
import { accountTemplates } from '../../../users/account-messages/account-messages.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const here = { origin: 'http://localhost:6011' };
const keys = '/console/account/security-keys';
const keyStep = '/console/sign-in/security-key';

const optionsOf = ({ text }: Page) => JSON.parse(text) as { challenge: string };
const listed = async (userId: string) => (await harness.admin('GET', `/user/${userId}/webauthn`)).body.data;
const countOf = async (userId: string) => (await harness.admin('GET', `/user/${userId}`)).body.data.failed_login_count;

async function register(browser: ConsoleVisitor, key: SecurityKey, name = 'Blue key', at = here): Promise<Page> {
  await browser.post(`${keys}/new`, { name, current_password: password });
  const options = optionsOf(await browser.post(`${keys}/new/touch/options`));
  return browser.post(`${keys}/new/touch`, { response: key.create(options, at) });
}

/** A person with a key, and a browser that is signed in. */
async function withKey(fields: Parameters<typeof aPerson>[1] = {}) {
  const user = await aPerson(harness, fields);
  const browser = await signedIn(harness, user.id);
  const key = new SecurityKey();
  await register(browser, key);
  return { user, browser, key };
}

/** A browser that has given the password. */
async function afterPassword(user: { email_address: string }, process: Pick<typeof harness, 'request'> = harness) {
  const visitor = new ConsoleVisitor(process);
  const page = await visitor.post('/console/sign-in', { email_address: user.email_address, password });
  return { visitor, page };
}

const challengeFor = async (visitor: ConsoleVisitor) => optionsOf(await visitor.post(`${keyStep}/options`));
const isSignedIn = async (visitor: ConsoleVisitor) => (await visitor.get('/console/account')).status === 200;

describe('a security key', () => {
  it('is registered, and signs in after the password', async () => {
    const user = await aPerson(harness);
    const browser = await signedIn(harness, user.id);
    const key = new SecurityKey();
    const registered = await register(browser, key);
    expect(registered.location).toBe(keys);
    expect((await browser.follow(registered)).text).toContain(
      'Security key added. You can now sign in with “Blue key”.',
    );
    expect(await listed(user.id)).toMatchObject([{ name: 'Blue key', logged_in_at: null }]);

    const { visitor, page } = await afterPassword(user);
    expect(page.location).toBe(keyStep);
    expect((await visitor.follow(page)).h1).toBe('Use your security key');
    const response = key.get(await challengeFor(visitor), here);
    expect((await visitor.post(keyStep, { response })).location).toBe('/console');
    expect(await isSignedIn(visitor)).toBe(true);
    expect(await listed(user.id)).toMatchObject([{ logged_in_at: '2026-11-15T12:00:00.000000Z' }]);
  });

  it('signs in at another process than the one that asked', async () => {
    const { user, key } = await withKey();
    const other = await harness.anotherProcess();
    const { visitor } = await afterPassword(user);
    const response = key.get(await challengeFor(visitor), here);
    const moved = new ConsoleVisitor(other);
    for (const [name, value] of visitor.cookies) moved.cookies.set(name, value);
    expect((await moved.post(keyStep, { response })).location).toBe('/console');
  });

  it('leaves the credential data to other front ends as they write it', async () => {
    const { user, key } = await withKey();
    const [{ credential_data }] = await listed(user.id);
    const data = Buffer.from(credential_data, 'base64').subarray(3);
    expect(data.subarray(18, 18 + 32).equals(key.id)).toBe(true);
  });
});

describe('an answer of a security key is refused', () => {
  let owner: ReturnType<typeof withKey> | undefined;

  it('when it is sent a second time', async () => {
    const { user, key } = await withKey();
    const { visitor } = await afterPassword(user);
    const response = key.get(await challengeFor(visitor), here);
    const cookies = new Map(visitor.cookies);
    expect((await visitor.post(keyStep, { response })).status).toBe(303);
    const thief = new ConsoleVisitor(harness);
    for (const [name, value] of cookies) thief.cookies.set(name, value);
    const replayed = await thief.post(keyStep, { response });
    expect(replayed.status).toBe(400);
    expect(replayed.problems.response).toContain('Try again.');
    // Also against a new challenge.
    await challengeFor(thief);
    expect((await thief.post(keyStep, { response })).status).toBe(400);
    expect(await isSignedIn(thief)).toBe(false);
  });

  it.each([
    [
      'for another origin',
      (key: SecurityKey, options: object) => key.get(options as never, { origin: 'https://evil.example' }),
    ],
    [
      'for another host',
      (key: SecurityKey, options: object) => key.get({ ...options, rpId: 'evil.example' } as never, here),
    ],
    [
      'for another challenge',
      (key: SecurityKey, options: object) => key.get({ ...options, challenge: 'AAAA' } as never, here),
    ],
    ['by a key of nobody', (_key: SecurityKey, options: object) => new SecurityKey().get(options as never, here)],
    [
      'with the signature of another key',
      (key: SecurityKey, options: object) => {
        const [mine, other] = [key, new SecurityKey()].map((one) => JSON.parse(one.get(options as never, here)));
        return JSON.stringify({ ...mine, response: other.response });
      },
    ],
    ['that is no answer', () => '{"id":[]}'],
    ['that is no JSON', () => 'nonsense'],
  ])('%s, and counted', async (_name, answer) => {
    owner ??= withKey();
    const { user, key } = await owner;
    const { visitor } = await afterPassword(user);
    const response = answer(key, await challengeFor(visitor));
    const refused = await visitor.post(keyStep, { response });
    expect(refused.status).toBe(400);
    expect(refused.problems.response).toBe('The security key was not accepted. Try again, or use another key.');
    expect(await isSignedIn(visitor)).toBe(false);
    expect(await countOf(user.id)).toBe(1);
  });

  it('when the count of signatures does not grow, as with a copied key', async () => {
    const { user, key } = await withKey();
    key.signCount = 7;
    const first = await afterPassword(user);
    await first.visitor.post(keyStep, { response: key.get(await challengeFor(first.visitor), here) });
    key.signCount = 6;
    const { visitor } = await afterPassword(user);
    const copied = await visitor.post(keyStep, { response: key.get(await challengeFor(visitor), here) });
    expect(copied.status).toBe(400);
  });

  it('after five minutes', async () => {
    const { user, key } = await withKey();
    const { visitor } = await afterPassword(user);
    const response = key.get(await challengeFor(visitor), here);
    harness.clock.advance({ minutes: 5 });
    expect((await visitor.post(keyStep, { response })).status).toBe(400);
  });

  it('but not after wrong passwords of a stranger', async () => {
    const { user, key } = await withKey();
    const { visitor } = await afterPassword(user);
    const guess = { email_address: user.email_address, password: 'a guess' };
    for (let tries = 0; tries < 5; tries += 1) await new ConsoleVisitor(harness).post('/console/sign-in', guess);
    const response = key.get(await challengeFor(visitor), here);
    expect((await visitor.post(keyStep, { response })).status).toBe(303);
  });

  it('without the password, and a key is not registered for another origin or twice', async () => {
    const stranger = new ConsoleVisitor(harness);
    expect((await stranger.post(`${keyStep}/options`)).location).toBe('/console/sign-in');
    expect((await stranger.post(keyStep, { response: '{}' })).location).toBe('/console/sign-in');
    const { user, browser, key } = await withKey();
    expect((await register(browser, new SecurityKey(), 'Red key', { origin: 'https://evil.example' })).status).toBe(
      400,
    );
    const again = await register(browser, key, 'Red key');
    expect(again.problems).toEqual({ '': 'This security key is registered already.' });
    expect(await listed(user.id)).toHaveLength(1);
    const wrong = await browser.post(`${keys}/new`, { name: 'Red key', current_password: 'wrong' });
    expect(wrong.problems).toEqual({ current_password: 'That is not your current password. Try again.' });
  });
});

describe('other ways to sign in', () => {
  it('stay, unless the person wants keys only', async () => {
    const { user, browser } = await withKey();
    const { visitor } = await afterPassword(user);
    expect((await visitor.get(keyStep)).text).toContain('Send a text code');
    // A code does not replace the key before the person has asked for one.
    expect((await visitor.post('/console/sign-in/code', { code: '12345' })).location).toBe('/console/sign-in');
    expect((await visitor.post('/console/sign-in/other-way')).location).toBe('/console/sign-in/code');

    expect((await browser.post(`${keys}/only`, { current_password: password })).location).toBe(keys);
    const strict = await afterPassword(user);
    expect((await strict.visitor.get(keyStep)).text).not.toContain('Send a text code');
    expect((await strict.visitor.post('/console/sign-in/other-way')).location).toBe(keyStep);
    expect((await strict.visitor.post('/console/sign-in/again')).location).toBe('/console/sign-in');
    expect((await browser.post(`${keys}/only`, { current_password: password })).location).toBe(keys);
    expect((await harness.admin('GET', `/user/${user.id}`)).body.data.auth_type).toBe('sms_auth');
  });

  it('are named where the keys belong to another front end', async () => {
    const user = await aPerson(harness, { auth_type: 'webauthn_auth' });
    const key = { name: 'Other', credential_data: 'ABC123', registration_response: 'DEF456' };
    await harness.admin('POST', `/user/${user.id}/webauthn`, key);
    const { visitor, page } = await afterPassword(user);
    const shown = await visitor.follow(page);
    expect(shown.h1).toBe('Your security key does not work here');
    expect((await visitor.post(`${keyStep}/options`)).status).toBe(404);
  });
});

describe('the keys of a person', () => {
  it('are renamed and deleted, but not the last one of those who need it', async () => {
    const { user, browser } = await withKey();
    const [{ id }] = await listed(user.id);
    await browser.post(`${keys}/${id}/name`, { name: 'Green key' });
    expect((await browser.get(keys)).text).toContain('Green key');
    await browser.post(`${keys}/only`, { current_password: password });
    const remove = (current_password = password) => browser.post(`${keys}/${id}/delete`, { current_password });
    const refused = await remove();
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('this is the last one');
    await register(browser, new SecurityKey(), 'Red key');
    expect((await browser.get(`${keys}/${id}/delete`)).text).toContain('name="current_password"');
    expect((await remove('')).problems).toEqual({ current_password: 'Enter your current password.' });
    expect((await remove('wrong')).problems).toEqual({
      current_password: 'That is not your current password. Try again.',
    });
    expect(await listed(user.id)).toHaveLength(2);
    const { answer, sent } = await sentBy(harness, () => remove());
    expect(answer.location).toBe(keys);
    expect((await listed(user.id)).map(({ name }: { name: string }) => name)).toEqual(['Red key']);
    expect(sent).toMatchObject([
      {
        recipient: user.email_address,
        template_id: accountTemplates.securityKeyDeleted,
        personalisation: { key_name: 'Green key' },
      },
    ]);
  });

  it('404 for the key of another person', async () => {
    const [{ user }, { browser }] = [await withKey(), await withKey()];
    const [{ id }] = await listed(user.id);
    expect((await browser.get(`${keys}/${id}/name`)).status).toBe(404);
    expect((await browser.post(`${keys}/${id}/name`, { name: 'Mine' })).status).toBe(404);
    expect((await browser.post(`${keys}/${id}/delete`, { current_password: password })).status).toBe(404);
    expect(await listed(user.id)).toMatchObject([{ name: 'Blue key' }]);
  });
});
