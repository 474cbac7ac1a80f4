import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../../src/platform/process/free-port.ts';
import { emptyDatabase } from '../kit/process/database.ts';
import { processEnvironment } from '../kit/process/process-environment.ts';
import { useBrowser } from './kit/browser.ts';
import { type Hands, keyboardOnly, mouse } from './kit/keyboard.ts';

const open = useBrowser();

/** What `npm start` runs, on an empty database. Returns the link that it prints. */
async function start(): Promise<{ baseURL: string; link: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-first-'));
  const database = await emptyDatabase();
  const settings = { DATABASE_URL: database.url, DATA_DIR: folder, PORT: String(await findFreePort()), DEMO: 'true' };
  const server = spawn(process.execPath, ['dist/main.js', 'serve'], { env: { ...processEnvironment, ...settings } });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  onTestFinished(async () => {
    server.kill('SIGTERM');
    await ended;
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  let printed = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (printed += chunk));
  await expect.poll(() => printed, { timeout: 90_000 }).toMatch(/console\/start#\S+/);
  const [link = ''] = /http\S+\/console\/start#[\w-]+/.exec(printed) ?? [];
  return { baseURL: new URL(link).origin, link };
}

/** Until the way of the message ends; the sandbox prints letters when asked. */
async function watch(page: Page, { press }: Hands, hasScript: boolean): Promise<void> {
  const way = page.locator('#way');
  const print = way.getByRole('button', { name: 'Print it now' });
  let isPrinted = false;
  for (let looked = 0; looked < 120; looked += 1) {
    if (await way.getByText('Delivered', { exact: true }).isVisible()) return;
    if (!isPrinted && (await print.isVisible())) {
      await press(print);
      isPrinted = true;
    } else if (!hasScript) await press(way.getByRole('button', { name: 'Look again' }));
    await page.waitForTimeout(250);
  }
  expect(await way.textContent()).toContain('Delivered');
}

/** What the sandbox shows of each message, once it is loaded. */
const seen = {
  'Appointment (text)': (page: Page) => page.getByText('Hello Ada, see you on Friday.').last().waitFor(),
  'Welcome (email)': (page: Page) => page.frameLocator('iframe').getByRole('heading', { name: 'Hello Ada' }).waitFor(),
  'Reminder (letter)': (page: Page) =>
    expect
      .poll(() =>
        page
          .locator('main img')
          .first()
          .evaluate((one) => (one as HTMLImageElement).naturalWidth),
      )
      .toBeGreaterThan(300),
};

describe.each([
  ['with script', true, mouse],
  ['without script', false, mouse],
  ['with the keyboard only', true, keyboardOnly],
] as const)('the first two minutes, %s', (_name, javaScriptEnabled, hands) => {
  it('an account; then a text, an email and a letter, sent and seen as they arrived', async () => {
    const { baseURL, link } = await start();
    const began = performance.now();
    const { page } = await open({ baseURL, javaScriptEnabled, viewport: { width: 1280, height: 900 } });
    await page.goto(link);
    const code = page.getByLabel('Set-up code');
    if (!javaScriptEnabled) await hands.fill(code, link.split('#')[1] ?? '');
    await hands.fill(page.getByLabel('Your name'), 'Ada Lovelace');
    await hands.fill(page.getByLabel('Email address'), 'ada@example.org');
    await hands.fill(page.getByRole('textbox', { name: 'Password' }), 'three long words');
    await hands.press(page.getByRole('button', { name: 'Create account' }));
    await page.getByRole('heading', { level: 1, name: 'Quick start' }).waitFor();

    for (const [template, isSeen] of Object.entries(seen)) {
      await hands.choose(page.getByLabel('Template', { exact: true }), template);
      await hands.press(page.getByRole('button', { name: 'Use this template' }));
      await page.locator(`input[name="channel"][value="${channels.get(template)}"]`).waitFor({ state: 'attached' });
      await hands.press(page.getByRole('button', { name: 'Send it from here' }));
      await page.getByText(/201 in \d+ ms/).waitFor();
      await watch(page, hands, javaScriptEnabled);
      await hands.press(page.getByRole('link', { name: 'Open it in the sandbox' }));
      await page.waitForURL(/\/console\/sandbox\//);
      await isSeen(page);
      await hands.press(page.getByRole('link', { name: 'Quick start' }));
      await page.getByRole('heading', { level: 1, name: 'Quick start' }).waitFor();
    }
    expect(performance.now() - began).toBeLessThan(120_000);
    await page.context().close();
  }, 240_000);
});

const channels = new Map([
  ['Appointment (text)', 'sms'],
  ['Welcome (email)', 'email'],
  ['Reminder (letter)', 'letter'],
]);
