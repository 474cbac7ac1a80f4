import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Harness, useHarness } from '../../../../test/kit/harness.ts';
import { anOpenIdProvider, openIdClient, passOpenIdProvider } from '../../../../test/kit/vendors/openid-provider.ts';
import { accountMessages } from '../../../../test/kit/world/account-messages.ts';
import { aPerson, password } from '../../../../test/kit/world/console-people.ts';
import { ConsoleVisitor, type Page } from '../../../../test/kit/world/console-visitor.ts';
import { signInWithIdentity } from '../../../users/sign-in/single-sign-on/single-sign-on.ts';
import { findUserByEmail } from '../../../users/users.ts';

const start = '/console/sign-in/single-sign-on';
const provider = await anOpenIdProvider([`http://localhost:6011${start}/callback`]);
afterAll(() => provider.stop());
const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  config: {
    singleSignOn: {
      issuer: provider.issuer,
      clientId: openIdClient.id,
      clientSecret: openIdClient.secret,
      allowedDomains: ['example.org', 'Town.Example'],
      adminGroups: ['pennypost-admins'],
      operatorGroups: ['pennypost-readers'],
      buttonLabel: 'Sign in with Town Hall',
    },
  },
});

type Process = Pick<Harness, 'request'>;
let people = 0;

beforeEach(() => {
  people += 1;
  provider.error = undefined;
  provider.person = {
    sub: `subject-${people}`,
    name: 'Grace Hopper',
    email: `grace-${people}@example.org`,
    email_verified: true,
  };
});

/** As far as the issuer sends the browser back; `change` alters where it was sent. */
async function begin(visitor: ConsoleVisitor, change = (url: string) => url, next = ''): Promise<string> {
  const { location = '' } = await visitor.get(`${start}${next}`);
  const back = await passOpenIdProvider(change(location), provider.issuer);
  const { pathname, search } = new URL(back);
  return `${pathname}${search}`;
}

async function signIn(process: Process = harness): Promise<{ visitor: ConsoleVisitor; page: Page }> {
  const visitor = new ConsoleVisitor(process);
  return { visitor, page: await visitor.get(await begin(visitor)) };
}

const isSignedIn = async (visitor: ConsoleVisitor) => (await visitor.get('/console/account')).status === 200;
const emailOf = () => String(provider.person.email);
const userOf = async (email = emailOf()) => {
  const found = await findUserByEmail(harness.app, email);
  return found && (await harness.admin('GET', `/user/${found.id}`)).body.data;
};
const rowsOf = async () =>
  Promise.all(
    (['users', 'user_identities', 'sessions', 'single_sign_on_states', 'audit_log'] as const).map(async (table) => {
      const rows = await harness.app.db.selectFrom(table).selectAll().execute();
      return rows.length;
    }),
  );
const add = (query: Record<string, string>) => (address: string) => {
  const url = new URL(address, 'http://localhost');
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.host === 'localhost' ? `${url.pathname}${url.search}` : url.href;
};

/** Nothing is stored, and the page says why. */
async function expectRefused(visitor: ConsoleVisitor, back: string, status: number, sentence: string): Promise<void> {
  const before = await rowsOf();
  const page = await visitor.get(back);
  expect({ status: page.status, h1: page.h1 }).toEqual({ status, h1: 'You are not signed in' });
  expect(page.text).toContain(sentence);
  expect(await rowsOf()).toEqual(before);
  expect(await isSignedIn(visitor)).toBe(false);
}

describe('single sign-on', () => {
  it('creates a user at the first sign-in, and knows them by the subject afterwards', async () => {
    const visitor = new ConsoleVisitor(harness);
    const back = await begin(visitor, undefined, '?next=/console/account/devices');
    expect((await visitor.get(back)).location).toBe('/console/account/devices');
    expect((await visitor.get('/console/account')).text).toContain('Single sign-on, or password and email link');
    const user = await userOf();
    expect(user).toMatchObject({ name: 'Grace Hopper', state: 'active', platform_admin: false });
    expect([...visitor.cookies.keys()]).toEqual(['pennypost_session']);
    const entries = await harness.app.db
      .selectFrom('audit_log')
      .select('noun')
      .where('thing_id', '=', user.id)
      .execute();
    expect(new Set(entries.map(({ noun }) => noun))).toEqual(new Set(['user', 'user_identity', 'session']));

    const email = emailOf();
    provider.person.email = `married-${people}@TOWN.example`;
    expect((await signIn()).page.location).toBe('/console');
    expect(await userOf()).toBeUndefined();
    expect((await userOf(email)).id).toBe(user.id);
  });

  it('sends people without a password a link to choose one, where a change asks for it', async () => {
    const { visitor } = await signIn();
    for (const page of ['email', 'mobile', 'password', 'security-keys/new', 'security-keys/only']) {
      const { text } = await visitor.get(`/console/account/${page}`);
      expect(text, page).toContain('your account has none yet');
      expect(text, page).not.toContain('name="current_password"');
    }
    const change = (current_password: string) =>
      visitor.post('/console/account/email', { email_address: `new-${emailOf()}`, current_password });
    expect((await change('guessed')).problems).toEqual({
      current_password: 'Your account has no password. Choose one first.',
    });
    const { id, failed_login_count } = await userOf();
    expect(failed_login_count).toBe(0);
    const answer = await harness.admin('POST', `/user/${id}/verify/password`, { password: 'none' });
    expect([answer.status, answer.body.message]).toEqual([400, { password: ['Incorrect password'] }]);
    expect((await visitor.post('/console/account/choose-password')).location).toBe('/console/account');
    const { recipient, personalisation } = (await accountMessages(harness)).at(-1) ?? {};
    expect(recipient).toBe(emailOf());
    const link = new URL(personalisation?.url ?? '').pathname;
    expect((await visitor.post(link, { password })).status).toBe(303);
    expect((await visitor.get('/console/account')).text).toContain('Hidden');
    expect((await change(password)).location).toBe('/console/account');
  });

  it('knows a user by the address, once', async () => {
    const user = await aPerson(harness, { email_address: `Ada-${people}@Example.org` });
    provider.person.email = `ada-${people}@example.org`;
    expect((await signIn()).page.location).toBe('/console');
    expect((await userOf()).id).toBe(user.id);
    provider.person.sub = `another-${people}`;
    const visitor = new ConsoleVisitor(harness);
    await expectRefused(visitor, await begin(visitor), 403, 'belongs to another person');
  });

  it('gives and takes the roles of groups at each sign-in', async () => {
    const rolesOf = async () => {
      const { platform_admin, read_only_operator } = (await userOf()) ?? {};
      return [platform_admin, read_only_operator];
    };
    provider.person.groups = ['staff', 'pennypost-admins'];
    const { visitor } = await signIn();
    expect(await rolesOf()).toEqual([true, undefined]);
    provider.person.groups = 'pennypost-readers';
    await signIn();
    expect(await rolesOf()).toEqual([false, true]);
    expect(await isSignedIn(visitor)).toBe(false);
    provider.person.groups = undefined;
    await signIn();
    expect(await rolesOf()).toEqual([false, undefined]);
  });

  it('does not leave an account that was never confirmed to whoever registered it', async () => {
    const user = await aPerson(harness, { email_address: emailOf(), state: 'pending' });
    expect((await signIn()).page.location).toBe('/console');
    expect(await userOf()).toMatchObject({ id: user.id, state: 'active', mobile_number: null });
    const page = await new ConsoleVisitor(harness).post('/console/sign-in', { email_address: emailOf(), password });
    expect(page.status).toBe(400);
  });

  it('is completed by another process than the one that began it', async () => {
    const other = await harness.anotherProcess();
    const visitor = new ConsoleVisitor(harness);
    const back = await begin(visitor);
    const moved = new ConsoleVisitor(other);
    for (const [name, value] of visitor.cookies) moved.cookies.set(name, value);
    expect((await moved.get(back)).location).toBe('/console');
    visitor.cookies.set('pennypost_session', moved.cookies.get('pennypost_session') ?? '');
    expect(await isSignedIn(visitor)).toBe(true);
  });

  it('asks for a code with PKCE, state and nonce', async () => {
    const { location = '' } = await new ConsoleVisitor(harness).get(start);
    const query = Object.fromEntries(new URL(location).searchParams);
    expect(query).toMatchObject({ response_type: 'code', code_challenge_method: 'S256', client_id: 'pennypost' });
    for (const name of ['state', 'nonce', 'code_challenge'] as const) expect(query[name]?.length).toBeGreaterThan(40);
  });
});

describe('single sign-on is refused, and nothing is stored', () => {
  it.each<[string, Record<string, unknown>, string, string]>([
    [
      'an address that is not verified',
      { email_verified: false },
      'unverified-address',
      'has not verified your email address',
    ],
    [
      'an address nobody speaks about',
      { email_verified: undefined },
      'unverified-address',
      'has not verified your email address',
    ],
    ['a foreign domain', { email: 'grace@evil.example' }, 'foreign-domain', 'People with an address at evil.example'],
    [
      'a domain that only ends alike',
      { email: 'grace@notexample.org' },
      'foreign-domain',
      'at notexample.org cannot sign in',
    ],
    [
      'a domain below an allowed one',
      { email: 'grace@a.example.org' },
      'foreign-domain',
      'at a.example.org cannot sign in',
    ],
    ['no address', { email: undefined }, 'no-address', 'did not send your email address'],
    [
      'an address that is none',
      { email: 'grace@evil.example@example.org' },
      'no-address',
      'did not send your email address',
    ],
  ])('for %s', async (_name, claims, reason, sentence) => {
    Object.assign(provider.person, claims);
    const visitor = new ConsoleVisitor(harness);
    harness.logged.length = 0;
    await expectRefused(visitor, await begin(visitor), 403, sentence);
    const line = harness.logged.find((each) => each.includes('single_sign_on.refused'));
    expect(JSON.parse(line ?? '{}').reason).toBe(reason);
  });

  it('with another nonce, state, issuer, code or PKCE challenge', async () => {
    const sentence = 'We could not use the response of the sign-in service.';
    const visitor = new ConsoleVisitor(harness);
    await expectRefused(visitor, await begin(visitor, add({ nonce: 'another' })), 400, sentence);
    await expectRefused(visitor, await begin(visitor, add({ code_challenge: 'A'.repeat(43) })), 400, sentence);
    for (const change of [add({ state: 'another' }), add({ iss: 'https://evil.example' }), add({ code: 'another' })]) {
      await expectRefused(visitor, change(await begin(visitor)), 400, sentence);
    }
  });

  it('when the issuer calls itself differently', async () => {
    const issuer = provider.issuer.replace('127.0.0.1', 'localhost');
    const other = await harness.anotherProcess({ singleSignOn: { issuer } });
    const page = await new ConsoleVisitor(other).get(start);
    expect(page.status).toBe(400);
  });

  it('when the ID token is of another issuer', async () => {
    // Says that the provider is its own, and forgets that the provider names itself in its answers.
    const liar = createServer(async (_request, response) => {
      const metadata = await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).json();
      const lie = { ...metadata, issuer: address, authorization_response_iss_parameter_supported: false };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(lie));
    });
    await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(liar.address() as AddressInfo).port}`;
    onTestFinished(() => void liar.close());
    const other = await harness.anotherProcess({ singleSignOn: { issuer: address } });
    const visitor = new ConsoleVisitor(other);
    const back = await begin(visitor);
    await expectRefused(visitor, back.replace(/&iss=[^&]*/, ''), 400, 'could not use the response');
    expect(harness.logged.at(-1) ?? '').toContain('single_sign_on.failed');
  });

  it('when a state is used twice, whatever the issuer says', async () => {
    const { sub: subject, email } = provider.person;
    const identity = { issuer: provider.issuer, subject, email_address: String(email), name: 'Grace', groups: [] };
    await signInWithIdentity(harness.app, identity, 'one state');
    const again = { ...identity, subject: 'other', email_address: 'other@example.org' };
    await expect(signInWithIdentity(harness.app, again, 'one state')).rejects.toThrow('has been used already');
    expect(await userOf('other@example.org')).toBeUndefined();
  });

  it('when it is sent a second time, also with the cookies of the first time', async () => {
    const visitor = new ConsoleVisitor(harness);
    const back = await begin(visitor);
    const thief = new ConsoleVisitor(harness);
    for (const [name, value] of visitor.cookies) thief.cookies.set(name, value);
    expect((await visitor.get(back)).location).toBe('/console');
    await expectRefused(thief, back, 400, 'could not use the response');
    await expectRefused(thief, back, 400, 'You did not start to sign in with this browser');
  });

  it('in a browser that has not begun it', async () => {
    const back = await begin(new ConsoleVisitor(harness));
    await expectRefused(new ConsoleVisitor(harness), back, 400, 'You did not start to sign in with this browser');
    const other = new ConsoleVisitor(harness);
    await other.get(start);
    await expectRefused(other, back, 400, 'could not use the response');
  });

  it('by the issuer', async () => {
    provider.error = 'access_denied';
    const visitor = new ConsoleVisitor(harness);
    await expectRefused(visitor, await begin(visitor), 403, 'The sign-in service refused: access denied.');
    const { location = '' } = await visitor.get(start);
    const state = new URL(location).searchParams.get('state') ?? '';
    const lie = `${start}/callback?${new URLSearchParams({ state, iss: provider.issuer, error: 'Call 0800 1234' })}`;
    await expectRefused(visitor, lie, 403, 'The sign-in service refused: unknown reason.');
  });

  it('for archived users, not after wrong passwords of a stranger', async () => {
    const { visitor: browser } = await signIn();
    const user = await userOf();
    const guess = { email_address: user.email_address, password: 'a guess' };
    for (let tried = 0; tried < 12; tried += 1) await new ConsoleVisitor(harness).post('/console/sign-in', guess);
    await harness.app.db.updateTable('users').set({ failed_login_count: 10 }).where('id', '=', user.id).execute();
    expect((await browser.get('/console/account')).status).toBe(200);
    expect((await signIn()).page.location).toBe('/console');
    const visitor = new ConsoleVisitor(harness);
    await harness.admin('POST', `/user/${user.id}/archive`);
    await expectRefused(visitor, await begin(visitor), 403, 'Your account is archived');
  });
});

describe('without the issuer', () => {
  it('passwords work, and single sign-on does again when the issuer is back', async () => {
    const other = await harness.anotherProcess();
    const user = await aPerson(harness);
    await provider.stop();
    const visitor = new ConsoleVisitor(other);
    const down = await visitor.get(start);
    expect({ status: down.status, h1: down.h1 }).toEqual({ status: 503, h1: 'You are not signed in' });
    const page = await visitor.post('/console/sign-in', { email_address: user.email_address, password });
    expect(page.location).toBe('/console/sign-in/code');
    await provider.start();
    expect((await signIn(other)).page.location).toBe('/console');
  });
});

describe('the sign-in page', () => {
  it('leads to the issuer, with the page that was asked for', async () => {
    const { text } = await new ConsoleVisitor(harness).get('/console/sign-in?next=/console/account');
    expect(text).toContain(`href="${start}?next=%2Fconsole%2Faccount"`);
    expect(text).toContain('Sign in with Town Hall');
  });

  it('is for platform administrators only where the setting says so', async () => {
    const other = await harness.anotherProcess({ singleSignOn: { localSignIn: 'platform-admins' } });
    const visitor = new ConsoleVisitor(other);
    const [user, admin] = [await aPerson(harness), await aPerson(harness, { platform_admin: true })];
    const post = (email_address: string) => visitor.post('/console/sign-in', { email_address, password });
    expect((await visitor.get('/console/sign-in')).text).toContain(
      'Platform administrators can sign in with a password',
    );
    expect((await post(user.email_address)).problems.email_address).toBe('The email address or the password is wrong.');
    expect((await harness.admin('GET', `/user/${user.id}`)).body.data.failed_login_count).toBe(0);
    expect((await post(admin.email_address)).location).toBe('/console/sign-in/code');
    const { visitor: member, page } = await signIn(other);
    expect(page.location).toBe('/console');
    const { text } = await member.get('/console/account/email');
    expect(text).toContain('ask the people who run the single sign-on');
    expect(text).not.toContain('choose-password');
    const before = (await accountMessages(harness)).length;
    expect((await member.post('/console/account/choose-password')).location).toBe('/console/account/password');
    expect(await accountMessages(harness)).toHaveLength(before);
  });
});
