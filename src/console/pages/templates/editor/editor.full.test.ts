import { PNG } from 'pngjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../../test/kit/harness.ts';
import { aPerson, signedIn } from '../../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor, Page } from '../../../../../test/kit/world/console-visitor.ts';
import { findSentEmail } from '../../../../delivery/sandbox/email-sources.ts';
import { getInboxMessage } from '../../../../delivery/sandbox/inbox.ts';
import { selectLetter } from '../../../../letters/letters.sql.ts';
import { letterPagePicture } from '../../../../letters/preview/letter-preview.ts';

const harness = useHarness({
  now: '2026-11-16T12:00:00Z',
  config: { demo: { enabled: true }, providers: { sandbox: { receipts: 'hold' } } },
});

let service: string;
let ada: { id: string; browser: ConsoleVisitor };
let bob: { id: string; browser: ConsoleVisitor };

async function aWriter(name: string) {
  const { id } = await aPerson(harness, { name });
  await harness.admin('POST', `/service/${service}/users/${id}`, { permissions: [{ permission: 'manage_templates' }] });
  return { id, browser: await signedIn(harness, id) };
}

beforeAll(async () => {
  service = await aService(harness, { name: 'Town Hall', prefix_sms: true });
  ada = await aWriter('Ada Lovelace');
  bob = await aWriter('Bob Moore');
});

const path = (rest = '') => `/console/services/${service}/templates${rest}`;
const unescaped = (html: string) =>
  html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
const find = (page: Page, pattern: RegExp) => unescaped(pattern.exec(page.text)?.[1] ?? '');
const fieldValue = (page: Page, name: string) => find(page, new RegExp(`name="${name}" value="([^"]*)"`));

/** The id of the template that a saved form leads to. */
const savedId = ({ location }: Page) => /\/templates\/([0-9a-f-]{36})$/.exec(location ?? '')?.[1] ?? '';

async function send(templateId: string, to: string, personalisation: object) {
  const { body } = await harness.admin('POST', `/service/${service}/send-notification`, {
    template_id: templateId,
    to,
    created_by: ada.id,
    personalisation,
  });
  await harness.deliver();
  await harness.runTasks();
  return body.id as string;
}

const inbox = (id: string) => getInboxMessage(harness.app, { platform_admin: true, permissions: {} }, id);

describe('the draft of a new template', () => {
  const text = { name: 'Parking', content: 'Your permit ends on ((day)).', do: 'preview' };

  it('is offered where a template for the same channel is written, and listed with the templates', async () => {
    const { browser } = await aWriter('Carol Shaw');
    const draft_id = fieldValue(await browser.get(path('/new/sms')), 'draft_id');
    await browser.post(path('/new/sms'), { ...text, draft_id });
    const again = await browser.get(path('/new/sms'));
    expect(again.text).toContain('You have an unsaved draft from <time');
    expect(again.text).not.toContain('Your permit ends');
    expect((await browser.get(path('/new/email'))).text).not.toContain('unsaved draft');
    const to = path(`/new/sms?draft=${draft_id}`);
    expect(again.text).toContain(`<a href="${to}">Continue with it</a>`);
    const list = await browser.get(path());
    expect(list.text).toMatch(
      new RegExp(`Your unsaved drafts.*?<a href="${to.replace('?', '\\?')}" dir="auto">Parking</a>`, 's'),
    );
    const continued = await browser.get(to);
    expect(fieldValue(continued, 'draft_id')).toBe(draft_id);
    expect(continued.text).toContain('Your permit ends on ((day)).');
    expect(continued.text).not.toContain('You have an unsaved draft');
  });

  it('is gone after saving or discarding, and its address leads to a new template', async () => {
    const { browser } = await aWriter('Dan Ross');
    for (const what of ['save', 'discard']) {
      const draft_id = fieldValue(await browser.get(path('/new/sms')), 'draft_id');
      await browser.post(path('/new/sms'), { ...text, draft_id });
      expect((await browser.post(path('/new/sms'), { ...text, draft_id, do: what })).status).toBe(303);
      expect((await browser.get(path())).text).not.toContain('Your unsaved drafts');
      const back = await browser.get(path(`/new/sms?draft=${draft_id}`));
      expect([back.status, back.location]).toEqual([303, path('/new/sms')]);
    }
  });

  it('is neither offered nor shown to others, and not kept without a word', async () => {
    const { browser } = await aWriter('Eve Long');
    await browser.post(path('/new/sms'), { name: '', content: '', do: 'preview' });
    expect((await browser.get(path('/new/sms'))).text).not.toContain('unsaved draft');
    const draft_id = fieldValue(await browser.get(path('/new/email')), 'draft_id');
    await browser.post(path('/new/email'), { ...text, subject: 'Parking', draft_id });
    expect((await bob.browser.get(path(`/new/email?draft=${draft_id}`))).status).toBe(303);
    const frame = `/console/services/${service}/template-drafts/${draft_id}/email`;
    expect((await bob.browser.get(frame)).status).toBe(404);
    expect((await browser.get(frame)).status).toBe(200);
  });
});

describe('the preview of a draft', () => {
  it('is the email that is then sent, byte by byte', async () => {
    const text = {
      subject: 'News for ((name))',
      content: '# Hello ((name))\n\nSee ((what??https://example.org/a?b=1&c=2)).\n\n* “one”\n* two',
    };
    const values = { 'names[]': ['name', 'what'], 'values[]': ['Ada & <Bob>', 'yes'] };
    const shown = await ada.browser.post(path('/new/email'), { name: 'News', ...text, ...values, do: 'preview' });
    expect(shown.status).toBe(200);
    const frame = await ada.browser.get(find(shown, /<iframe class="mail" src="([^"]+)"/));
    const saved = await ada.browser.post(path('/new/email'), { name: 'News', ...text, do: 'save' });
    expect([saved.status, saved.location]).toEqual([303, expect.stringMatching(/\/templates\//)]);
    const id = await send(savedId(saved), 'ada@example.org', { name: 'Ada & <Bob>', what: 'yes' });
    const sent = await findSentEmail(harness.app, id);
    expect(frame.text.length).toBeGreaterThan(1_000);
    const framed = frame.text.replace('<base target="_blank">', '');
    // The parser of the sandbox ends every part with a line break.
    expect(`${framed}\n`).toBe(sent?.html.replaceAll('\r\n', '\n'));
    const { body } = await harness.admin('POST', `/service/${service}/template/preview-draft`, {
      template_type: 'email',
      ...text,
      personalisation: { name: 'Ada & <Bob>', what: 'yes' },
    });
    expect(body.data.html).toBe(framed);
    expect(body.data.text.trim()).toBe(sent?.text.replaceAll('\r\n', '\n').trim());
    expect(body.data.subject).toBe((await inbox(id)).subject);
  });

  it('is the text message that is then sent, with its parts', async () => {
    const content = `Hello ((name)), the price is {5€} – ${'long '.repeat(30)}`;
    const form = { name: 'Price', content, 'names[]': ['name'], 'values[]': ['Ŵil'] };
    const shown = await ada.browser.post(path('/new/sms'), { ...form, do: 'preview' });
    expect(shown.text).toContain('count twice');
    const saved = await ada.browser.post(path('/new/sms'), { ...form, do: 'save' });
    const sent = await inbox(await send(savedId(saved), '07700900123', { name: 'Ŵil' }));
    expect(find(shown, /<p class="bubble">(.*?)<\/p>/s)).toBe(sent.text);
    expect(sent.text).toMatch(/^Town Hall: Hello Ŵil/);
    expect(shown.text).toContain(`${sent.billable_units} parts`);
  });

  it('of a text keeps placeholders without a value, and says what it costs at least', async () => {
    const form = { name: 'Due', content: `Hello ((name)), see you on ((day)). ${'long '.repeat(30)}` };
    const shown = await ada.browser.post(path('/new/sms'), { ...form, do: 'preview' });
    expect(shown.text).toContain(
      'Hello <mark class="placeholder">((name))</mark>, see you on <mark class="placeholder">',
    );
    expect(shown.text).toMatch(/at least 2 parts, at least [\d.]+p in the UK/);
    expect(shown.text).toContain('at least 181 characters');
    const saved = await ada.browser.follow(await ada.browser.post(path('/new/sms'), { ...form, do: 'save' }));
    expect(saved.text).toContain('at least 181 characters');
    const filled = { ...form, 'names[]': ['name', 'day'], 'values[]': ['Ada', 'Friday'], do: 'preview' };
    expect((await ada.browser.post(path('/new/sms'), filled)).text).not.toContain('at least');
  });

  it.each([
    ['((appeal??You can appeal by ((date)).))', true],
    ['((appeal??You can appeal (by post) until ((date)).))', true],
    ['((appeal??You can appeal.)) By ((date)).', false],
  ])('of %s warns of a placeholder in optional text, as does the page of the template: %s', async (content, warns) => {
    const form = { name: 'Appeal', content };
    const warning = 'Optional text cannot contain a placeholder.';
    const shown = await ada.browser.post(path('/new/sms'), { ...form, do: 'preview' });
    expect(shown.text.includes(warning)).toBe(warns);
    const saved = await ada.browser.post(path('/new/sms'), { ...form, do: 'save' });
    expect((await ada.browser.follow(saved)).text.includes(warning)).toBe(warns);
  });

  it.each([
    ['[[en]]Hello[[/en]]', undefined],
    ['[[en]]Hello', '[[en]]'],
    ['[[rtl]]Hello [[fr]]Salut[[/fr]]', '[[rtl]]'],
  ])(
    'of %s shows the blocks, and warns of tags that stay text, as does the page of the template',
    async (content, tag) => {
      const form = { name: 'Two languages', subject: 'Hello', content };
      const warning = `People would see ${tag} in the email`;
      const shown = await ada.browser.post(path('/new/email'), { ...form, do: 'preview' });
      expect(shown.text.replaceAll(/\s+/g, ' ').includes(warning)).toBe(tag !== undefined);
      const frame = await ada.browser.get(find(shown, /<iframe class="mail" src="([^"]+)"/));
      expect(frame.text.includes('::before{content:"[[en]]"')).toBe(/<div lang=/.test(frame.text));
      expect(/<div lang=/.test(frame.text)).toBe(tag !== '[[en]]');
      const saved = await ada.browser.post(path('/new/email'), { ...form, do: 'save' });
      const page = await ada.browser.follow(saved);
      expect(page.text.replaceAll(/\s+/g, ' ').includes(warning)).toBe(tag !== undefined);
    },
  );

  it('of a letter asks for the address in words', async () => {
    const { text } = await ada.browser.get(path('/new/letter'));
    expect([...text.matchAll(/for="value_\d" dir="auto">([^<]*)/g)].map(([, label]) => label)).toEqual([
      'Address line 1',
      'Address line 2',
      'Address line 3',
      'Postcode',
    ]);
  });

  it('of an empty text counts nothing', async () => {
    const { text } = await ada.browser.post(path('/new/sms'), { name: 'Due', content: ' ', do: 'preview' });
    expect(text).not.toMatch(/\d part|\d character/);
    expect(text).toContain('Your message will appear here as its recipient will see it.');
  });

  it('is the letter that is then printed, pixel by pixel', async () => {
    const values: Record<string, string> = {
      address_line_1: 'Ada Lovelace',
      address_line_2: '12 St James’s Square',
      address_line_3: 'London',
      postcode: 'SW1Y 4JH',
      name: 'Ada',
    };
    const form = {
      name: 'Decision',
      subject: 'About ((name))',
      content: 'Dear ((name))\n\n* one\n* two',
      languages: 'english',
    };
    const given = { 'names[]': Object.keys(values), 'values[]': Object.values(values) };
    const shown = await ada.browser.post(path('/new/letter'), { ...form, ...given, do: 'preview' });
    const url = find(shown, /<img class="sheet" src="([^"]+)"/);
    const picture = await harness.http.inject({
      url,
      headers: { cookie: [...ada.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    const saved = await ada.browser.post(path('/new/letter'), { ...form, do: 'save' });
    const id = await send(savedId(saved), 'unused', values);
    const letter = await selectLetter(harness.app.db, id);
    if (!letter) throw new Error('No letter');
    const [before, after] = [picture.rawPayload, await letterPagePicture(harness.app, letter, 1)].map((png) =>
      PNG.sync.read(Buffer.from(png)),
    );
    expect([before?.width, before?.height]).toEqual([after?.width, after?.height]);
    expect(before && after && before.data.equals(after.data)).toBe(true);
  }, 60_000);
});

describe('a template changed in two browsers at once', () => {
  it('tells the second, shows both and loses nothing', async () => {
    const id = await aTemplate(harness, service, { name: 'Reminder', content: 'See you on ((day)).' });
    const url = path(`/${id}/edit`);
    const [first, second] = [await ada.browser.get(url), await bob.browser.get(url)];
    const formOf = (page: Page, content: string) => ({
      draft_id: fieldValue(page, 'draft_id'),
      version: fieldValue(page, 'version'),
      name: 'Reminder',
      content,
      'names[]': ['day'],
      'values[]': ['Friday'],
    });
    const won = await ada.browser.post(url, { ...formOf(first, 'Ada wrote ((day)).'), do: 'save' });
    expect([won.status, won.location]).toEqual([303, path(`/${id}`)]);
    const lost = await bob.browser.post(url, { ...formOf(second, 'Bob wrote ((day)).'), do: 'save' });
    expect(lost.status).toBe(400);
    expect(lost.problems['']).toContain('changed the template in the meantime');
    expect(lost.text).toContain('Ada Lovelace saved this template while you were writing');
    expect(lost.text).toContain('>Bob wrote ((day)).</textarea>');
    expect(lost.text).toMatch(/<del>.*?Ada.*?<\/del><ins>.*?Bob.*?<\/ins>/s);
    expect(lost.text).toContain('value="Friday"');
    const saved = await bob.browser.post(url, { ...formOf(lost, 'Bob wrote ((day)).'), do: 'save' });
    expect(saved.status).toBe(303);
    const { body } = await harness.admin('GET', `/service/${service}/template/${id}/versions`);
    expect(body.data.map(({ content }: { content: string }) => content)).toEqual([
      'Bob wrote ((day)).',
      'Ada wrote ((day)).',
      'See you on ((day)).',
    ]);
  });
});

describe('a form that is wrong', () => {
  it('400, keeps every value and says what to do', async () => {
    const form = {
      name: '',
      subject: '',
      content: 'Hi ((a,b))',
      unsubscribe_link: 'yes',
      'names[]': ['a,b'],
      'values[]': ['x'],
    };
    const page = await ada.browser.post(path('/new/email'), { ...form, do: 'save' });
    expect([page.status, page.problems]).toEqual([
      400,
      {
        name: 'Enter a name.',
        subject: 'Enter the subject.',
        content: 'Placeholders cannot contain commas: take them out of the double brackets.',
      },
    ]);
    expect(page.text).toContain('>Hi ((a,b))</textarea>');
    expect(page.text).toMatch(/name="unsubscribe_link" value="yes" checked/);
    expect(page.text).toContain('value="x"');
    const lost = await ada.browser.post(path('/new/sms'), { name: 'Party', content: 'Party 🎉', do: 'save' });
    expect(lost.problems.content).toBe('Texts cannot include 🎉. Remove it to save.');
    const long = await ada.browser.post(path('/new/sms'), { name: 'Long', content: 'x'.repeat(919), do: 'save' });
    expect(long.problems.content).toContain('at most 918 characters');
  });

  it('keeps a text of hundreds of kilobytes', async () => {
    const content = 'word '.repeat(80_000).trim();
    const page = await ada.browser.post(path('/new/email'), { name: 'Long', subject: '', content, do: 'save' });
    expect([page.status, page.problems]).toEqual([400, { subject: 'Enter the subject.' }]);
  });
});

describe('a change that breaks callers', () => {
  it('asks when a placeholder is new and the service has keys', async () => {
    const id = await aTemplate(harness, service, { content: 'Hello ((name))' });
    const url = path(`/${id}/edit`);
    const form = { version: '1', name: 'Reminder', content: 'Hello ((name)), see you on ((day))' };
    await anApiKey(harness, service, { name: 'web' });
    expect((await ada.browser.post(url, { ...form, do: 'preview' })).text).toContain('((day))</i> </span>is new.');
    const request = await ada.browser.post(url, { ...form, do: 'save' });
    expect([request.status, request.h1]).toEqual([200, 'Save this change?']);
    expect(request.text).toContain('web');
    expect((await ada.browser.post(url, { ...form, do: 'save-anyway' })).status).toBe(303);
    const again = await ada.browser.post(url, { ...form, version: '2', do: 'save' });
    expect((await ada.browser.follow(again)).text).toContain('Nothing was changed.');
  });
});

describe('a test to me', () => {
  it('sends the unsaved text to the writer, and refuses in words', async () => {
    const form = { name: '', subject: 'Hi ((name))', content: 'Unsaved ((name))', do: 'test' };
    const missing = await ada.browser.post(path('/new/email'), form);
    expect(missing.problems['']).toBe('Enter values for the preview to send a test: name.');
    const sent = await ada.browser.post(path('/new/email'), { ...form, 'names[]': ['name'], 'values[]': ['Ada'] });
    expect([sent.status, sent.text]).toEqual([200, expect.stringContaining('Test sent to')]);
    await harness.deliver();
    const { rows } = await harness.app.pool.query(
      'select id from notifications where service_id = $1 and created_by_id = $2 order by id desc limit 1',
      [service, ada.id],
    );
    const message = await inbox(rows[0].id);
    expect([message.subject, message.text.includes('Unsaved Ada')]).toEqual(['Hi Ada', true]);
    expect((await ada.browser.get(path())).text).not.toContain('Test from the editor');
  });
});

describe('what is left today', () => {
  it('counts texts of this length, in the unit and within the tightest limit', async () => {
    const limited = await aService(harness, { sms_limit_unit: 'parts', sms_message_limit: 11, email_message_limit: 7 });
    const { id } = await aPerson(harness);
    await harness.admin('POST', `/service/${limited}/users/${id}`, {
      permissions: [{ permission: 'manage_templates' }],
    });
    const browser = await signedIn(harness, id);
    const editor = async (template_type: 'sms' | 'email', content: string) => {
      const template = await aTemplate(harness, limited, { template_type, subject: 'News', content });
      return (await browser.get(`/console/services/${limited}/templates/${template}/edit`)).text;
    };
    const ofTwoParts = 'With this length you can still send 5 texts today.';
    expect(await editor('sms', 'a'.repeat(200))).toContain(ofTwoParts);
    expect(await editor('sms', 'a')).toContain('With this length you can still send 11 texts today.');
    expect(await editor('email', 'Hello')).toContain('You can still send 7 emails today.');
    await harness.admin('POST', `/service/${limited}`, { email_annual_limit: 1 });
    await harness.app.changeListener.catchUp();
    expect(await editor('email', 'Hello')).toContain('You can still send 1 email today.');
  });
});
