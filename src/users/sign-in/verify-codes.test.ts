import { describe, expect, it } from 'vitest';
import { aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { sentBy } from '../../../test/kit/world/account-messages.ts';
import { accountTemplates } from '../account-messages/account-messages.ts';
import { newSmsCode } from './verify-codes.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { urls: { admin: 'https://admin.example' } } });
const unknown = '4f46df42-0000-4cc4-83bb-65ca312f49cc';
const notFound = { result: 'error', message: 'No result found' };

const send = (kind: 'sms' | 'email', userId: string, body?: unknown) =>
  sentBy(harness, () => harness.admin('POST', `/user/${userId}/${kind}-code`, body));

async function storedCodes(userId: string) {
  return harness.app.db.selectFrom('verify_codes').selectAll().where('user_id', '=', userId).execute();
}

describe('POST /user/{user_id}/sms-code', () => {
  it.each([[{}], [null], [undefined], [{ to: null }], [{ to: '' }]])(
    '204 for %j; sends a code to the user’s number',
    async (body) => {
      const id = await aUser(harness, { mobile_number: '07700900111' });
      const { answer, sent } = await send('sms', id, body);
      expect(answer.status).toBe(204);
      expect(answer.text).toBe('');
      expect(sent).toMatchObject([{ template_id: accountTemplates.smsCode, recipient: '07700900111' }]);
      expect(sent[0]?.personalisation.verify_code).toMatch(/^\d{5}$/);
      const [stored] = await storedCodes(id);
      expect(stored).toMatchObject({ code_type: 'sms', used: false });
      expect(Date.parse(String(stored?.expires_at)) - harness.clock.now().getTime()).toBe(30 * 60_000);
      // As a whole word: ids and digests may contain any five digits.
      expect(JSON.stringify(stored)).not.toMatch(new RegExp(`\\b${sent[0]?.personalisation.verify_code}\\b`));
    },
  );

  it('204 to another number', async () => {
    const { answer, sent } = await send('sms', await aUser(harness), { to: '+447700900222' });
    expect(answer.status).toBe(204);
    expect(sent).toMatchObject([{ recipient: '+447700900222' }]);
  });

  it('204 without sending while five codes of any type are live, whatever the body', async () => {
    const id = await aUser(harness);
    for (const kind of ['sms', 'sms', 'sms', 'email', 'email'] as const) {
      expect((await send(kind, id)).sent).toHaveLength(1);
    }
    for (const body of [{}, { nonsense: true }]) {
      const { answer, sent } = await send('sms', id, body);
      expect(answer.status).toBe(204);
      expect(sent).toEqual([]);
    }
    expect(await storedCodes(id)).toHaveLength(5);
    harness.clock.advance({ minutes: 30 });
    expect((await send('sms', id)).sent).toHaveLength(1);
  });

  it('204 for 20 concurrent requests; sends five', async () => {
    const id = await aUser(harness);
    const { sent } = await sentBy(harness, () =>
      Promise.all(Array.from({ length: 20 }, () => harness.admin('POST', `/user/${id}/sms-code`, {}))),
    );
    expect(sent).toHaveLength(5);
  });

  it.each([
    ['12345', 'Mobile number is too short'],
    ['079123456789012', 'Mobile number is too long'],
    ['07700900a22', 'Mobile numbers can only include: 0 1 2 3 4 5 6 7 8 9 ( ) + -'],
    ['+850 192 123 4567', 'Country code not found - double check the mobile number you entered'],
    ['020 7946 0123', 'This does not look like a UK mobile number – double check the mobile number you entered'],
    ['07700 90012', 'Number is not valid – double check the phone number you entered'],
  ])('400 for the number %s; stores no code', async (to, message) => {
    const id = await aUser(harness);
    const { answer, sent } = await send('sms', id, { to });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message });
    expect(sent).toEqual([]);
    expect(await storedCodes(id)).toEqual([]);
  });

  it('400 when the user has no number and none is given', async () => {
    const id = await aUser(harness);
    await harness.admin('POST', `/user/${id}`, { auth_type: 'email_auth', mobile_number: null });
    expect((await send('sms', id)).answer.body).toEqual({ result: 'error', message: "Recipient can't be empty" });
  });

  it.each([
    [{ to: 5 }, { to: ['Not a valid string.'] }],
    [{ email: 'x' }, { _schema: ['Unknown field name email'] }],
  ])('400 for %j', async (body, message) => {
    const { answer } = await send('sms', await aUser(harness), body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message });
  });

  it('404 for an unknown user, before validating the body', async () => {
    expect((await send('sms', unknown, { to: 5 })).answer.body).toEqual(notFound);
  });

  it('404 for another kind of code', async () => {
    expect((await harness.admin('POST', `/user/${unknown}/smoke-code`, {})).status).toBe(404);
  });
});

describe('POST /user/{user_id}/email-code', () => {
  it('204; sends a link to the user’s address', async () => {
    const id = await aUser(harness, { name: 'Ada', email_address: 'ada@example.org' });
    const { answer, sent } = await send('email', id, {});
    expect(answer.status).toBe(204);
    expect(sent).toMatchObject([
      { template_id: accountTemplates.emailCode, recipient: 'ada@example.org', personalisation: { name: 'Ada' } },
    ]);
    expect(sent[0]?.personalisation.url).toMatch(/^https:\/\/admin\.example\/email-auth\/[\w-]+$/);
  });

  it('204 with another front end and a redirect', async () => {
    const body = { to: null, email_auth_link_host: 'https://other.example', next: '/services?a=b c' };
    const { sent } = await send('email', await aUser(harness), body);
    expect(sent[0]?.personalisation.url).toMatch(
      /^https:\/\/other\.example\/email-auth\/[\w-]+\?next=%2Fservices%3Fa%3Db\+c$/,
    );
  });

  it('204; treats null like a missing field', async () => {
    const { sent } = await send('email', await aUser(harness), { email_auth_link_host: null, next: null });
    expect(sent[0]?.personalisation.url).toMatch(/^https:\/\/admin\.example\/email-auth\/[\w-]+$/);
  });

  it.each([
    [{ to: 'x@example.org' }, { to: ['Not valid.'] }],
    [
      { next: 5, email_auth_link_host: 5 },
      { next: ['Not a valid string.'], email_auth_link_host: ['Not a valid string.'] },
    ],
    [{ email: 'x' }, { _schema: ['Unknown field name email'] }],
  ])('400 for %j', async (body, message) => {
    const { answer } = await send('email', await aUser(harness), body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message });
  });

  it('404 for an unknown user', async () => {
    expect((await send('email', unknown)).answer.body).toEqual(notFound);
  });
});

describe('newSmsCode', () => {
  it('has five digits, no repeated adjacent digits, and every digit in every position', () => {
    const codes = Array.from({ length: 2_000 }, newSmsCode);
    expect(codes.filter((code) => !/^\d{5}$/.test(code) || /(\d)\1/.test(code))).toEqual([]);
    for (const place of [0, 1, 2, 3, 4]) expect(new Set(codes.map((code) => code[place])).size).toBe(10);
  });
});
