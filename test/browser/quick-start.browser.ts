import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSession } from '../../src/console/sessions/sessions.ts';
import { type Demo, ensureDemo } from '../../src/operations/demo.ts';
import { creatorPermissions } from '../../src/users/members/permissions.ts';
import { getUserRecord } from '../../src/users/user-record.ts';
import { useHarness } from '../kit/harness.ts';
import { aPerson } from '../kit/world/console-people.ts';
import { accessibilityProblems, type Opened, useBrowser } from './kit/browser.ts';
import { problemsInEveryLook, takePicture } from './kit/looks.ts';

const harness = useHarness({ now: '2026-11-16T14:02:11Z', config: { demo: { enabled: true } } });
const open = useBrowser(harness);

let demo: Demo;
let userId: string;
let worker: NodeJS.Timeout;
let isWorking = false;

beforeAll(async () => {
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

/** Playwright needs script to measure visibility, so this compares positions. */
async function isInView(locator: Locator): Promise<boolean> {
  const box = await locator.boundingBox();
  return box !== null && box.y >= 0 && box.y + box.height <= 900;
}

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

  it('says what is wrong beside the field, with the focus on the summary', async () => {
    const page = await signedInPage();
    await page.goto('/console/quick-start');
    await page.getByLabel('To', { exact: true }).fill('12');
    await page.getByRole('button', { name: 'Send it from here' }).click();
    expect(await page.locator('.error-summary').evaluate((one) => one.matches(':focus'))).toBe(true);
    await page.getByRole('link', { name: 'Enter a phone number' }).click();
    expect(await page.getByLabel('To', { exact: true }).evaluate((one) => one.matches(':focus'))).toBe(true);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it.each([true, false])('shows where a sent message arrives, with script: %s', async (javaScriptEnabled) => {
    const page = await signedInPage({ javaScriptEnabled, viewport: { width: 1_280, height: 900 } });
    await page.goto('/console/quick-start');
    const button = page.getByRole('button', { name: 'Send it from here' });
    await button.focus();
    await page.keyboard.press('Enter');
    const notice = page.getByText('Sent. Watch it arrive below.');
    await notice.waitFor();
    expect(await isInView(notice)).toBe(true);
    const heading = page.getByRole('heading', { name: 'Watch it arrive' });
    if (javaScriptEnabled) {
      expect(await heading.evaluate((one) => one.matches(':focus'))).toBe(true);
      const status = page.locator('#way [role="status"]').filter({ hasText: 'Accepted' });
      const before = await status.elementHandle();
      await status.getByText('Delivered', { exact: true }).waitFor();
      // A live region that is replaced is not announced.
      expect(await before?.evaluate((one) => one.isConnected)).toBe(true);
    }
    expect(await isInView(page.locator('#way').getByText('Accepted'))).toBe(true);
  });

  it('is accessible and fits while a message arrives', async () => {
    const page = await signedInPage();
    await page.goto('/console/quick-start');
    await page.getByRole('button', { name: 'Send it from here' }).click();
    await page.locator('#way').getByText('Delivered', { exact: true }).waitFor();
    expect(await problemsInEveryLook(page, 'quick-start-sent')).toEqual([]);
    await takePicture(page, 'quick-start', { visible_px: 1_140 });
  });
});
