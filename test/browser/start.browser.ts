import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { setUpCode, setUpPath } from '../../src/console/pages/start/set-up.ts';
import { ensureDemo } from '../../src/operations/demo.ts';
import { useHarness } from '../kit/harness.ts';
import { accessibilityProblems, useBrowser } from './kit/browser.ts';

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
