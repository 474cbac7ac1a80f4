import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { claimPort } from '../kit/process/claim-port.ts';
import { emptyDatabase } from '../kit/process/database.ts';
import { processEnvironment } from '../kit/process/process-environment.ts';
import { useBrowser } from './kit/browser.ts';
import { type InputDevice, keyboardOnly, mouse } from './kit/keyboard.ts';

const open = useBrowser();

/** What `npm start` runs, on an empty database. Returns the link that it prints. */
async function start(): Promise<{ baseURL: string; link: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-first-'));
  const database = await emptyDatabase();
  const settings = { DATABASE_URL: database.url, DATA_DIR: folder, PORT: String(await claimPort()), DEMO: 'true' };
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
async function watch(page: Page, { press }: InputDevice, hasScript: boolean): Promise<void> {
  const way = page.locator('#way');
  const print = way.getByRole('button', { name: 'Print it now' });
  let isPrinted = false;
  for (let looked = 0; looked < 120; looked += 1) {
    if (await way.getByText('Delivered', { exact: true }).isVisible()) return;
    if (!isPrinted && (await print.isVisible())) {
      await press(print);
      isPrinted = true;
    } else if (!hasScript) await press(way.getByRole('button', { name: 'Refresh' }));
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
] as const)('the first five minutes, %s', (_name, javaScriptEnabled, hands) => {
  it('an account, a text, an email and a letter; then an own service, its team and its first file', async () => {
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
    await addService(page, hands);
    await writeTemplate(page, hands);
    await inviteColleagues(page, hands);
    await acceptInvitation(page, hands);
    await sendFile(page, hands, javaScriptEnabled);
    expect(performance.now() - began).toBeLessThan(300_000);
    await page.context().close();
  }, 420_000);
});

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first();
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

/** Through the search of every page. */
async function addService(page: Page, hands: InputDevice): Promise<void> {
  await hands.fill(page.getByLabel('Find a page, template, person or message'), 'Add a service');
  await page.keyboard.press('Enter');
  await hands.press(page.getByRole('main').getByRole('link', { name: 'Add a service' }));
  await hands.fill(page.getByLabel('Name of the service'), 'Town Hall');
  await hands.tick(page.getByRole('radio').first());
  await hands.press(button(page, 'Add service'));
  await page.getByRole('heading', { name: 'Your first message in five steps' }).waitFor();
}

async function writeTemplate(page: Page, hands: InputDevice): Promise<void> {
  await hands.press(link(page, 'Send'));
  await hands.press(link(page, 'Write your first template'));
  await hands.tick(page.getByRole('radio', { name: 'Email' }));
  await hands.press(button(page, 'Continue'));
  await hands.fill(page.getByLabel('Name of the template'), 'Hello');
  await hands.fill(page.getByLabel('Subject'), 'Hello ((name))');
  await hands.fill(page.getByLabel('Message', { exact: true }), 'See you on Friday, ((name)).');
  await hands.press(button(page, 'Save'));
  await page.getByText('Template saved').waitFor();
}

const colleagues = ['grace@example.org', 'linus@example.org'];

async function inviteColleagues(page: Page, hands: InputDevice): Promise<void> {
  for (const address of colleagues) {
    await hands.press(link(page, 'Team'));
    await hands.press(link(page, 'Invite'));
    await hands.fill(page.getByLabel('Email address'), address);
    await hands.press(button(page, 'Invite'));
    await page.getByRole('main').getByText(address).first().waitFor();
  }
}

/** Grace follows the link in her email, in a browser of her own. */
async function acceptInvitation(page: Page, hands: InputDevice): Promise<void> {
  await hands.press(link(page, 'Sandbox'));
  await hands.press(page.getByRole('link').filter({ hasText: 'grace@example.org' }).first());
  const invitation = page.frameLocator('iframe').getByRole('link').first();
  const address = (await invitation.getAttribute('href')) ?? '';
  expect(
    await invitation.evaluate((one) => (one as HTMLAnchorElement).target || document.querySelector('base')?.target),
  ).toBe('_blank');
  const { origin } = new URL(page.url());
  const { page: hers } = await open({ baseURL: origin });
  await hers.goto(new URL(address).pathname);
  await hers.getByLabel('Your name').fill('Grace Hopper');
  await hers.getByLabel('Mobile number').fill('07700900123');
  await hers.getByRole('textbox', { name: 'Password' }).fill('three other words');
  await hers.getByRole('button', { name: 'Create account' }).click();
  const [code = ''] = /\d{5}/.exec((await hers.getByText('is your sign-in code').textContent()) ?? '') ?? [];
  await hers.getByLabel('Security code').fill(code);
  await hers.getByRole('button', { name: 'Continue' }).click();
  await hers.getByRole('link', { name: 'Templates' }).waitFor();
  await hers.context().close();
}

/** To everybody in the team, which a service in trial mode can send to. */
async function sendFile(page: Page, hands: InputDevice, hasScript: boolean): Promise<void> {
  const csv = ['email address,name', 'ada@example.org,Ada', 'grace@example.org,Grace'].join('\n');
  await hands.press(link(page, 'Send'));
  await hands.press(page.getByRole('link', { name: /^Upload a list/ }).first());
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'team.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await hands.press(button(page, 'Check'));
  await waitWithout(page, hasScript, button(page, 'Send to 2 rows'));
  await hands.press(button(page, 'Send to 2 rows'));
  await waitWithout(page, hasScript, page.getByText('Delivered').first());
}

/** A page without script shows news when it is loaded again. */
async function waitWithout(page: Page, hasScript: boolean, shown: Locator): Promise<void> {
  for (let looked = 0; looked < 60 && !(await shown.isVisible()); looked += 1) {
    await page.waitForTimeout(500);
    if (!hasScript) await page.reload();
  }
  await shown.waitFor();
}

const channels = new Map([
  ['Appointment (text)', 'sms'],
  ['Welcome (email)', 'email'],
  ['Reminder (letter)', 'letter'],
]);
