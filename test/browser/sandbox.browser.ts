import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSession } from '../../src/console/sessions/sessions.ts';
import { aLetter } from '../kit/builders/letters.ts';
import { aQueuedMessage, messageOf, replaceSource } from '../kit/builders/queued-messages.ts';
import { aService, aTemplate } from '../kit/builders/rows.ts';
import { useHarness } from '../kit/harness.ts';
import { aPerson } from '../kit/world/console-people.ts';
import { useBrowser } from './kit/browser.ts';
import { problemsInEveryLook, takePicture } from './kit/looks.ts';

const harness = useHarness({
  now: '2026-11-16T14:02:00Z',
  config: { demo: { enabled: true }, providers: { sandbox: { receipts: 'hold' } } },
});
const open = useBrowser(harness);

let service: string;
let token: string;
let sent: { email: string; text: string; letter: string };

const welcome = `# Hello ((name))

Thank you for joining us. You can now book, change and cancel appointments at any hour.

## What happens next

* We remind you by text the day before.
* Bring your letter or its number.

^ Can’t come? Tell us by noon, so that other people can have the time.

[Book your first appointment](https://example.org/book)`;

async function aSent(fields: Parameters<typeof aQueuedMessage>[2]): Promise<string> {
  const id = await aQueuedMessage(harness, service, fields);
  await harness.deliver();
  harness.clock.advance({ seconds: 20 });
  return id;
}

const email = (subject: string, fields: object = {}) =>
  aTemplate(harness, service, { template_type: 'email', subject, content: welcome, ...fields });

beforeAll(async () => {
  const user = await aPerson(harness, { name: 'Ada Lovelace' });
  service = await aService(harness, { name: 'Town Hall', permissions: ['sms', 'email', 'letter', 'inbound_sms'] });
  await harness.admin('POST', `/service/${service}/users/${user.id}`, { permissions: [] });
  token = await createSession(harness.app, user, 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0.0.0 Safari/537.36');
  const letterTemplate = await aTemplate(harness, service, {
    template_type: 'letter',
    name: 'Decision',
    subject: 'Our decision about your application',
    content: 'Dear ((name))\n\nWe have decided about your application of 2 November.\n\n* you need to do nothing',
  });
  const reminder = await aTemplate(harness, service, {
    content: 'Hello ((name)), see you on Friday at the Town Hall.',
  });
  await aSent({ template_id: reminder, personalisation: { name: 'George' } });
  await aSent({
    notification_type: 'email',
    template_id: await email('Welcome, ((name))'),
    personalisation: { name: 'Grace' },
  });
  const letter = await aLetter(harness, service, letterTemplate, {
    recipient: 'Ada Lovelace\n12 Any Street\nSW1A 1AA',
    postage: 'second',
  });
  await harness.runTasks();
  const text = await aSent({ template_id: reminder });
  sent = {
    letter,
    text,
    email: await aSent({ notification_type: 'email', template_id: await email('Welcome, ((name))') }),
  };
});

async function opened(options: BrowserContextOptions = {}) {
  const { page, origin } = await open(options);
  await page.context().addCookies([{ name: 'pennypost_session', value: token, url: origin }]);
  return { page, origin };
}

describe('the sandbox', () => {
  it('is accessible and fits, in every view', async () => {
    const { page } = await opened();
    const wrong: string[] = [];
    const views: Record<string, string> = {
      list: '',
      email: `/${sent.email}`,
      'email-360': `/${sent.email}?width=360`,
      'email-text': `/${sent.email}?view=text`,
      'email-both': `/${sent.email}?view=both`,
      'email-source': `/${sent.email}?view=source`,
      'email-headers': `/${sent.email}?view=headers`,
      'email-raw': `/${sent.email}?view=raw`,
      text: `/${sent.text}`,
      letter: `/${sent.letter}`,
      empty: '?before=00000000-0000-0000-0000-000000000000',
    };
    for (const [name, path] of Object.entries(views)) {
      await page.goto(`/console/sandbox${path}`);
      wrong.push(...(await problemsInEveryLook(page, `sandbox-${name}`)));
      if (name === 'email') await takePicture(page, 'sandbox-email');
      if (name === 'letter') await takePicture(page, 'sandbox-letter-dark', { colorScheme: 'dark' });
    }
    await page.context().close();
    expect(wrong).toEqual([]);
  }, 300_000);
});

describe('a link in an email', () => {
  it('opens in a new tab, and the email stays', async () => {
    const { page } = await opened({ viewport: { width: 1280, height: 1_000 } });
    await page.context().route('https://example.org/**', (route) => route.fulfill({ body: 'Booked' }));
    await page.goto(`/console/sandbox/${sent.email}`);
    const mail = page.frameLocator('iframe.mail');
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      mail.getByRole('link', { name: 'Book your first appointment' }).click(),
    ]);
    await tab.waitForURL('https://example.org/book');
    expect(await tab.evaluate(() => window.opener)).toBeNull();
    expect(await mail.getByRole('link', { name: 'Book your first appointment' }).isVisible()).toBe(true);
    await page.context().close();
  });
});

describe('an email that attacks', () => {
  const attack = `<title>kept</title><p>hello</p>
    <script>document.title = 'script ran'; top.location = '/console/account';</script>
    <img src="x" onerror="document.title = 'script ran'"><meta http-equiv="refresh" content="0;url=/console/account">
    <base target="_self"><a id="top" href="/console/account" target="_top">top</a>
    <a id="script" href="javascript:document.title = 'script ran'" target="_self">script</a>
    <a id="opener" href="/console/account" rel="opener">opener</a>
    <a id="self" href="/console/account" target="_self">self</a>
    <form action="/console/sign-out" method="post" target="_top"><button id="send">send</button></form>`;
  let id: string;

  beforeAll(async () => {
    id = await aSent({ notification_type: 'email', template_id: await email('Attack') });
    const source = `From: a@example.org\r\nSubject: Attack\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${attack}`;
    await replaceSource(harness, id, source);
  });

  /** What it is refused is logged by the browser. */
  function expectErrors(page: Page): string[] {
    const errors: string[] = [];
    page.removeAllListeners('console');
    page.on('console', (message) => errors.push(message.text()));
    return errors;
  }

  const originAndCookies = () => {
    try {
      return [self.origin, document.title, document.cookie];
    } catch (error) {
      return [self.origin, document.title, (error as Error).name];
    }
  };

  it('runs no script, reads no cookies and leads the page nowhere', async () => {
    const { page } = await opened({ viewport: { width: 1280, height: 1_000 } });
    const errors = expectErrors(page);
    await page.goto(`/console/sandbox/${id}`);
    const frame = page.frames().find((one) => one.url().endsWith('/frame'));
    if (!frame) throw new Error('the page has no frame');
    await frame.waitForSelector('text=hello');
    expect(await frame.evaluate(originAndCookies)).toEqual(['null', 'kept', 'SecurityError']);
    for (const target of ['#top', '#send', '#script']) {
      await frame.click(target);
      await page.waitForTimeout(300);
      expect(page.url()).toMatch(new RegExp(`/console/sandbox/${id}$`));
    }
    expect(await frame.title()).toBe('kept');
    // A new tab cannot reach the page that it was opened from.
    const [tab] = await Promise.all([page.context().waitForEvent('page'), frame.click('#opener')]);
    await tab.waitForLoadState();
    expect(await tab.evaluate(() => window.opener)).toBeNull();
    // Its own frame may leave, but as a stranger: no cookie goes with it.
    const request = page.waitForRequest((one) => one.url().endsWith('/console/account'));
    await frame.click('#self');
    expect((await (await request).allHeaders()).cookie).toBeUndefined();
    expect(errors.some((text) => /sandbox/.test(text))).toBe(true);
    expect((await page.context().cookies()).some(({ name }) => name === 'pennypost_session')).toBe(true);
    await page.context().close();
  });

  it('can do no more when it is opened alone', async () => {
    const { page } = await opened();
    expectErrors(page);
    await page.goto(`/console/sandbox/emails/${id}/frame`);
    await page.waitForTimeout(300);
    expect(await page.evaluate(originAndCookies)).toEqual(['null', 'kept', 'SecurityError']);
    expect(page.url()).toMatch(/\/frame$/);
    await page.context().close();
  });
});

describe('reading', () => {
  it('does not shift while the page loads and updates itself', async () => {
    const { page } = await opened({ viewport: { width: 1280, height: 900 } });
    await page.addInitScript(() => {
      const moved: string[] = [];
      Object.assign(globalThis, { moved });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number; sources: { node: Node }[] })[]) {
          moved.push(
            ...entry.sources.map(({ node }) => `${node.nodeName} ${(node as Element).className} ${entry.value}`),
          );
        }
      }).observe({ type: 'layout-shift', buffered: true });
    });
    for (const path of ['', `/${sent.email}`, `/${sent.text}`, `/${sent.letter}`]) {
      await page.goto(`/console/sandbox${path}`);
      await page.waitForTimeout(4_000);
      expect(await page.evaluate(() => (globalThis as unknown as { moved: string[] }).moved)).toEqual([]);
    }
    await page.context().close();
  });

  it('shows new messages by itself, keeps the focus, and can be paused', async () => {
    const { page } = await opened({ viewport: { width: 1280, height: 1_000 } });
    await page.goto('/console/sandbox');
    const rows = page.locator('.inbox li');
    const before = await rows.count();
    await page.locator(`.inbox a[href$="${sent.text}"]`).focus();
    await aSent({ personalisation: { name: 'the newest' } });
    await page.locator('.inbox li', { hasText: 'the newest' }).waitFor({ timeout: 20_000 });
    expect(await rows.count()).toBe(before + 1);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toContain(sent.text);
    await page.getByRole('button', { name: 'Pause updates' }).click();
    await aSent({ personalisation: { name: 'not seen' } });
    await page.waitForTimeout(5_000);
    expect(await rows.count()).toBe(before + 1);
    await page.getByRole('button', { name: 'Resume updates' }).click();
    await page.locator('.inbox li', { hasText: 'not seen' }).waitFor({ timeout: 20_000 });
    await page.context().close();
  });

  it.each([true, false])('searches, opens and answers with the keyboard (script: %s)', async (javaScriptEnabled) => {
    const { page } = await opened({ javaScriptEnabled });
    const id = await aSent({
      notification_type: 'email',
      template_id: await email('Zebra'),
      recipient: 'zoe.washburne@example.org',
      normalised_recipient: 'zoe.washburne@example.org',
    });
    await page.goto('/console/sandbox');
    await page.getByLabel('Recipient, subject or text').fill('zoe.washburne@example.org');
    await page.keyboard.press('Enter');
    await page.waitForURL(/find=/);
    expect(page.url()).not.toMatch(/washburne|zoe\./);
    await page.locator(`.inbox a[href*="${id}"]`).first().focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(id));
    expect(await page.locator('h2', { hasText: 'Zebra' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Bounce' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Receipt sent.').waitFor();
    expect((await messageOf(harness, id)).status).toBe('permanent-failure');
    await page.context().close();
  });
});
