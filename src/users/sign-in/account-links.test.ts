import { describe, expect, it } from 'vitest';
import { aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { sentBy } from '../../../test/kit/world/account-messages.ts';
import { accountTemplates } from '../account-messages/account-messages.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { urls: { admin: 'https://admin.example' } } });
const unknown = '4f46df42-0000-4cc4-83bb-65ca312f49cc';
const notFound = { result: 'error', message: 'No result found' };

const post = (url: string, body?: unknown) => sentBy(harness, () => harness.admin('POST', url, body));
const check = (purpose: string, token: string) => harness.admin('POST', '/user/check-link', { purpose, token });
const tokenOf = (url: string | undefined) => String(url).split('?')[0]?.split('/').at(-1) ?? '';

const badEmails: [unknown, string][] = [
  [{}, 'Missing data for required field.'],
  [{ email: null }, 'Field may not be null.'],
  [{ email: 5 }, 'Not a valid string.'],
  [{ email: 'x' }, 'Not a valid email address'],
];

describe('POST /user/reset-password', () => {
  it('204; sends the link to the address as typed; the link contains the stored address', async () => {
    await aUser(harness, { name: 'Ada', email_address: 'Ada@example.org' });
    const { answer, sent } = await post('/user/reset-password', { email: 'ADA@example.org' });
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect(sent).toMatchObject([
      {
        template_id: accountTemplates.passwordReset,
        recipient: 'ADA@example.org',
        personalisation: { user_name: 'Ada' },
      },
    ]);
    const url = sent[0]?.personalisation.url;
    expect(url).toMatch(/^https:\/\/admin\.example\/new-password\/[\w-]+$/);
    expect((await check('reset-password', tokenOf(url))).body).toEqual({
      data: { email: 'Ada@example.org', created_at: '2026-11-15T12:00:00.000000Z' },
    });
  });

  it('204 with another front end and a redirect', async () => {
    await aUser(harness, { email_address: 'next@example.org' });
    const body = { email: 'next@example.org', admin_base_url: 'https://other.example', next: '/services' };
    const { sent } = await post('/user/reset-password', body);
    expect(sent[0]?.personalisation.url).toMatch(/^https:\/\/other\.example\/new-password\/[\w-]+\?next=%2Fservices$/);
  });

  it.each(badEmails)('400 for %j', async (body, text) => {
    const { answer } = await post('/user/reset-password', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message: { email: [text] } });
  });

  it('400 for null in optional text fields', async () => {
    const { answer } = await post('/user/reset-password', { email: 'a@example.org', admin_base_url: null, next: null });
    const text = ['Field may not be null.'];
    expect(answer.body.message).toEqual({ admin_base_url: text, next: text });
  });

  it('404 for an unknown address', async () => {
    const { answer, sent } = await post('/user/reset-password', { email: 'nobody@example.org' });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(notFound);
    expect(sent).toEqual([]);
  });
});

describe('POST /user/{user_id}/email-verification', () => {
  it('204; sends a link to the stored address and ignores other keys', async () => {
    const id = await aUser(harness, { name: 'Nia', email_address: 'nia@example.org' });
    const { answer, sent } = await post(`/user/${id}/email-verification`, { to: 'x@example.org', extra: 1 });
    expect(answer.status).toBe(204);
    expect(sent).toMatchObject([
      {
        template_id: accountTemplates.emailVerification,
        recipient: 'nia@example.org',
        personalisation: { name: 'Nia' },
      },
    ]);
    const url = sent[0]?.personalisation.url;
    expect(url).toMatch(/^https:\/\/admin\.example\/verify-email\/[\w-]+$/);
    expect((await check('verify-email', tokenOf(url))).body.data).toEqual({ user_id: id, email: 'nia@example.org' });
  });

  it('204 with another front end', async () => {
    const id = await aUser(harness);
    const { sent } = await post(`/user/${id}/email-verification`, { admin_base_url: 'https://other.example' });
    expect(sent[0]?.personalisation.url).toMatch(/^https:\/\/other\.example\/verify-email\//);
  });

  it('204 without a body', async () => {
    expect((await post(`/user/${await aUser(harness)}/email-verification`)).answer.status).toBe(204);
  });

  it('404 for an unknown user', async () => {
    expect((await post(`/user/${unknown}/email-verification`)).answer.body).toEqual(notFound);
  });
});

describe('POST /user/{user_id}/change-email-verification', () => {
  it('204; sends a link to the new address and changes nothing yet', async () => {
    const id = await aUser(harness, { name: 'Cy', email_address: 'old@example.org' });
    const { answer, sent } = await post(`/user/${id}/change-email-verification`, { email: 'new@example.org' });
    expect(answer.status).toBe(204);
    expect(sent).toMatchObject([
      {
        template_id: accountTemplates.changeEmail,
        recipient: 'new@example.org',
        personalisation: { name: 'Cy', feedback_url: 'https://admin.example/support' },
      },
    ]);
    const url = sent[0]?.personalisation.url;
    expect(url).toMatch(/^https:\/\/admin\.example\/your-account\/email\/confirm\/[\w-]+$/);
    expect((await check('change-email', tokenOf(url))).body.data).toEqual({ user_id: id, email: 'new@example.org' });
    expect((await harness.admin('GET', `/user/${id}`)).body.data.email_address).toBe('old@example.org');
  });

  it.each(badEmails)('400 for %j', async (body, text) => {
    const { answer } = await post(`/user/${await aUser(harness)}/change-email-verification`, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message: { email: [text] } });
  });

  it('404 for an unknown user, before validating the body', async () => {
    expect((await post(`/user/${unknown}/change-email-verification`, {})).answer.body).toEqual(notFound);
  });
});

describe('POST /user/{user_id}/email-already-registered', () => {
  it('204; sends the sign-in link', async () => {
    const id = await aUser(harness);
    const { answer, sent } = await post(`/user/${id}/email-already-registered`, { email: 'again@example.org' });
    expect(answer.status).toBe(204);
    expect(sent).toMatchObject([
      {
        template_id: accountTemplates.alreadyRegistered,
        recipient: 'again@example.org',
        personalisation: {
          signin_url: 'https://admin.example/sign-in',
          forgot_password_url: 'https://admin.example/forgot-password',
          feedback_url: 'https://admin.example/support',
        },
      },
    ]);
  });

  it.each(badEmails)('400 for %j', async (body, text) => {
    const { answer } = await post(`/user/${await aUser(harness)}/email-already-registered`, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ result: 'error', message: { email: [text] } });
  });

  it('404 for an unknown user', async () => {
    const { answer } = await post(`/user/${unknown}/email-already-registered`, { email: 'x@example.org' });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(notFound);
  });
});

describe('POST /user/check-link', () => {
  async function aResetLink(): Promise<{ user: string; token: string }> {
    const email = `${Math.random()}@example.org`;
    const user = await aUser(harness, { email_address: email });
    const { sent } = await post('/user/reset-password', { email });
    return { user, token: tokenOf(sent[0]?.personalisation.url) };
  }
  const refusal = (text: string) => ({ result: 'error', message: { token: [text] } });

  it('400 after an hour', async () => {
    const { token } = await aResetLink();
    harness.clock.advance({ minutes: 59 });
    expect((await check('reset-password', token)).status).toBe(200);
    harness.clock.advance({ minutes: 1 });
    const answer = await check('reset-password', token);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(refusal('Link has expired'));
  });

  it('400 for a password link after the password was changed', async () => {
    const { user, token } = await aResetLink();
    harness.clock.advance({ seconds: 1 });
    await harness.admin('POST', `/user/${user}/update-password`, { _password: 'new' });
    expect((await check('reset-password', token)).body).toEqual(refusal('Link has expired'));
  });

  it('400 for a password link of an archived user', async () => {
    const { user, token } = await aResetLink();
    await harness.admin('POST', `/user/${user}/archive`);
    expect((await check('reset-password', token)).status).toBe(400);
  });

  it('400 for another purpose, a modified token and a malformed token', async () => {
    const { token } = await aResetLink();
    const altered = token.slice(0, -2) + (token.endsWith('AA') ? 'BB' : 'AA');
    for (const [purpose, text] of [
      ['verify-email', token],
      ['reset-password', altered],
      ['reset-password', 'nonsense'],
      ['reset-password', ''],
    ] as const) {
      const answer = await check(purpose, text);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(refusal('Link is not valid'));
    }
  });
});
