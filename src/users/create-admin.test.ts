import { afterEach, describe, expect, it } from 'vitest';
import { aNewUser, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { createFirstAdmin } from './create-admin.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { urls: { admin: 'https://admin.example' } } });
const admin = { name: 'Ada Admin', email_address: 'ada@example.org', mobile_number: '07700900123' };
const create = (change: Partial<typeof admin> = {}) => createFirstAdmin(harness.app, { ...admin, ...change });

async function checkLink(link: string) {
  const token = link.split('/').at(-1);
  return harness.admin('POST', '/user/check-link', { purpose: 'reset-password', token });
}

const find = async (email: string) => (await harness.admin('POST', '/user/email', { email })).body.data;

afterEach(async () => {
  const admins = harness.app.db.selectFrom('users').select('id').where('platform_admin', '=', true);
  for (const { id } of await admins.execute()) await harness.admin('POST', `/user/${id}/archive`);
});

describe('pennypost create-admin', () => {
  it('creates a platform administrator who chooses the password through a link', async () => {
    const link = await create();
    expect(link).toMatch(/^https:\/\/admin\.example\/new-password\/[\w-]+$/);
    const user = await find('ada@example.org');
    expect(user).toMatchObject({ ...admin, state: 'active', platform_admin: true, auth_type: 'sms_auth' });
    const check = (password: string) => harness.admin('POST', `/user/${user.id}/verify/password`, { password });
    expect((await check('none')).status).toBe(400);
    expect((await check('')).status).toBe(400);
    expect((await checkLink(link)).body.data.email).toBe('ada@example.org');

    harness.clock.advance({ seconds: 1 });
    await harness.admin('POST', `/user/${user.id}/update-password`, { _password: 'correct horse' });
    expect((await check('correct horse')).status).toBe(204);
    expect((await checkLink(link)).body.message).toEqual({ token: ['Link has expired'] });
  });

  it('returns a new link until a password is chosen', async () => {
    const link = await create();
    const { id } = await find('ada@example.org');
    harness.clock.advance({ hours: 1 });
    expect((await checkLink(link)).status).toBe(400);
    expect((await checkLink(await create({ email_address: 'ADA@example.org' }))).status).toBe(200);
    expect((await find('ada@example.org')).id).toBe(id);
    await harness.admin('POST', `/user/${id}/update-password`, { _password: 'correct horse' });
    await expect(create()).rejects.toThrow('There is a platform administrator already: ada@example.org');
  });

  it('fails when there is another administrator, pending or active', async () => {
    const other = aNewUser({ platform_admin: true, email_address: 'grace@example.org' });
    await harness.admin('POST', '/user', other);
    await expect(create()).rejects.toThrow('There is a platform administrator already: grace@example.org');
    expect(await find('ada@example.org')).toBeUndefined();
  });

  it('rejects the address of an existing account and does not promote it', async () => {
    const id = await aUser(harness, { email_address: 'User@example.org' });
    await expect(create({ email_address: 'user@EXAMPLE.org' })).rejects.toThrow('has an account already');
    expect((await harness.admin('GET', `/user/${id}`)).body.data.platform_admin).toBe(false);
  });

  it('creates only one administrator when run twice concurrently', async () => {
    const results = await Promise.allSettled([create(), create({ email_address: 'grace@example.org' })]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it.each([
    [{ name: ' ' }, 'The name is empty.'],
    [{ email_address: 'nonsense' }, 'The email address is not valid.'],
    [{ email_address: `${'a'.repeat(250)}@example.org` }, 'The email address is not valid.'],
    [
      { mobile_number: '020 7946 0123' },
      'The mobile number is not valid. Invalid phone number: Not a UK mobile number.',
    ],
    [{ name: '', mobile_number: '1' }, 'The name is empty.\nThe mobile number is not valid.'],
  ])('rejects %j', async (change, words) => {
    await expect(create(change)).rejects.toThrow(words);
    expect(await find('ada@example.org')).toBeUndefined();
  });
});
