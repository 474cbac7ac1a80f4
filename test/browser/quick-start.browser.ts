import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSession } from '../../src/console/sessions/sessions.ts';
import { type Demo, ensureDemo } from '../../src/operations/demo.ts';
import { creatorPermissions } from '../../src/users/members/permissions.ts';
import { getUserRecord } from '../../src/users/user-record.ts';
import { aPerson } from '../kit/console-people.ts';
import { useHarness } from '../kit/harness.ts';
import { accessibilityProblems, type Opened, overflow_px, useBrowser } from './kit/browser.ts';

const harness = useHarness({ now: '2026-11-16T14:02:11Z', config: { demo: { enabled: true } } });
const open = useBrowser(harness);
const folder = 'test/browser/output';

const templates = ['Appointment (text)', 'Welcome (email)', 'Reminder (letter)'];

let demo: Demo;
let userId: string;
let worker: NodeJS.Timeout;
let isWorking = false;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  demo = await ensureDemo(harness.app);
  ({ id: userId } = await aPerson(harness, {
    email_address: 'ada@example.org',
    mobile_number: null,
    auth_type: 'email_auth',
  }));
  const permissions = creatorPermissions.map((permission) => ({ permission }));
  await harness.admin('POST', `/service/${demo.service_id}/users/${userId}`, { permissions });
  // Instead of the worker of `pennypost serve`.
  worker = setInterval(async () => {
    if (isWorking) return;
    isWorking = true;
    harness.clock.advance({ seconds: 1 });
    await harness.deliver().then(() => harness.runTasks());
    isWorking = false;
  }, 500);
});

afterAll(() => clearInterval(worker));

async function signedInPage(options: Parameters<typeof open>[0] = {}): Promise<Page> {
  const { page, origin }: Opened = await open(options);
  const token = await createSession(harness.app, await getUserRecord(harness.app.db, userId), 'Browser test');
  await page.context().addCookies([{ name: 'pennypost_session', value: token, url: origin }]);
  return page;
}

/** Without script one looks again by a button. */
async function watch(page: Page, hasScript: boolean): Promise<void> {
  const way = page.locator('#way');
  for (let looked = 0; looked < 60; looked += 1) {
    if (await way.getByText('Delivered', { exact: true }).isVisible()) return;
    const print = way.getByRole('button', { name: 'Print it now' });
    if (await print.isVisible()) await print.click();
    else if (!hasScript) await way.getByRole('button', { name: 'Look again' }).click();
    await page.waitForTimeout(500);
  }
  expect(await way.textContent()).toContain('Delivered');
}

async function send(page: Page, label: string): Promise<void> {
  await page.getByLabel('Template', { exact: true }).selectOption({ label });
  await page.getByRole('button', { name: 'Use this template' }).click();
  await page.getByRole('button', { name: 'Send it from here' }).click();
  await page.getByText(/201 in \d+ ms/).waitFor();
}

describe.each([
  ['with script', true],
  ['without script', false],
])('Quick start, %s', (_name, javaScriptEnabled) => {
  it.each(templates)('sends %s and sees it delivered', async (label) => {
    const page = await signedInPage({ javaScriptEnabled });
    await page.goto('/console/quick-start');
    expect(await page.getByLabel('API key', { exact: true }).inputValue()).toBe(demo.api_key);
    await send(page, label);
    await watch(page, javaScriptEnabled);
  });
});

describe('Quick start', () => {
  it('updates the code while somebody types', async () => {
    const page = await signedInPage();
    await page.goto('/console/quick-start');
    await page.getByLabel('name', { exact: true }).fill('Grace');
    await page.locator('#code-curl').getByText('"Grace"').waitFor();
    await page.getByText('Python', { exact: true }).click();
    expect(await page.locator('#code-python').textContent()).toContain('"name": "Grace"');
    expect(await page.locator('#code-curl').isVisible()).toBe(false);
  });

  it('works with the keyboard only', async () => {
    const page = await signedInPage();
    await page.goto('/console/quick-start');
    await page.getByLabel('day', { exact: true }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('#code-node').isVisible()).toBe(true);
    for (let pressed = 0; pressed < 5; pressed += 1) {
      await page.keyboard.press('Tab');
      if (await page.getByRole('button', { name: 'Send it from here' }).evaluate((one) => one.matches(':focus'))) break;
    }
    await page.keyboard.press('Enter');
    await page.getByText(/201 in \d+ ms/).waitFor();
    await watch(page, true);
  });

  it('says what is wrong beside the field, with the focus on the summary', async () => {
    const page = await signedInPage();
    await page.goto('/console/quick-start');
    await page.getByLabel('To', { exact: true }).fill('12');
    await page.getByRole('button', { name: 'Send it from here' }).click();
    await page.getByRole('link', { name: 'Not a valid phone number' }).click();
    expect(await page.getByLabel('To', { exact: true }).evaluate((one) => one.matches(':focus'))).toBe(true);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 320],
    ['dark', 320],
  ] as const)('is accessible in %s at %i pixels', async (colorScheme, width) => {
    const page = await signedInPage({ colorScheme, viewport: { width, height: 900 } });
    for (const [name, path] of [
      ['quick-start', '/console/quick-start'],
      ['add-service', '/console/services/add'],
      ['services', '/console/services'],
      ['join', '/console/services/join'],
    ] as const) {
      await page.goto(path);
      if (name === 'quick-start') {
        await page.getByRole('button', { name: 'Send it from here' }).click();
        await watch(page, true);
      }
      expect([path, await accessibilityProblems(page)]).toEqual([path, []]);
      expect([path, await overflow_px(page)]).toEqual([path, 0]);
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png`, fullPage: true });
    }
  });
});
