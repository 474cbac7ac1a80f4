import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useHarness } from '../kit/harness.ts';
import { anOpenIdProvider, type OpenIdProvider, openIdClient } from '../kit/vendors/openid-provider.ts';
import { useBrowser } from './kit/browser.ts';
import { aLocalhostAddress, serveAt } from './kit/localhost.ts';
import { problemsInEveryLook } from './kit/looks.ts';

const harness = useHarness({ now: '2026-11-15T14:02:00Z' });
const open = useBrowser(harness, (url) => url.startsWith(provider.issuer));
let provider: OpenIdProvider;
let baseURL: string;
let strictURL: string;

beforeAll(async () => {
  const [address, strict] = [await aLocalhostAddress(), await aLocalhostAddress()];
  baseURL = address.baseURL;
  strictURL = strict.baseURL;
  provider = await anOpenIdProvider([`${baseURL}/console/sign-in/single-sign-on/callback`]);
  const singleSignOn = {
    issuer: provider.issuer,
    clientId: openIdClient.id,
    clientSecret: openIdClient.secret,
    allowedDomains: ['example.org'],
    buttonLabel: 'Sign in with Town Hall',
  };
  await serveAt(harness, address, { singleSignOn });
  await serveAt(harness, strict, { singleSignOn: { ...singleSignOn, localSignIn: 'platform-admins' } });
});
afterAll(() => provider?.stop());

describe('single sign-on in the browser', () => {
  it.each([
    ['with script', { javaScriptEnabled: true }],
    ['without script', { javaScriptEnabled: false }],
  ])('leads to the page that was asked for, %s', async (_name, options) => {
    provider.person = { sub: 'grace', name: 'Grace Hopper', email: 'grace@example.org', email_verified: true };
    const { page } = await open({ baseURL, ...options });
    await page.goto('/console/account');
    if (options.javaScriptEnabled) expect(await problemsInEveryLook(page, 'single-sign-on')).toEqual([]);
    await page.getByRole('link', { name: 'Sign in with Town Hall' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
    expect(await page.getByText('grace@example.org').isVisible()).toBe(true);
    await page.context().close();
  });

  it('says why somebody is not signed in', async () => {
    provider.person = { sub: 'eve', name: 'Eve', email: 'eve@evil.example', email_verified: true };
    const { page } = await open({ baseURL });
    await page.goto('/console/sign-in');
    await page.getByRole('link', { name: 'Sign in with Town Hall' }).click();
    await page.getByRole('heading', { level: 1, name: 'You are not signed in' }).waitFor();
    expect(await problemsInEveryLook(page, 'single-sign-on-refused')).toEqual([]);
    await page.context().close();
  });

  it('shows the password to platform administrators who ask for it', async () => {
    const { page } = await open({ baseURL: strictURL });
    await page.goto('/console/sign-in');
    expect(await page.getByLabel('Email address').isVisible()).toBe(false);
    await page.getByText('Platform administrators can sign in with a password').click();
    expect(await problemsInEveryLook(page, 'single-sign-on-strict')).toEqual([]);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Email address').isVisible()).toBe(true);
    await page.context().close();
  });
});
