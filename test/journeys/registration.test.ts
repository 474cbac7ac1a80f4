import { beforeAll, describe, expect, it } from 'vitest';
import { accountTemplates } from '../../src/users/account-messages/account-messages.ts';
import { platformServiceId } from '../../src/users/platform-user.ts';
import { useHarness } from '../kit/harness.ts';

/**
 * The life of an account, as an administrative front end sees it: over HTTP only. Codes and links are
 * read through the public API with a key of the platform's own service.
 */

const harness = useHarness({ config: { urls: { admin: 'https://admin.example' } } });
const platformUser = '6af522d0-2915-4e52-83a3-3690455a5fe6';
let platformKey: string;

beforeAll(async () => {
  const body = { name: 'bench', created_by: platformUser, key_type: 'normal' };
  const response = await harness.admin('POST', `/service/${platformServiceId}/api-key`, body);
  platformKey = `bench-${platformServiceId}-${response.body.data}`;
});

async function post(status: number, url: string, body?: unknown) {
  const response = await harness.admin('POST', url, body);
  expect(response.status, `${url}: ${response.text}`).toBe(status);
  return response.body?.data ?? response.body;
}

async function get(url: string) {
  const response = await harness.admin('GET', url);
  expect(response.status, url).toBe(200);
  return response.body.data ?? response.body;
}

interface Listed {
  template: { id: string };
  body: string;
  email_address: string | null;
  phone_number: string | null;
}

/** The newest message of a kind to a recipient. */
async function read(templateId: string, to: string): Promise<string> {
  const response = await harness.v2('GET', '/v2/notifications', platformKey);
  expect(response.status, response.text).toBe(200);
  const message = (response.body.notifications as Listed[]).find(
    ({ template, email_address, phone_number }) => template.id === templateId && (email_address ?? phone_number) === to,
  );
  return message?.body ?? '';
}

async function readCode(to: string): Promise<string> {
  return /\d{5}/.exec(await read(accountTemplates.smsCode, to))?.[0] ?? '';
}

async function readLink(templateId: string, to: string, page: string): Promise<string> {
  const link = /https?:\/\/\S+/.exec(await read(templateId, to))?.[0] ?? '';
  expect(link).toContain(`https://admin.example${page}`);
  return new URL(link).pathname.slice(page.length);
}

async function register(person: { name: string; email_address: string; mobile_number: string; password: string }) {
  const user = await post(201, '/user', person);
  expect(user.state).toBe('pending');
  await post(204, `/user/${user.id}/email-verification`, {});
  const token = await readLink(accountTemplates.emailVerification, person.email_address, '/verify-email/');
  const link = await post(200, '/user/check-link', { purpose: 'verify-email', token });
  expect(link).toEqual({ user_id: user.id, email: person.email_address });
  await signInByCode(user.id, person.mobile_number);
  expect((await post(200, `/user/${user.id}/activate`)).state).toBe('active');
  return user.id as string;
}

async function signInByCode(userId: string, mobileNumber: string): Promise<void> {
  await post(204, `/user/${userId}/sms-code`, {});
  await post(204, `/user/${userId}/verify/code`, { code: await readCode(mobileNumber), code_type: 'sms' });
}

describe('a team from registration to archiving', () => {
  const ada = {
    name: 'Ada',
    email_address: 'ada@town.example',
    mobile_number: '07700900001',
    password: 'first password',
  };
  const bob = {
    name: 'Bob',
    email_address: 'bob@town.example',
    mobile_number: '07700900002',
    password: 'second password',
  };
  let adaId: string;
  let bobId: string;
  let serviceId: string;

  it('registers: account, confirmed address, SMS code, active', async () => {
    await post(404, '/user/email', { email: ada.email_address });
    adaId = await register(ada);
    const user = await get(`/user/${adaId}`);
    expect(user).toMatchObject({ state: 'active', failed_login_count: 0 });
    expect(user.current_session_id).not.toBeNull();
    await post(204, `/user/${adaId}/email-already-registered`, { email: ada.email_address });
    expect(await read(accountTemplates.alreadyRegistered, ada.email_address)).toContain(
      'https://admin.example/sign-in',
    );
  });

  it('signs out, and in again with password and code', async () => {
    await post(200, `/user/${adaId}`, { current_session_id: null });
    const user = await post(200, '/user/email', { email: 'ADA@town.example' });
    await post(400, `/user/${user.id}/verify/password`, { password: 'a guess' });
    await post(204, `/user/${user.id}/verify/password`, { password: ada.password });
    await signInByCode(user.id, ada.mobile_number);
    expect((await get(`/user/${adaId}`)).current_session_id).not.toBeNull();
  });

  it('creates a service and invites a second person, who registers through the link', async () => {
    const service = await post(201, '/service', { name: 'Parking permits', user_id: adaId });
    serviceId = service.id;
    const invitation = { email_address: bob.email_address, from_user: adaId, permissions: 'send_messages' };
    const invite = await post(201, `/service/${serviceId}/invite`, invitation);
    const token = await readLink(accountTemplates.serviceInvite, bob.email_address, '/invitation/');
    expect(await get(`/invite/service/check/${token}`)).toEqual(invite);

    bobId = await register(bob);
    await post(201, `/service/${serviceId}/users/${bobId}`, {
      permissions: invite.permissions.split(',').map((permission: string) => ({ permission })),
      folder_permissions: invite.folder_permissions,
    });
    await post(200, `/service/${serviceId}/invite/${invite.id}`, { status: 'accepted' });
    expect((await get(`/invite/service/check/${token}`)).status).toBe('accepted');
    expect((await get(`/user/${bobId}`)).permissions).toEqual({ [serviceId]: ['send_messages'] });
  });

  it('gives the second person other permissions', async () => {
    const permissions = [{ permission: 'manage_templates' }, { permission: 'view_activity' }];
    await post(204, `/user/${bobId}/service/${serviceId}/permission`, { permissions, folder_permissions: [] });
    expect((await get(`/user/${bobId}`)).permissions).toEqual({ [serviceId]: ['manage_templates', 'view_activity'] });
    const { services } = await get(`/user/${bobId}/organisations-and-services`);
    expect(services).toEqual([{ id: serviceId, name: 'Parking permits', restricted: true, organisation: null }]);
  });

  it('notifies the second person of a new number that the first one entered', async () => {
    const change = { mobile_number: '07700900003', updated_by: adaId };
    expect((await post(200, `/user/${bobId}`, change)).mobile_number).toBe('07700900003');
    expect(await read(accountTemplates.mobileNumberChanged, '07700900003')).toContain('Ada');
  });

  it('locks the second person out after ten wrong codes, and lets them choose a new password', async () => {
    await post(204, `/user/${bobId}/sms-code`, {});
    const code = await readCode('07700900003');
    const wrong = code === '01010' ? '10101' : '01010';
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await post(400, `/user/${bobId}/verify/code`, { code: wrong, code_type: 'sms' });
    }
    await post(404, `/user/${bobId}/verify/code`, { code, code_type: 'sms' });

    await post(204, '/user/reset-password', { email: bob.email_address });
    const token = await readLink(accountTemplates.passwordReset, bob.email_address, '/new-password/');
    const link = await post(200, '/user/check-link', { purpose: 'reset-password', token });
    expect(link.email).toBe(bob.email_address);
    await post(200, `/user/${bobId}`, { email_access_validated_at: link.created_at });
    await post(200, `/user/${bobId}/reset-failed-login-count`);
    await signInByCode(bobId, '07700900003');
    harness.clock.advance({ seconds: 1 });
    await post(200, `/user/${bobId}/update-password`, { _password: 'third password' });
    await post(400, `/user/${bobId}/verify/password`, { password: bob.password });
    await post(204, `/user/${bobId}/verify/password`, { password: 'third password' });
    await post(400, '/user/check-link', { purpose: 'reset-password', token });
  });

  it('archives the second person: sign-in fails, and the address is available again', async () => {
    await post(204, `/user/${bobId}/archive`);
    expect(await get(`/user/${bobId}`)).toMatchObject({ state: 'inactive', services: [], permissions: {} });
    await post(400, `/user/${bobId}/verify/password`, { password: 'third password' });
    await post(404, '/user/email', { email: bob.email_address });
    expect((await get(`/service/${serviceId}/users`)).map(({ id }: { id: string }) => id)).toEqual([adaId]);
    await post(201, '/user', bob);
  });
});
