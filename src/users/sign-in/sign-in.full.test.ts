import { describe, expect, it } from 'vitest';
import { aUser } from '../../../test/kit/builders/rows.ts';
import { quickHash } from '../../../test/kit/fakes/quick-hash.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { accountMessages, sentBy } from '../../../test/kit/world/account-messages.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const unknown = '4f46df42-0000-4cc4-83bb-65ca312f49cc';
const notFound = { result: 'error', message: 'No result found' };
const missing = 'Missing data for required field.';

async function user(userId: string) {
  return (await harness.admin('GET', `/user/${userId}`)).body.data;
}

async function withFailures(failed_login_count: number): Promise<string> {
  const id = await aUser(harness);
  await harness.app.db.updateTable('users').set({ failed_login_count }).where('id', '=', id).execute();
  return id;
}

/** Requests a code and returns it from the sent message. */
async function smsCode(userId: string): Promise<string> {
  await harness.admin('POST', `/user/${userId}/sms-code`, {});
  return (await accountMessages(harness)).at(-1)?.personalisation.verify_code ?? '';
}

async function emailCode(userId: string): Promise<string> {
  await harness.admin('POST', `/user/${userId}/email-code`, {});
  const token = (await accountMessages(harness)).at(-1)?.personalisation.url?.split('/').at(-1);
  const link = await harness.admin('POST', '/user/check-link', { purpose: 'email-auth', token });
  return link.body.data.secret_code;
}

const verify = (userId: string, code: unknown, code_type: unknown = 'sms') =>
  harness.admin('POST', `/user/${userId}/verify/code`, { code, code_type });

/** Returns a wrong code. */
const wrong = (code: string) => (code === '01010' ? '10101' : '01010');

describe('POST /user/{user_id}/verify/password', () => {
  const withPassword = async (password: string) => aUser(harness, { password_hash: await quickHash(password) });

  async function withSlowHash(password: string): Promise<string> {
    const body = { name: 'A', email_address: `${Math.random()}@example.org`, mobile_number: '07700900460', password };
    return (await harness.admin('POST', '/user', body)).body.data.id;
  }
  const check = (id: string, body: unknown) => harness.admin('POST', `/user/${id}/verify/password`, body);

  it('204 when correct; resets the failures and signs no one in', async () => {
    const id = await withSlowHash('pässword');
    await harness.app.db.updateTable('users').set({ failed_login_count: 12 }).where('id', '=', id).execute();
    const answer = await check(id, { password: 'pässword' });
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect(await user(id)).toMatchObject({ failed_login_count: 0, logged_in_at: null, current_session_id: null });
  });

  it('400 when wrong; counts the failure', async () => {
    const id = await withPassword('right');
    for (const count of [1, 2]) {
      const answer = await check(id, { password: 'wrong' });
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ result: 'error', message: { password: ['Incorrect password'] } });
      expect((await user(id)).failed_login_count).toBe(count);
    }
  });

  it('400 for each of many concurrent attempts; counts each', async () => {
    const id = await withPassword('right');
    const answers = await Promise.all(Array.from({ length: 20 }, () => check(id, { password: 'wrong' })));
    expect(answers.every(({ status }) => status === 400)).toBe(true);
    expect((await user(id)).failed_login_count).toBe(20);
  });

  it('compares all of a long password', async () => {
    const id = await withPassword(`${'a'.repeat(80)}b`);
    expect((await check(id, { password: `${'a'.repeat(80)}c` })).status).toBe(400);
    expect((await check(id, { password: `${'a'.repeat(80)}b` })).status).toBe(204);
  });

  it('400 for an archived user’s old password, and an account without one', async () => {
    const id = await withPassword('right');
    await harness.admin('POST', `/user/${id}/archive`);
    expect((await check(id, { password: 'right' })).status).toBe(400);
    expect((await check(id, { password: 'none' })).status).toBe(400);
  });

  it.each([
    [{}, missing],
    [undefined, missing],
    [{ password: null }, 'Field may not be null.'],
    [{ password: 5 }, 'Not a valid string.'],
  ])('400 for %j; does not count it', async (body, text) => {
    const id = await aUser(harness);
    const answer = await check(id, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message: { password: [text] } });
    expect((await user(id)).failed_login_count).toBe(0);
  });

  it('takes about as long for an unknown address as for a wrong password', async () => {
    const id = await withSlowHash('right');
    // Medians of CPU time, measured alternately, so that other load on the machine does not matter.
    const cpu_ms = async (request: () => Promise<unknown>) => {
      const start = process.cpuUsage();
      await request();
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    };
    const times: { wrongPassword: number; unknownAddress: number }[] = [];
    for (let round = 0; round < 7; round += 1) {
      times.push({
        wrongPassword: await cpu_ms(() => check(id, { password: 'wrong' })),
        unknownAddress: await cpu_ms(() => harness.admin('POST', '/user/email', { email: 'nobody@example.org' })),
      });
    }
    const median = (of: 'wrongPassword' | 'unknownAddress') =>
      times.map((time) => time[of]).sort((a, b) => a - b)[3] ?? 0;
    const [wrongPassword, unknownAddress] = [median('wrongPassword'), median('unknownAddress')];
    expect(unknownAddress).toBeGreaterThan(wrongPassword / 3);
    expect(unknownAddress).toBeLessThan(wrongPassword * 3);
  });

  it('404 for an unknown user, before validating the body', async () => {
    expect((await check(unknown, {})).body).toEqual(notFound);
    expect((await check(unknown.replaceAll('-', ''), {})).body).toEqual(notFound);
  });
});

describe('POST /user/{user_id}/verify/code', () => {
  it('204 for an SMS code; signs in and uses up the code', async () => {
    const id = await withFailures(3);
    const code = await smsCode(id);
    harness.clock.advance({ minutes: 29 });
    const before = await user(id);
    const answer = await verify(id, code);
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    const after = await user(id);
    expect(after).toMatchObject({
      failed_login_count: 0,
      logged_in_at: harness.clock.now().toISOString().replace('Z', '000Z'),
      email_access_validated_at: before.email_access_validated_at,
      state: before.state,
    });
    expect(after.current_session_id).toMatch(/^[0-9a-f-]{36}$/);

    const again = await verify(id, code);
    expect(again.status).toBe(400);
    expect(again.body.message).toBe('Code has expired');
    expect((await user(id)).failed_login_count).toBe(1);
  });

  it('204 for an email code; also confirms the address', async () => {
    const id = await aUser(harness, { state: 'pending' });
    const code = await emailCode(id);
    expect((await verify(id, code, 'sms')).status).toBe(404);
    expect((await verify(id, code, 'email')).status).toBe(204);
    const after = await user(id);
    expect(after.email_access_validated_at).toBe(after.logged_in_at);
    expect(after.state).toBe('pending');
  });

  it('204 with an id in upper case', async () => {
    const id = await aUser(harness);
    const code = await smsCode(id);
    expect((await verify(id.toUpperCase(), code)).status).toBe(204);
  });

  it('404 when no code of that type was sent; counts the failure', async () => {
    const id = await aUser(harness);
    const answer = await verify(id, '12345');
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ result: 'error', message: 'Code not found' });
    expect((await user(id)).failed_login_count).toBe(1);
  });

  it('400 for a wrong code; counts the failure', async () => {
    const id = await aUser(harness);
    const answer = await verify(id, wrong(await smsCode(id)));
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message: 'Code is not valid' });
    expect((await user(id)).failed_login_count).toBe(1);
  });

  it('400 for another user’s code', async () => {
    const [one, other] = [await aUser(harness), await aUser(harness)];
    const [mine, theirs] = [await smsCode(one), await smsCode(other)];
    if (mine !== theirs) expect((await verify(one, theirs)).body.message).toBe('Code is not valid');
  });

  it('400 after thirty minutes; counts the failure', async () => {
    const id = await aUser(harness);
    const code = await smsCode(id);
    harness.clock.advance({ minutes: 30 });
    const answer = await verify(id, code);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message: 'Code has expired' });
    expect((await user(id)).failed_login_count).toBe(1);
  });

  it('404 for a correct code after ten failed attempts', async () => {
    const id = await withFailures(9);
    const code = await smsCode(id);
    expect((await verify(id, wrong(code))).status).toBe(400);
    const answer = await verify(id, code);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ result: 'error', message: 'Code not found' });
    expect((await user(id)).failed_login_count).toBe(10);
    await harness.admin('POST', `/user/${id}/reset-failed-login-count`);
    expect((await verify(id, code)).status).toBe(204);
  });

  it('counts 200 concurrent wrong codes up to ten, and accepts no later guess', async () => {
    const id = await aUser(harness);
    const code = await smsCode(id);
    const answers = await Promise.all(Array.from({ length: 200 }, () => verify(id, wrong(code))));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(10);
    expect(statuses.filter((status) => status === 404)).toHaveLength(190);
    expect((await user(id)).failed_login_count).toBe(10);
    const later = await verify(id, code);
    expect(later.status).toBe(404);
    expect(await user(id)).toMatchObject({ failed_login_count: 10, logged_in_at: null, current_session_id: null });
  });

  it('204 only once for concurrent requests with the same code', async () => {
    const id = await aUser(harness);
    const code = await smsCode(id);
    const answers = await Promise.all(Array.from({ length: 8 }, () => verify(id, code)));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect((await user(id)).failed_login_count).toBe(7);
  });

  it.each([
    [{}, { code: [missing], code_type: [missing] }],
    [{ code: 12345, code_type: 'sms' }, { code: ['Not a valid string.'] }],
    [
      { code: null, code_type: null },
      { code: ['Field may not be null.'], code_type: ['Field may not be null.'] },
    ],
    [{ code: '1', code_type: 'smoke' }, { code_type: ['Must be one of: sms, email.'] }],
    [{ code: '1', code_type: 5 }, { code_type: ['Not a valid string.'] }],
    [{ code: '1', code_type: 'sms', to: 'x' }, { _schema: ['Unknown field name to'] }],
  ])('400 for %j, before looking up the user', async (body, message) => {
    const answer = await harness.admin('POST', `/user/${unknown}/verify/code`, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message });
  });

  it('404 for an unknown user', async () => {
    const answer = await verify(unknown, '12345');
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(notFound);
  });
});

describe('POST /user/{user_id}/complete/webauthn-login', () => {
  const complete = (id: string, body: unknown) => harness.admin('POST', `/user/${id}/complete/webauthn-login`, body);

  async function aCredential(userId: string): Promise<string> {
    const body = { name: 'Key', credential_data: 'data', registration_response: 'response' };
    return (await harness.admin('POST', `/user/${userId}/webauthn`, body)).body.data.id;
  }

  it('204 on success; signs in and records the use of the key', async () => {
    const id = await withFailures(4);
    const credential = await aCredential(id);
    const answer = await complete(id, { successful: true, webauthn_credential_id: credential });
    expect(answer.status).toBe(204);
    const after = await user(id);
    expect(after).toMatchObject({ failed_login_count: 0 });
    expect(after.current_session_id).not.toBeNull();
    const [key] = (await harness.admin('GET', `/user/${id}/webauthn`)).body.data;
    expect(key.logged_in_at).toBe(after.logged_in_at);
  });

  it.each([[{ successful: true }], [{ successful: true, webauthn_credential_id: null }]])(
    '204 for %j',
    async (body) => {
      expect((await complete(await aUser(harness), body)).status).toBe(204);
    },
  );

  it('204 on failure, which counts; 403 from the fifth failure on', async () => {
    const id = await withFailures(4);
    expect((await complete(id, { successful: false })).status).toBe(204);
    expect(await user(id)).toMatchObject({ failed_login_count: 5, logged_in_at: null });
    for (const successful of [true, false]) {
      const answer = await complete(id, { successful });
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual({ result: 'error', message: 'Maximum login count exceeded' });
    }
    expect(await user(id)).toMatchObject({ failed_login_count: 5, logged_in_at: null });
  });

  it('counts 40 concurrent failures up to five', async () => {
    const id = await aUser(harness);
    const answers = await Promise.all(Array.from({ length: 40 }, () => complete(id, { successful: false })));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(5);
    expect((await user(id)).failed_login_count).toBe(5);
  });

  it('404 for another user’s key; signs no one in', async () => {
    const [id, other] = [await aUser(harness), await aUser(harness)];
    const answer = await complete(id, { successful: true, webauthn_credential_id: await aCredential(other) });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(notFound);
    expect(await user(id)).toMatchObject({ logged_in_at: null, current_session_id: null });
  });

  it.each([
    [{}, { successful: [missing] }],
    [{ successful: 'True' }, { successful: ['Not a valid boolean.'] }],
    [{ successful: true, webauthn_credential_id: 'x' }, { webauthn_credential_id: ['Not a valid UUID.'] }],
    [{ successful: true, extra: 1 }, { _schema: ['Unknown field name extra'] }],
  ])('400 for %j, before looking up the user', async (body, message) => {
    const answer = await complete(unknown, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message });
  });

  it('404 for an unknown user', async () => {
    expect((await complete(unknown, { successful: true })).body).toEqual(notFound);
  });
});

describe('POST /user/{user_id}/reset-failed-login-count', () => {
  it('200 with the user, unlocked', async () => {
    const id = await withFailures(11);
    const { answer, sent } = await sentBy(harness, () => harness.admin('POST', `/user/${id}/reset-failed-login-count`));
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ id, failed_login_count: 0 });
    expect(sent).toEqual([]);
  });

  it('404 for an unknown user', async () => {
    expect((await harness.admin('POST', `/user/${unknown}/reset-failed-login-count`)).body).toEqual(notFound);
  });
});
