import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { setUpCode, setUpPath } from '../../src/console/pages/start/set-up.ts';
import { createSession } from '../../src/console/sessions/sessions.ts';
import { ensureDemo } from '../../src/operations/demo.ts';
import { accountTemplates } from '../../src/users/account-messages/account-messages.ts';
import { aService } from '../kit/builders/rows.ts';
import { useHarness } from '../kit/harness.ts';
import { aPerson } from '../kit/world/console-people.ts';
import { accessibilityProblems, overflow_px, useBrowser } from './kit/browser.ts';

const harness = useHarness({ now: '2026-11-15T14:02:00Z', config: { demo: { enabled: true } } });
const open = useBrowser(harness);
const folder = 'test/browser/output';

const email = 'ada@example.org';
const password = 'three long words';

describe.each([
  ['with script', { javaScriptEnabled: true }],
  ['without script', { javaScriptEnabled: false }],
])('the first run, %s', (_name, options) => {
  it('creates the account; then one signs in with the message that the page shows', async () => {
    mkdirSync(folder, { recursive: true });
    await ensureDemo(harness.app);
    const { page } = await open(options);
    await page.goto(`/console${setUpPath(harness.app)}`);
    if (options.javaScriptEnabled) {
      expect(await page.getByLabel('Set-up code').inputValue()).toBe(setUpCode(harness.app));
      expect(page.url()).not.toContain('#');
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.screenshot({ path: `${folder}/first-run.png` });
    } else await page.getByLabel('Set-up code').fill(setUpCode(harness.app));
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Your account is ready').waitFor();

    await page.goto('/console/account');
    await page.locator('details.menu--end > summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    const delivering = setInterval(() => void harness.deliver(), 200);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Sign in with that link' }).waitFor();
    clearInterval(delivering);
    if (options.javaScriptEnabled) {
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.screenshot({ path: `${folder}/check-your-inbox.png` });
    }
    await page.getByRole('link', { name: 'Sign in with that link' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    const { id } = (await harness.admin('POST', '/user/email', { email })).body.data;
    await harness.admin('POST', `/user/${id}/archive`);
  });
});

describe('the pages outside of the frame', () => {
  it.each([1280, 320])('show what is wrong beside the stamp, %i pixels wide', async (width) => {
    const { page } = await open({ viewport: { width, height: 900 } });
    await page.goto('/console/sign-in');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const stamp = await page.locator('.cancelled-stamp').boundingBox();
    const summary = await page.locator('.error-summary').boundingBox();
    expect((summary?.y ?? 0) - ((stamp?.y ?? 0) + (stamp?.height ?? 0))).toBeGreaterThanOrEqual(0);
    expect(await overflow_px(page)).toBe(0);
    await page.screenshot({ path: `${folder}/sign-in-errors-${width}.png` });
  });
});

describe('an invitation', () => {
  it('has a link with the name of the service, and nothing runs out of the email', async () => {
    const user = await aPerson(harness, { platform_admin: true });
    const service = await aService(harness, { name: 'Town Hall appointments', created_by_id: user.id });
    await harness.admin('POST', `/service/${service}/invite`, {
      email_address: 'sam@example.org',
      from_user: user.id,
      permissions: 'view_activity',
      auth_type: 'sms_auth',
    });
    await harness.deliver();
    const { id } = await harness.app.db
      .selectFrom('notifications')
      .select('id')
      .where('template_id', '=', accountTemplates.serviceInvite)
      .executeTakeFirstOrThrow();
    const { page, origin } = await open({ viewport: { width: 600, height: 900 } });
    const session = await createSession(harness.app, user, '');
    await page.context().addCookies([{ name: 'pennypost_session', value: session, url: origin }]);
    await page.goto(`/console/sandbox/emails/${id}/frame`);
    const link = page.getByRole('link', { name: 'Join Town Hall appointments' });
    expect(await link.getAttribute('href')).toMatch(/\/console\/invitation\/[^)]+$/);
    expect(await overflow_px(page)).toBe(0);
    await page.screenshot({ path: `${folder}/invitation.png` });
    await harness.admin('POST', `/user/${user.id}/archive`);
  });
});
