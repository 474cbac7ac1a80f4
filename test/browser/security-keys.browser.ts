import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSession } from '../../src/console/sessions/sessions.ts';
import { useHarness } from '../kit/harness.ts';
import { aPerson, password } from '../kit/world/console-people.ts';
import { useBrowser } from './kit/browser.ts';
import { aLocalhostAddress, serveAt } from './kit/localhost.ts';
import { problemsInEveryLook } from './kit/looks.ts';

const harness = useHarness({ now: '2026-11-15T14:02:00Z' });
const open = useBrowser(harness);
let baseURL: string;

// Browsers allow keys at localhost only by that name, which the server has to know with its port.
beforeAll(async () => {
  const address = await aLocalhostAddress();
  baseURL = address.baseURL;
  await serveAt(harness, address);
});

async function plugInKey(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'usb', hasResidentKey: false, hasUserVerification: false },
  });
}

async function givePassword(page: Page, email: string): Promise<void> {
  await page.goto('/console/sign-in');
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The browser forgets a key that is plugged in when the size of its text changes. */
const looks = { largeText: false };

const isShown = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

describe('a security key in the browser', () => {
  it('is registered, signs in, gets another name and is deleted', async () => {
    const user = await aPerson(harness, { auth_type: 'email_auth' });
    const { page } = await open({ baseURL });
    await plugInKey(page);
    const token = await createSession(harness.app, user, 'Test browser');
    await page.context().addCookies([{ name: 'pennypost_session', value: token, url: baseURL }]);

    await page.goto('/console/account/security-keys');
    await page.getByRole('link', { name: 'Add a key' }).click();
    await page.getByLabel('Name of the key').fill('Blue key at work');
    await page.getByRole('textbox', { name: 'Current password' }).fill(password);
    await press(page, 'Continue');
    await page.getByRole('button', { name: 'Register the key' }).waitFor();
    expect(await problemsInEveryLook(page, 'security-key-touch', looks)).toEqual([]);
    await press(page, 'Register the key');
    await isShown(page, 'Security keys');
    expect(await page.getByRole('status').first().textContent()).toContain('Security key added.');
    expect(await problemsInEveryLook(page, 'security-keys', looks)).toEqual([]);

    await page.goto('/console/account/security-keys/new');
    await page.getByLabel('Name of the key').fill('The same key');
    await page.getByRole('textbox', { name: 'Current password' }).fill(password);
    await press(page, 'Continue');
    await press(page, 'Register the key');
    await page.getByRole('alert').getByText('registered already').waitFor();

    await page.context().clearCookies();
    await givePassword(page, user.email_address);
    await isShown(page, 'Use your security key');
    expect(await problemsInEveryLook(page, 'sign-in-security-key', looks)).toEqual([]);
    await press(page, 'Use the key');
    await isShown(page, 'Your services');

    await page.goto('/console/account/security-keys');
    await page.getByRole('link', { name: 'Rename Blue key at work' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Green key');
    await press(page, 'Save');
    await page.getByRole('link', { name: 'Rename Green key' }).waitFor();
    await page.getByRole('link', { name: 'Delete Green key' }).click();
    await page.getByRole('textbox', { name: 'Current password' }).fill(password);
    await press(page, 'Delete this key');
    await page.getByText('No security keys yet').waitFor();
    await page.context().close();
  });

  it('says that it needs script where there is none, and leaves another way', async () => {
    const user = await aPerson(harness, { auth_type: 'email_auth' });
    await harness.app.db
      .insertInto('webauthn_credentials')
      .values({
        ...{ id: user.id, user_id: user.id, name: 'Key', credential_data: 'x', registration_response: 'x' },
        ...{ credential_id: 'AAAA', rp_id: 'localhost', public_key: Buffer.alloc(1), sign_count: 0 },
        ...{ transports: [], created_at: '2026-11-15T14:02:00Z' },
      })
      .execute();
    const { page } = await open({ baseURL, javaScriptEnabled: false });
    await givePassword(page, user.email_address);
    await page.getByText('Security keys need JavaScript.').waitFor();
    expect(await page.getByRole('button', { name: 'Use the key' }).isVisible()).toBe(false);
    await press(page, 'Send an email link');
    await isShown(page, 'Check your inbox');
    await page.context().close();
  });
});
