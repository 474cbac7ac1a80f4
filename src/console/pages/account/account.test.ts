import { describe, expect, it } from 'vitest';
import { useHarness } from '../../../../test/kit/harness.ts';
import { accountMessages } from '../../../../test/kit/world/account-messages.ts';
import { aPerson, password, signedIn } from '../../../../test/kit/world/console-people.ts';
import { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';
import { accountTemplates } from '../../../users/account-messages/account-messages.ts';
import { deviceName } from './devices.pages.tsx';

const { previousEmailAddress, previousMobileNumber } = accountTemplates;

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

const lastMessage = async () => (await accountMessages(harness)).at(-1);
const pathOf = (url = '') => url.replace(/^https?:\/\/[^/]+/, '');
const recordOf = async (id: string) => (await harness.admin('GET', `/user/${id}`)).body.data;

async function aVisitor() {
  const user = await aPerson(harness);
  return { user, visitor: await signedIn(harness, user.id) };
}

describe('your account', () => {
  it('changes the name', async () => {
    const { user, visitor } = await aVisitor();
    expect((await visitor.post('/console/account/name', { name: ' ' })).problems).toEqual({ name: 'Enter your name.' });
    const page = await visitor.post('/console/account/name', { name: ' Ada <b>King</b> ' });
    const account = await visitor.follow(page);
    expect(account.text).toContain('Name changed.');
    expect(account.text).toContain('Ada &lt;b>King&lt;/b>');
    expect((await recordOf(user.id)).name).toBe('Ada <b>King</b>');
    expect((await visitor.get('/console/account')).text).not.toContain('Name changed.');
  });

  it('changes the address when the new one is proven, with the password', async () => {
    const { user, visitor } = await aVisitor();
    const email_address = `new-${user.id}@example.org`;
    const change = (current_password: string) =>
      visitor.post('/console/account/email', { email_address, current_password });
    expect((await change('wrong')).problems).toEqual({
      current_password: 'That is not your current password. Try again.',
    });
    expect((await change(password)).location).toBe('/console/account');
    const path = pathOf((await lastMessage())?.personalisation.url);
    expect((await lastMessage())?.recipient).toBe(email_address);
    expect((await recordOf(user.id)).email_address).toBe(user.email_address);
    const { visitor: other } = await aVisitor();
    expect([(await other.get(path)).status, (await other.post(path)).status]).toEqual([400, 400]);
    expect((await visitor.get(path)).text).toContain(email_address);
    expect((await visitor.post(path)).location).toBe('/console/account');
    expect((await recordOf(user.id)).email_address).toBe(email_address);
    // The previous address learns of the change, but not of the new address.
    const notice = await lastMessage();
    expect(notice).toMatchObject({ recipient: user.email_address, template_id: previousEmailAddress });
    expect(JSON.stringify(notice)).not.toContain(email_address);
  });

  it('400 when the new address has got an account meanwhile', async () => {
    const { visitor } = await aVisitor();
    const email_address = 'taken@example.org';
    await visitor.post('/console/account/email', { email_address, current_password: password });
    const path = pathOf((await lastMessage())?.personalisation.url);
    await aPerson(harness, { email_address });
    expect((await visitor.post(path)).problems).toEqual({
      email_address: 'Enter another email address. This one already has an account.',
    });
  });

  it('changes the number when the new one is proven, with the password', async () => {
    const { user, visitor } = await aVisitor();
    const form = { mobile_number: '07700 900789', current_password: password };
    const wrong = await visitor.post('/console/account/mobile', { ...form, mobile_number: '0770' });
    expect(wrong.problems).toEqual({ mobile_number: 'Enter a mobile number with more digits. This one is too short.' });
    expect(wrong.text).toContain('value="0770"');
    expect((await visitor.post('/console/account/mobile', form)).location).toBe('/console/account/mobile/confirm');
    expect((await lastMessage())?.recipient).toBe('07700 900789');
    expect((await visitor.post('/console/account/mobile/confirm', { code: '00000' })).status).toBe(400);
    const code = (await lastMessage())?.personalisation.verify_code ?? '';
    expect((await visitor.post('/console/account/mobile/confirm', { code })).location).toBe('/console/account');
    expect((await recordOf(user.id)).mobile_number).toBe('07700 900789');
    expect(await lastMessage()).toMatchObject({ recipient: user.mobile_number, template_id: previousMobileNumber });
    expect((await visitor.get('/console/account/mobile/confirm')).location).toBe('/console/account/mobile');
  });

  it('400 for a new number with a code that was sent to the old one, and conversely at the sign-in', async () => {
    const user = await aPerson(harness);
    const visitor = await signedIn(harness, user.id);
    const codeOf = async () => (await lastMessage())?.personalisation.verify_code ?? '';
    await visitor.post('/console/account/mobile', { mobile_number: '07700 900789', current_password: password });
    const toNewNumber = await codeOf();
    const other = new ConsoleVisitor(harness);
    await other.post('/console/sign-in', { email_address: user.email_address, password });
    const toOldNumber = await codeOf();
    await harness.admin('POST', `/user/${user.id}/sms-code`, { to: '07700 900789' });
    const ofApi = await codeOf();
    for (const code of [toOldNumber, ofApi]) {
      const page = await visitor.post('/console/account/mobile/confirm', { code });
      expect(page.problems).toEqual({ code: 'The code is wrong. Check the latest message.' });
    }
    for (const code of [toNewNumber, ofApi]) {
      expect((await other.post('/console/sign-in/code', { code })).status).toBe(400);
    }
    const verify = (code: string) => harness.admin('POST', `/user/${user.id}/verify/code`, { code, code_type: 'sms' });
    expect((await verify(toOldNumber)).status).toBe(400);
    // A new number for the same request: the code belongs to the number that it was sent to.
    await visitor.post('/console/account/mobile', { mobile_number: '07700 900999', current_password: password });
    expect((await visitor.post('/console/account/mobile/confirm', { code: toNewNumber })).status).toBe(400);
    expect((await recordOf(user.id)).mobile_number).toBe(user.mobile_number);
    expect((await verify(ofApi)).status).toBe(204);
  });

  it('400 for a sign-in link that was sent to the previous address', async () => {
    const user = await aPerson(harness, { auth_type: 'email_auth' });
    const visitor = new ConsoleVisitor(harness);
    await visitor.post('/console/sign-in', { email_address: user.email_address, password });
    const { pathname } = new URL((await lastMessage())?.personalisation.url ?? '');
    await harness.admin('POST', `/user/${user.id}`, { email_address: `moved-${user.email_address}` });
    expect((await visitor.post(pathname)).h1).toBe('This link does not work');
    await harness.admin('POST', `/user/${user.id}`, { email_address: user.email_address });
    expect((await visitor.post(pathname)).status).toBe(303);
  });

  it('changes the password and signs the other devices out', async () => {
    const { user, visitor } = await aVisitor();
    const other = await signedIn(harness, user.id);
    const change = (form: object) =>
      visitor.post('/console/account/password', { current_password: password, password: 'quite another one', ...form });
    expect((await change({ current_password: 'wrong' })).problems).toEqual({
      current_password: 'That is not your current password. Try again.',
    });
    expect((await change({ password })).problems).toEqual({
      password: 'Enter a password that is not your current one.',
    });
    harness.clock.advance({ seconds: 1 });
    expect((await change({})).location).toBe('/console/account');
    expect([(await visitor.get('/console/account')).status, (await other.get('/console/account')).status]).toEqual([
      200, 303,
    ]);
  });

  it('lists the devices, and signs one or all others out', async () => {
    const { user, visitor } = await aVisitor();
    const [second, third] = [await signedIn(harness, user.id), await signedIn(harness, user.id)];
    const page = await visitor.get('/console/account/devices');
    expect(page.text.match(/This device/g)).toHaveLength(1);
    const [session_id = ''] = [...page.text.matchAll(/name="session_id" value="([^"]+)"/g)].map(([, id]) => id);
    await visitor.post('/console/account/devices', { session_id });
    const statuses = async () =>
      Promise.all([visitor, second, third].map(async (one) => (await one.get('/console/account')).status));
    expect((await statuses()).sort()).toEqual([200, 200, 303]);
    const { visitor: stranger } = await aVisitor();
    expect((await stranger.post('/console/account/devices', { session_id })).status).toBe(404);
    await visitor.post('/console/account/devices/others');
    expect(await statuses()).toEqual([200, 303, 303]);
  });

  it('keeps the theme on the device', async () => {
    const { visitor } = await aVisitor();
    expect((await visitor.get('/console/account')).text).not.toContain('data-theme');
    await visitor.post('/console/account/theme', { theme: 'dark' });
    expect((await visitor.get('/console/account')).text).toContain('data-theme="dark"');
    expect((await visitor.post('/console/account/theme', { theme: 'x' })).status).toBe(400);
    visitor.cookies.delete('pennypost_session');
    expect((await visitor.get('/console/sign-in')).text).toContain('data-theme="dark"');
    expect((await new ConsoleVisitor(harness).get('/console/nowhere')).text).not.toContain('data-theme');
  });
});

describe('deviceName', () => {
  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 Edg/141.0',
      'Edge on Windows',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    ['Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/141.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['curl/8', 'Unknown browser'],
    ['', 'Unknown browser'],
  ])('%s', (userAgent, name) => {
    expect(String(deviceName(userAgent))).toBe(name);
  });
});
