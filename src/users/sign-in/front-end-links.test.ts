import { describe, expect, it } from 'vitest';
import { aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { sentBy } from '../../../test/kit/world/account-messages.ts';
import { decryptFernet, parseFernetKey } from '../../platform/secrets/fernet.ts';
import { createFirstAdmin } from '../create-admin.ts';

const linkTokenKey = parseFernetKey('cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=') as Buffer;
const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  config: { urls: { admin: 'https://admin.example' }, frontEnd: { linkTokenKey } },
});

const check = (purpose: string, token: string) => harness.admin('POST', '/user/check-link', { purpose, token });
const tokenOf = (url: string | undefined) => String(url).split('?')[0]?.split('/').at(-1) ?? '';

async function linkOf(path: string, body: object) {
  const { answer, sent } = await sentBy(harness, () => harness.admin('POST', path, body));
  expect(answer.status).toBe(204);
  return String(sent[0]?.personalisation.url);
}

/** What a front end with the same key reads. */
function readAsFrontEnd(url: string) {
  const token = decryptFernet(linkTokenKey, tokenOf(url));
  expect(token?.createdAt).toEqual(harness.clock.now());
  return JSON.parse(token?.text ?? '');
}

describe('links of account messages with LINK_TOKEN_KEY', () => {
  it('carry what the front end of GOV.UK Notify reads', async () => {
    const id = await aUser(harness, { email_address: 'ada@example.org' });
    const reset = await linkOf('/user/reset-password', { email: 'ada@example.org' });
    expect(reset).toMatch(/^https:\/\/admin\.example\/new-password\/gAAAAA[\w-]+={0,2}$/);
    expect(readAsFrontEnd(reset)).toMatchObject({ email: 'ada@example.org', created_at: '2026-11-15 12:00:00.000000' });
    const verification = await linkOf(`/user/${id}/email-verification`, {});
    expect(readAsFrontEnd(verification)).toMatchObject({ user_id: id, email: 'ada@example.org' });
    const change = await linkOf(`/user/${id}/change-email-verification`, { email: 'new@example.org' });
    expect(readAsFrontEnd(change)).toMatchObject({ user_id: id, email: 'new@example.org' });
    const signIn = await linkOf(`/user/${id}/email-code`, {
      email_auth_link_host: 'https://other.example',
      next: '/x',
    });
    expect(signIn).toMatch(/^https:\/\/other\.example\/email-auth\/gAAAAA[\w-]+={0,2}\?next=%2Fx$/);
    const { user_id, secret_code } = readAsFrontEnd(signIn);
    expect(user_id).toBe(id);
    const verify = { code: secret_code, code_type: 'email' };
    expect((await harness.admin('POST', `/user/${id}/verify/code`, verify)).status).toBe(204);
  });

  it('are also the first administrator’s', async () => {
    const admin = { name: 'Ada Admin', email_address: 'first@example.org', mobile_number: '07700900123' };
    expect(readAsFrontEnd(await createFirstAdmin(harness.app, admin))).toMatchObject({ email: 'first@example.org' });
  });

  it('can be read through the API, for their own purpose, until they expire', async () => {
    const id = await aUser(harness, { email_address: 'bea@example.org' });
    const token = tokenOf(await linkOf(`/user/${id}/email-verification`, {}));
    expect((await check('verify-email', token)).body).toEqual({ data: { user_id: id, email: 'bea@example.org' } });
    const broken = { result: 'error', message: { token: ['Link is not valid'] } };
    expect((await check('change-email', token)).body).toEqual(broken);
    expect((await check('verify-email', `${token.slice(0, -6)}AAAA==`)).body).toEqual(broken);
    harness.clock.advance({ minutes: 60 });
    expect((await check('verify-email', token)).body.message).toEqual({ token: ['Link has expired'] });
  });

  it('end when the password changes', async () => {
    const id = await aUser(harness, { email_address: 'cay@example.org' });
    const token = tokenOf(await linkOf('/user/reset-password', { email: 'cay@example.org' }));
    const created_at = harness.clock.now().toISOString().replace('Z', '000Z');
    expect((await check('reset-password', token)).body).toEqual({ data: { email: 'cay@example.org', created_at } });
    harness.clock.advance({ seconds: 1 });
    await harness.admin('POST', `/user/${id}/update-password`, { _password: 'correct horse battery' });
    expect((await check('reset-password', token)).body.message).toEqual({ token: ['Link has expired'] });
  });
});
