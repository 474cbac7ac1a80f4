import { describe, expect, it } from 'vitest';
import { useHarness } from '../../../../test/kit/harness.ts';
import { accountMessages } from '../../../../test/kit/world/account-messages.ts';
import { aPerson, password, signedIn } from '../../../../test/kit/world/console-people.ts';
import { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';
import { noPassword } from '../../../users/sign-in/passwords.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

const owner = '198.51.100.1';
const stranger = '203.0.113.1';
let networks = 0;
/** A network of documentation addresses for each test: addresses are counted across accounts. */
const aNetwork = () => {
  networks += 1;
  return (host: number) => `2001:db8:${networks}:${host.toString(16)}::1`;
};

const refused = { email_address: 'The email address or the password is wrong.' };

const post = (
  email_address: string,
  guess: string,
  address: string,
  process: Parameters<typeof visitorAt>[1] = harness,
) => visitorAt(address, process).post('/console/sign-in', { email_address, password: guess });
const visitorAt = (address: string, process: Pick<typeof harness, 'request'> = harness) =>
  new ConsoleVisitor(process, address);

async function guess(email: string, times: number, address: string): Promise<void> {
  for (let tried = 0; tried < times; tried += 1) {
    expect((await post(email, `guess ${tried}`, address)).problems).toEqual(refused);
  }
}

async function signInAt(address: string, email_address: string): Promise<ConsoleVisitor> {
  const visitor = visitorAt(address);
  expect((await visitor.post('/console/sign-in', { email_address, password })).status).toBe(303);
  const code = (await accountMessages(harness)).at(-1)?.personalisation.verify_code ?? '';
  expect((await visitor.post('/console/sign-in/code', { code })).status).toBe(303);
  return visitor;
}

/** Instead of a hundred guesses: of an account, or of addresses and of accounts that do not exist. */
const setCounts = (userId: string | null, wrong_count: number) =>
  harness.app.db
    .updateTable('password_guesses')
    .set({ wrong_count })
    .where('user_id', userId === null ? 'is' : '=', userId)
    .where('signed_in_at', 'is', null)
    .execute();

const recordOf = async (id: string) => (await harness.admin('GET', `/user/${id}`)).body.data;

describe('wrong passwords of a stranger', () => {
  it('end no session, and the owner still gets in from a known and from another address', async () => {
    const at = aNetwork();
    const { id, email_address } = await aPerson(harness);
    const browser = await signInAt(at(1), email_address);
    harness.clock.advance({ seconds: 1 });
    await guess(email_address, 12, at(2));
    expect((await browser.get('/console/account')).status).toBe(200);
    expect((await recordOf(id)).failed_login_count).toBe(12);
    // The stranger has to wait, with the right password as well.
    expect((await post(email_address, password, at(2))).problems).toEqual(refused);
    expect((await post(email_address, password, at(1))).status).toBe(303);
    await guess(email_address, 12, at(3));
    expect((await post(email_address, password, at(4))).status).toBe(303);
  });

  it('from the address of the owner leave the owner thirty tries', async () => {
    const at = aNetwork();
    const { email_address } = await aPerson(harness);
    await signInAt(at(1), email_address);
    await guess(email_address, 30, at(1));
    expect((await post(email_address, password, at(1))).status).toBe(303);
    await guess(email_address, 31, at(1));
    expect((await post(email_address, password, at(1))).problems).toEqual(refused);
    harness.clock.advance({ seconds: 1 });
    expect((await post(email_address, password, at(1))).status).toBe(303);
  });

  it('do not stop a second step', async () => {
    const at = aNetwork();
    const { email_address } = await aPerson(harness);
    const visitor = visitorAt(at(1));
    await visitor.post('/console/sign-in', { email_address, password });
    const code = (await accountMessages(harness)).at(-1)?.personalisation.verify_code ?? '';
    await guess(email_address, 11, at(2));
    expect((await visitor.post('/console/sign-in/code', { code })).status).toBe(303);
    expect((await visitor.get('/console/account')).status).toBe(200);
  });

  it('never touch an account without a password', async () => {
    const at = aNetwork();
    const { id, email_address } = await aPerson(harness);
    await harness.app.db.updateTable('users').set({ password_hash: noPassword }).where('id', '=', id).execute();
    const browser = await signedIn(harness, id);
    await guess(email_address, 2, at(1));
    await harness.admin('POST', `/user/${id}/verify/password`, { password: 'a guess' });
    expect(await recordOf(id)).toMatchObject({ failed_login_count: 0 });
    expect((await browser.get('/console/account')).status).toBe(200);
  });
});

describe('the wait', () => {
  it('is one of the account at an address: 1 s, doubled by each further wrong password', async () => {
    const at = aNetwork();
    const { email_address } = await aPerson(harness);
    await guess(email_address, 11, at(1));
    for (const seconds of [1, 2, 4, 8]) {
      harness.clock.advance({ ms: seconds * 1_000 - 1 });
      expect((await post(email_address, password, at(1))).status).toBe(400);
      harness.clock.advance({ ms: 1 });
      await guess(email_address, 1, at(1));
    }
    harness.clock.advance({ seconds: 16 });
    expect((await post(email_address, password, at(1))).status).toBe(303);
    // The right password ends the row.
    await guess(email_address, 10, at(1));
    expect((await post(email_address, password, at(1))).status).toBe(303);
  });

  it('is one of the account after 100 from many addresses, except where it has signed in', async () => {
    const at = aNetwork();
    const { id, email_address } = await aPerson(harness);
    await signInAt(at(1), email_address);
    await guess(email_address, 1, at(10));
    await setCounts(id, 99);
    await guess(email_address, 1, at(11));
    expect((await post(email_address, password, at(2))).status).toBe(303);
    await guess(email_address, 1, at(12));
    await setCounts(id, 99);
    await guess(email_address, 1, at(13));
    await guess(email_address, 1, at(14));
    expect((await post(email_address, password, at(2))).problems).toEqual(refused);
    expect((await post(email_address, password, at(1))).status).toBe(303);
  });

  it('is one of the address after 100 for many accounts in an hour, except for those who have signed in there', async () => {
    const at = aNetwork();
    const [known, other] = [await aPerson(harness), await aPerson(harness)];
    await signInAt(at(1), known.email_address);
    // Accounts that do not exist count, too.
    await guess('nobody@example.org', 1, at(1));
    await setCounts(null, 99);
    await guess((await aPerson(harness)).email_address, 1, at(1));
    expect((await post(other.email_address, password, at(1))).status).toBe(303);
    await guess((await aPerson(harness)).email_address, 1, at(1));
    expect((await post(other.email_address, password, at(1))).problems).toEqual(refused);
    expect((await post(other.email_address, password, at(2))).status).toBe(303);
    expect((await post(known.email_address, password, at(1))).status).toBe(303);
    harness.clock.advance({ hours: 1 });
    await guess('nobody@example.org', 3, at(1));
    expect((await post(other.email_address, password, at(1))).status).toBe(303);
  });

  it('is exact under concurrency and across processes', async () => {
    const at = aNetwork();
    const { email_address } = await aPerson(harness);
    const other = await harness.anotherProcess();
    await guess(email_address, 9, at(1));
    const tries = Array.from({ length: 12 }, (_, count) =>
      post(email_address, 'a guess', at(1), count % 2 ? other : harness),
    );
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual(tries.map(() => 400));
    expect((await post(email_address, password, at(1), other)).status).toBe(400);
    harness.clock.advance({ seconds: 1 });
    expect((await post(email_address, password, at(1), other)).status).toBe(303);
  });

  it('ends with a new password', async () => {
    const at = aNetwork();
    const { id, email_address } = await aPerson(harness);
    await guess(email_address, 15, at(1));
    await harness.admin('POST', `/user/${id}/reset-failed-login-count`);
    expect((await post(email_address, password, at(1))).status).toBe(303);
  });
});

describe('what is stored', () => {
  const stored = () => harness.app.db.selectFrom('password_guesses').selectAll().execute();

  it('names neither the address nor, where it has no account, the person; goes after a day, and 90 days after a sign-in', async () => {
    harness.clock.advance({ days: 200 });
    await harness.addTask('delete-verify-codes');
    await harness.runTasks();
    expect(await stored()).toEqual([]);
    const { email_address } = await aPerson(harness);
    await signInAt(owner, email_address);
    await guess('nobody@example.org', 1, stranger);
    const text = JSON.stringify(await stored());
    for (const part of [owner, stranger, 'nobody', email_address]) expect(text).not.toContain(part);
    harness.clock.advance({ days: 1 });
    await harness.addTask('delete-verify-codes');
    await harness.runTasks();
    expect(await stored()).toHaveLength(1);
    harness.clock.advance({ days: 89 });
    await harness.addTask('delete-verify-codes');
    await harness.runTasks();
    expect(await stored()).toEqual([]);
  });
});
