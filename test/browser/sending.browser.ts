import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSession } from '../../src/console/sessions/sessions.ts';
import { aService, aTemplate } from '../kit/builders/rows.ts';
import { useHarness } from '../kit/harness.ts';
import { aPerson, joinService } from '../kit/world/console-people.ts';
import { accessibilityProblems, useBrowser } from './kit/browser.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const open = useBrowser(harness);

let service: string;
let template: string;
let token: string;

beforeAll(async () => {
  const user = await aPerson(harness, { name: 'Grace Hopper' });
  service = await aService(harness, { name: 'Town Hall' });
  await joinService(harness, service, user.id);
  template = await aTemplate(harness, service, { name: 'Reminder', content: 'Hello ((name)), see you on ((day)).' });
  token = await createSession(harness.app, user, 'Test browser');
});

async function openPage(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const { page, origin } = await open(options);
  await page.context().addCookies([{ name: 'pennypost_session', value: token, url: origin }]);
  await page.goto(`/console/services/${service}${path}`);
  return page;
}

const messageCount = async () =>
  (await harness.admin('GET', `/service/${service}/notifications?page_size=50`)).body.notifications.length;

describe('sending to one person', () => {
  it('shows the message while it is typed, and sends it once on a double click', async () => {
    const page = await openPage(`/send/${template}`);
    await page.getByLabel('name', { exact: true }).fill('Ada');
    await page.getByLabel('Preview').getByText('Hello Ada, see you on ((day)).').waitFor();
    await page.getByLabel('day', { exact: true }).fill('Friday');
    await page.getByLabel('Phone number').fill('07700 900123');
    await page.getByLabel('Phone number').press('Enter');
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send', exact: true }).dblclick();
    // The second click may abort the page that the first one loads.
    await expect.poll(() => page.url()).toMatch(/\/messages\//);
    expect(await messageCount()).toBe(1);
  });
});

describe('the time to send', () => {
  it('is now, or a day and an hour that appear with Later', async () => {
    const page = await openPage(`/send/${template}`);
    await page.getByLabel('Send on').waitFor({ state: 'hidden' });
    await page.getByLabel('Later').check();
    await page.getByLabel('Send on').waitFor();
    expect([await page.getByLabel('Send on').inputValue(), await page.getByLabel('Send at').inputValue()]).toEqual([
      '2026-11-17',
      '9',
    ]);
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});

describe('a template with a long name', () => {
  it('fits on a phone', async () => {
    await aTemplate(harness, service, { name: 'x'.repeat(72) });
    const page = await openPage('/send', { viewport: { width: 320, height: 640 } });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  });
});

const rows = 100_000;
const csv = Buffer.from(
  `phone number,name,day\n${Array.from({ length: rows }, (_, index) => `07700900${String(index % 1_000).padStart(3, '0')},Person ${index},Friday\n`).join('')}`,
);

describe.each<[string, BrowserContextOptions]>([
  ['with script', {}],
  ['without script', { javaScriptEnabled: false }],
])('a file of 100,000 rows, %s', (name, options) => {
  it('is checked and sent, and the page can be used all the time', async () => {
    const page = await openPage(`/files/new/${template}`, options);
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: `${name}.csv`, mimeType: 'text/csv', buffer: csv });
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText(/of 100,000 rows are checked/).waitFor();
    const checked = harness.runTasks();
    await longestWhile(checked, page);
    await page.reload();
    await page.getByText('Send to 100,000 rows').waitFor();
    await page.getByRole('button', { name: 'Send to 100,000 rows' }).click();
    await page.getByText('On their way').waitFor();
    const sent = harness.runTasks();
    expect(await longestWhile(sent, page)).toBeLessThan(5_000);
    await page.reload();
    await page.getByText('100,000', { exact: true }).first().waitFor();
  }, 600_000);
});

/** Loads the page again and again until the work is done, and says how long the longest took. */
async function longestWhile(work: Promise<void>, page: Page): Promise<number> {
  let isDone = false;
  let longest_ms = 0;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const began = performance.now();
    await page.reload();
    longest_ms = Math.max(longest_ms, performance.now() - began);
  }
  await done;
  return longest_ms;
}
