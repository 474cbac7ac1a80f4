import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { aNewUser, aUser } from '../../../test/kit/builders/rows.ts';
import { quickHash } from '../../../test/kit/fakes/quick-hash.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { accountMessages } from '../../../test/kit/world/account-messages.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { lockUser } from '../users.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const password = 'correct horse';
const incorrect = { status: 400, body: { result: 'error', message: { password: ['Incorrect password'] } } };

async function withSlowHash(): Promise<string> {
  return (await harness.admin('POST', '/user', aNewUser({ password }))).body.data.id;
}

async function withPassword(): Promise<string> {
  return aUser(harness, { password_hash: await quickHash(password) });
}

const post = (url: string, body?: unknown) => harness.admin('POST', url, body);
const failures = async (id: string) => (await harness.admin('GET', `/user/${id}`)).body.data.failed_login_count;
const tryPassword = (id: string, guess: string) => post(`/user/${id}/verify/password`, { password: guess });
const tryCode = (id: string, code: string, code_type = 'sms') => post(`/user/${id}/verify/code`, { code, code_type });
const reset = (id: string) => post(`/user/${id}/reset-failed-login-count`);

async function times<T>(count: number, one: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let done = 0; done < count; done += 1) results.push(await one());
  return results;
}

async function waitingForALock(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(harness.app.db);
  return rows[0]?.count ?? 0;
}

/** Undefined when none was sent. */
async function newCode(id: string): Promise<string | undefined> {
  const before = (await accountMessages(harness)).length;
  expect((await post(`/user/${id}/sms-code`, {})).status).toBe(204);
  return (await accountMessages(harness)).slice(before)[0]?.personalisation.verify_code;
}

async function sentCode(id: string): Promise<string> {
  return (await newCode(id)) ?? expect.fail('no code was sent');
}

async function newEmailCode(id: string): Promise<string> {
  await post(`/user/${id}/email-code`, {});
  const token = (await accountMessages(harness)).at(-1)?.personalisation.url?.split('/').at(-1);
  return (await post('/user/check-link', { purpose: 'email-auth', token })).body.data.secret_code;
}

/** Never a valid SMS code: those have no repeated adjacent digits. */
const wrongCode = '11111';

describe('wrong passwords', () => {
  it('204 for the correct password after ten wrong ones', async () => {
    const id = await withPassword();
    await times(10, () => tryPassword(id, 'wrong'));
    expect(await failures(id)).toBe(10);
    expect((await tryPassword(id, password)).status).toBe(204);
    expect(await failures(id)).toBe(0);
  });

  it('400 for the correct password for a second after the eleventh wrong one; counts as a failure', async () => {
    const id = await withPassword();
    const [wrong] = (await times(11, () => tryPassword(id, 'wrong'))).slice(-1);
    const right = await tryPassword(id, password);
    expect(right).toMatchObject(incorrect);
    expect(right.text).toBe(wrong?.text);
    expect(Object.keys(right.headers).sort()).toEqual(Object.keys(wrong?.headers ?? {}).sort());
    expect(await failures(id)).toBe(12);
    harness.clock.advance({ ms: 999 });
    expect(await tryPassword(id, password)).toMatchObject(incorrect);
    harness.clock.advance({ ms: 1 });
    expect((await tryPassword(id, password)).status).toBe(204);
    expect(await failures(id)).toBe(0);
    // The failure count is reset.
    await times(10, () => tryPassword(id, 'wrong'));
    expect((await tryPassword(id, password)).status).toBe(204);
  });

  it('doubles the lockout after each further wrong password, up to 15 minutes', async () => {
    const id = await withPassword();
    await times(11, () => tryPassword(id, 'wrong'));
    let wait = 1;
    for (let wrong = 12; wrong <= 24; wrong += 1) {
      harness.clock.advance({ seconds: wait });
      await tryPassword(id, 'wrong');
      wait = Math.min(wait * 2, 900);
      harness.clock.advance({ seconds: wait - 1 });
      expect(await tryPassword(id, password)).toMatchObject(incorrect);
      harness.clock.advance({ seconds: -(wait - 1) });
    }
    expect(wait).toBe(900);
    harness.clock.advance({ seconds: 900 });
    expect((await tryPassword(id, password)).status).toBe(204);
  });

  it('does not extend the lockout for checks made during it', async () => {
    const id = await withPassword();
    await times(30, () => tryPassword(id, 'wrong'));
    expect(await failures(id)).toBe(30);
    harness.clock.advance({ seconds: 1 });
    expect((await tryPassword(id, password)).status).toBe(204);
  });

  it('400 for a correct password that arrived during the lockout, even if checked after it', async () => {
    const id = await withPassword();
    await times(11, () => tryPassword(id, 'wrong'));
    const response = await inTransaction(harness.app.db, async (tx) => {
      await lockUser(tx, id);
      const request = tryPassword(id, password);
      await vi.waitFor(async () => expect(await waitingForALock()).toBe(1), { timeout: 15_000, interval: 20 });
      harness.clock.advance({ seconds: 2 });
      return { request };
    });
    expect(await response.request).toMatchObject(incorrect);
  });

  it('checks only eleven of many concurrent passwords', async () => {
    const id = await withPassword();
    await times(10, () => tryPassword(id, 'wrong'));
    const guesses = ['wrong', ...Array.from({ length: 10 }, () => 'also wrong')];
    await Promise.all(guesses.map((guess) => tryPassword(id, guess)));
    expect(await failures(id)).toBe(21);
    const { failed_password_count } = await harness.app.db
      .selectFrom('users')
      .select('failed_password_count')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(failed_password_count).toBe(11);
  });

  it('204 immediately after the reset', async () => {
    const id = await withPassword();
    await times(11, () => tryPassword(id, 'wrong'));
    expect((await reset(id)).body.data.failed_login_count).toBe(0);
    expect((await tryPassword(id, password)).status).toBe(204);
  });

  it('are not reset by a correct code', async () => {
    const id = await withPassword();
    await times(5, () => tryPassword(id, 'wrong'));
    expect((await tryCode(id, await sentCode(id))).status).toBe(204);
    expect(await failures(id)).toBe(0);
    await times(6, () => tryPassword(id, 'wrong'));
    expect(await tryPassword(id, password)).toMatchObject(incorrect);
  });

  it('of one user do not affect another', async () => {
    const [id, other] = [await withPassword(), await withPassword()];
    await times(11, () => tryPassword(id, 'wrong'));
    expect((await tryPassword(other, password)).status).toBe(204);
  });

  it('take about as long to check during the lockout', async () => {
    const id = await withSlowHash();
    const cpu_ms = async (request: () => Promise<unknown>) => {
      const start = process.cpuUsage();
      await request();
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    };
    const median = async (guess: string) => {
      const all = await times(7, () => cpu_ms(() => tryPassword(id, guess)));
      return all.sort((a, b) => a - b)[3] ?? 0;
    };
    const unlocked = await median('wrong');
    await times(4, () => tryPassword(id, 'wrong'));
    const [refused, refusedRight] = [await median('wrong'), await median(password)];
    for (const time of [refused, refusedRight]) {
      expect(time).toBeGreaterThan(unlocked / 3);
      expect(time).toBeLessThan(unlocked * 3);
    }
  });
});

describe('wrong codes', () => {
  it('invalidate every live code after ten in a row, whatever the password', async () => {
    const id = await withPassword();
    const codes = [await sentCode(id), await sentCode(id)];
    const link = await newEmailCode(id);
    await times(9, () => tryCode(id, wrongCode));
    expect((await tryPassword(id, password)).status).toBe(204);
    expect(await failures(id)).toBe(0);
    expect((await tryCode(id, wrongCode)).body.message).toBe('Code is not valid');
    for (const code of codes) expect(await tryCode(id, code)).toMatchObject({ status: 400 });
    const response = await tryCode(id, link, 'email');
    expect(response).toMatchObject({ status: 400, body: { message: 'Code has expired' } });
    expect((await harness.admin('GET', `/user/${id}`)).body.data).toMatchObject({
      current_session_id: null,
      logged_in_at: null,
    });
  });

  it('invalidate codes permanently: neither the password nor the reset restores them', async () => {
    const id = await withPassword();
    const code = await sentCode(id);
    await times(10, () => tryCode(id, wrongCode));
    expect(await tryCode(id, code)).toMatchObject({ status: 404, body: { message: 'Code not found' } });
    await tryPassword(id, password);
    expect(await tryCode(id, code)).toMatchObject({ status: 400, body: { message: 'Code has expired' } });
    await reset(id);
    expect(await tryCode(id, code)).toMatchObject({ status: 400, body: { message: 'Code has expired' } });
  });

  it('204 for a new code afterwards, but not after another wrong one', async () => {
    const id = await withPassword();
    await sentCode(id);
    await times(10, () => tryCode(id, wrongCode));
    await tryPassword(id, password);
    const second = await sentCode(id);
    await tryCode(id, wrongCode);
    expect((await tryCode(id, second)).status).toBe(400);
    expect((await tryCode(id, await sentCode(id))).status).toBe(204);
    expect(await failures(id)).toBe(0);
    // The correct code reset the count: nine wrong ones are allowed again.
    const third = await sentCode(id);
    await times(9, () => tryCode(id, wrongCode));
    expect((await tryCode(id, third)).status).toBe(204);
  });

  it('are not reset by passwords, security keys or time', async () => {
    const id = await withPassword();
    await sentCode(id);
    await times(4, () => tryCode(id, wrongCode));
    await post(`/user/${id}/complete/webauthn-login`, { successful: true });
    await times(4, () => tryCode(id, wrongCode));
    await tryPassword(id, password);
    harness.clock.advance({ minutes: 31 });
    const code = await sentCode(id);
    await times(2, () => tryCode(id, wrongCode));
    expect((await tryCode(id, code)).status).toBe(400);
  });

  it('are checked only ten times among hundreds of concurrent ones, with passwords in between', async () => {
    const id = await withPassword();
    const codes = [await sentCode(id), await sentCode(id)];
    const rounds = await times(4, async () => {
      const responses = await Promise.all(Array.from({ length: 9 }, () => tryCode(id, wrongCode)));
      await tryPassword(id, password);
      return responses;
    });
    expect(rounds.flat().every(({ status }) => status === 400)).toBe(true);
    for (const code of codes) expect((await tryCode(id, code)).body.message).toBe('Code has expired');
  });

  it('cannot be tried against new codes without limit: only twenty a day are sent', async () => {
    const id = await withPassword();
    await sentCode(id);
    await times(10, () => tryCode(id, wrongCode));
    for (let sent = 1; sent < 20; sent += 1) {
      await sentCode(id);
      await tryPassword(id, password);
      await tryCode(id, wrongCode);
    }
    expect(await newCode(id)).toBeUndefined();
    harness.clock.advance({ days: 1 });
    expect((await tryCode(id, await sentCode(id))).status).toBe(204);
  });

  it('do not count while there is no live code', async () => {
    const id = await aUser(harness);
    await times(9, () => tryCode(id, wrongCode));
    expect(await failures(id)).toBe(9);
    await reset(id);
    const code = await sentCode(id);
    await times(9, () => tryCode(id, wrongCode));
    expect((await tryCode(id, code)).status).toBe(204);
  });

  it('do not affect passwords', async () => {
    const id = await withPassword();
    await sentCode(id);
    await times(10, () => tryCode(id, wrongCode));
    await tryPassword(id, 'wrong');
    expect((await tryPassword(id, password)).status).toBe(204);
  });
});

describe('a correct code', () => {
  it('uses up every code of its type', async () => {
    const id = await withPassword();
    const [one, other] = [await sentCode(id), await sentCode(id)];
    const [link, otherLink] = [await newEmailCode(id), await newEmailCode(id)];
    expect((await tryCode(id, one)).status).toBe(204);
    expect((await tryCode(id, other)).body.message).toBe('Code has expired');
    expect((await tryCode(id, otherLink, 'email')).status).toBe(204);
    expect((await tryCode(id, link, 'email')).body.message).toBe('Code has expired');
  });
});
