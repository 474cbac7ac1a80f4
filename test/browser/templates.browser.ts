import { beforeAll, describe, expect, it } from 'vitest';
import { createSession } from '../../src/console/sessions/sessions.ts';
import { aService, aTemplate } from '../kit/builders/rows.ts';
import { useHarness } from '../kit/harness.ts';
import { aPerson } from '../kit/world/console-people.ts';
import { accessibilityProblems, type Opened, useBrowser } from './kit/browser.ts';

const harness = useHarness({ now: '2026-11-15T14:02:00Z' });
const open = useBrowser(harness);

let service: string;
let token: string;
let template: string;

beforeAll(async () => {
  const user = await aPerson(harness, { name: 'Ada Lovelace', platform_admin: true });
  service = await aService(harness, { name: 'Town Hall appointments', created_by_id: user.id });
  token = await createSession(harness.app, user, 'Test browser');
  template = await aTemplate(harness, service, {
    template_type: 'email',
    name: 'Welcome',
    subject: 'Welcome, ((name))',
    content: '# Hello ((name))\n\nThank you for joining us.\n\n* We remind you the day before.\n* Bring your letter.',
  });
});

async function signedIn(options = {}): Promise<Opened> {
  const opened = await open({ viewport: { width: 1280, height: 1000 }, ...options });
  await opened.page.context().addCookies([{ name: 'pennypost_session', value: token, url: opened.origin }]);
  return opened;
}

const editor = () => `/console/services/${service}/templates/${template}/edit`;

describe('the editor', () => {
  it('shows the email while somebody types, marks placeholders and asks for their values', async () => {
    const { page } = await signedIn();
    await page.goto(editor());
    expect(await page.locator('.layer mark').allTextContents()).toEqual(['((name))']);
    await page.getByLabel('Message', { exact: true }).fill('# Dear ((name))\n\nYou get ((what)).');
    await page.getByLabel('what', { exact: true }).fill('a parcel');
    const mail = page.frameLocator('#preview iframe');
    await mail.getByText('You get a parcel.', { exact: true }).waitFor();
    expect(await page.locator('.layer mark').allTextContents()).toEqual(['((name))', '((what))']);
    expect(await page.locator('#kept').textContent()).toContain('Draft saved');
    expect(await accessibilityProblems(page)).toEqual([]);
    // One click writes around the selection.
    await page.getByLabel('Message', { exact: true }).selectText();
    await page.getByRole('button', { name: 'Placeholder' }).click();
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toMatch(/^\(\(# Dear/);
    await page.screenshot({ path: 'test/browser/output/editor-typing.png', fullPage: true });
  });

  it('keeps the address of a draft, so that the text of a new template survives a reload', async () => {
    const { page } = await signedIn();
    await page.goto(`/console/services/${service}/templates/new/sms`);
    await page.getByLabel('Message', { exact: true }).fill('Your permit ends on Friday.');
    await page.waitForURL(/\?draft=[0-9a-f-]{36}$/);
    await page.reload();
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('Your permit ends on Friday.');
  });

  it('leads from a hint to its words, and keeps the hints up to date', async () => {
    const { page } = await signedIn();
    const id = await aTemplate(harness, service, {
      template_type: 'email',
      subject: 'News',
      content: 'Go to https://bit.ly/a',
    });
    await page.goto(`/console/services/${service}/templates/${id}/edit`);
    await page.getByRole('link', { name: 'Show in the message' }).click();
    const selected = await page.getByLabel('Message', { exact: true }).evaluate((area: HTMLTextAreaElement) => {
      return area.value.slice(area.selectionStart, area.selectionEnd);
    });
    expect(selected).toBe('https://bit.ly/a');
    await page.getByLabel('Message', { exact: true }).fill('PAY THIS BILL NOW at https://bit.ly/a');
    await page.getByRole('status').getByRole('heading', { name: '2 hints' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.screenshot({ path: 'test/browser/output/editor-hints.png', fullPage: true });
  });

  it.each([true, false])('has formatting help beside the text (script: %s)', async (javaScriptEnabled) => {
    const { page } = await signedIn({ javaScriptEnabled });
    await page.goto(editor());
    const help = page.getByRole('dialog', { name: 'Formatting help' });
    await page.getByRole('button', { name: 'Formatting help' }).click();
    await help.getByText('A list with bullet points').waitFor();
    if (javaScriptEnabled) expect(await accessibilityProblems(page)).toEqual([]);
    await page.screenshot({ path: 'test/browser/output/editor-help.png' });
    await page.keyboard.press('Escape');
    expect(await help.isVisible()).toBe(false);
  });

  it('works without script: a button shows the preview, another saves', async () => {
    const { page } = await signedIn({ javaScriptEnabled: false });
    await page.goto(editor());
    await page.getByLabel('Subject').fill('Hello again');
    await page.getByRole('button', { name: 'Preview' }).click();
    expect(await page.getByLabel('Subject').inputValue()).toBe('Hello again');
    await page.frameLocator('iframe.mail').getByText('Thank you for joining us.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save as v2' }).click();
    expect(await page.locator('.notice').textContent()).toContain('Saved as version 2.');
  });

  it('counts the parts of a text and draws the pages of a letter', async () => {
    const { page } = await signedIn();
    await page.goto(`/console/services/${service}/templates/new/sms`);
    await page.getByLabel('Message', { exact: true }).fill(`Price: 5€ ${'x'.repeat(160)}`);
    await page.getByText('2 parts').waitFor();
    expect(await page.locator('.layer mark.costly').allTextContents()).toEqual(['€']);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.screenshot({ path: 'test/browser/output/editor-text.png', fullPage: true });
    await page.goto(`/console/services/${service}/templates/new/letter`);
    await page.getByLabel('Heading').fill('Our decision');
    await page.getByLabel('Message', { exact: true }).fill('Dear ((name))\n\nWe have decided.');
    await page.locator('#preview img.sheet').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.screenshot({ path: 'test/browser/output/editor-letter.png', fullPage: true });
  });
});

const long = `# Hello ((name))

${'Thank you for joining us. You can now book, change and cancel appointments at any hour. '.repeat(3)}

## What happens next

* We remind you by text the day before, so that you do not forget it and can still change the day or the hour.
* Bring your letter or its number.

^ Can’t come? Tell us by noon, so that other people can have the time. You find our number in every letter.

1. Come to the front desk
2. Show the letter

---

[Change your appointment](https://example.org/appointments), or come to:

Town Hall
1 High Street
Anytown`;

describe('the preview of an email', () => {
  it.each([1280, 600, 320])('is as tall as the email, without script, %i pixels wide', async (width) => {
    const { page } = await signedIn({ javaScriptEnabled: false, viewport: { width, height: 800 } });
    const id = await aTemplate(harness, service, { template_type: 'email', subject: 'Long', content: long });
    await page.goto(`/console/services/${service}/templates/${id}`);
    const frame = page.frames().find((one) => one.url().endsWith('/email'));
    if (!frame) throw new Error('the page has no frame');
    await frame.waitForSelector('text=Anytown');
    const [content, shown] = await frame.evaluate(() => [document.body.offsetHeight, innerHeight]);
    await page.screenshot({ path: `test/browser/output/email-preview-${width}.png`, fullPage: true });
    if (content === undefined || shown === undefined) throw new Error('the frame has no height');
    expect(shown).toBeGreaterThanOrEqual(content);
    expect(shown).toBeLessThan(content + 150);
  });
});

describe('the history', () => {
  it('compares two versions and restores one, without script', async () => {
    const { page } = await signedIn({ javaScriptEnabled: false });
    await page.goto(editor());
    await page.getByLabel('Message', { exact: true }).fill('# Hello ((name))\n\nThank you for ((what)).');
    await page.getByRole('button', { name: /^Save as v/ }).click();
    await page.screenshot({ path: 'test/browser/output/template-one.png', fullPage: true });
    await page.getByRole('link', { name: 'History' }).click();
    expect(await page.locator('ins').allTextContents()).toContain('added: ((what))');
    expect(await page.locator('h1').textContent()).toBe('History');
    await page.screenshot({ path: 'test/browser/output/template-history.png', fullPage: true });
    await page.locator('summary', { hasText: 'Restore v' }).click();
    await page.getByRole('button', { name: 'Restore this version' }).click();
    expect(await page.locator('.notice').first().textContent()).toContain('restored as version');
    await page.getByRole('link', { name: 'Templates' }).first().click();
    await page.screenshot({ path: 'test/browser/output/template-list.png', fullPage: true });
  });
});
