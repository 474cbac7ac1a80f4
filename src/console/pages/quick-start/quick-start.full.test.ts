import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { storedMessage } from '../../../../test/kit/builders/sends.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';
import { ConsoleVisitor, type Page } from '../../../../test/kit/world/console-visitor.ts';
import { ensureDemo } from '../../../operations/demo.ts';
import { creatorPermissions } from '../../../users/members/permissions.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z', config: { demo: { enabled: true } } });

let service: string;
let templates: Record<'sms' | 'email' | 'letter', string>;
let key: string;
let browser: ConsoleVisitor;
let url: string;

async function joins(userId: string, serviceId: string): Promise<void> {
  const permissions = creatorPermissions.map((permission) => ({ permission }));
  await harness.admin('POST', `/service/${serviceId}/users/${userId}`, { permissions });
}

beforeAll(async () => {
  service = await aService(harness, { restricted: false });
  const letter = { template_type: 'letter', subject: 'A reminder', content: 'Dear ((name))' } as const;
  templates = {
    sms: await aTemplate(harness, service, { content: 'Hello ((name)), see you on ((day)).' }),
    email: await aTemplate(harness, service, { template_type: 'email', subject: 'Hi', content: 'Hello ((name))' }),
    letter: await aTemplate(harness, service, letter),
  };
  key = await anApiKey(harness, service);
  const { id } = await aPerson(harness, { name: 'Ada Lovelace', mobile_number: '07700900460' });
  await joins(id, service);
  browser = await signedIn(harness, id);
  url = `/console/services/${service}/quick-start`;
});

const text = (more: object = {}) => ({
  do: 'send',
  once: randomUUID(),
  api_key: key,
  template_id: templates.sms,
  channel: 'sms',
  to: '07700900123',
  'names[]': ['name', 'day'],
  'values[]': ['Ada', 'Friday'],
  ...more,
});

function idOn({ text: html }: Page): string {
  return /id <code>([\w-]{36})<\/code>/.exec(html)?.[1] ?? '';
}

function codeOn({ text: html }: Page, language: string): string {
  const [, code = ''] = new RegExp(`<pre id="code-${language}"[^>]*>(.*?)</pre>`, 's').exec(html) ?? [];
  return code
    .replaceAll(/<\/?i>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
}

describe('/console/quick-start', () => {
  it('303 to the service that was used last, or to one whose keys the visitor manages', async () => {
    expect((await browser.get('/console/quick-start')).location).toBe(url);
    const other = await aService(harness, { restricted: false });
    const { id } = await aPerson(harness);
    for (const one of [service, other]) await joins(id, one);
    const second = await signedIn(harness, id);
    for (const one of [other, service, other]) {
      await second.get(`/console/services/${one}`);
      expect((await second.get('/console/quick-start')).location).toBe(`/console/services/${one}/quick-start`);
    }
  });

  it('200 with the way to a service for those who have none', async () => {
    const page = await (await signedIn(harness, (await aPerson(harness)).id)).get('/console/quick-start');
    expect([page.status, page.h1]).toEqual([200, 'Quick start']);
    expect(page.text).toContain('You cannot manage API keys yet');
  });
});

describe('GET /console/services/{service_id}/quick-start', () => {
  it('200 with values that can be sent, and never cached', async () => {
    const page = await browser.get(url);
    expect([page.status, page.h1]).toEqual([200, 'Quick start']);
    expect(page.headers['cache-control']).toBe('no-store');
    expect(codeOn(page, 'curl')).toContain('"phone_number": "07700900460"');
    expect(codeOn(page, 'curl')).toContain('YOUR-API-KEY');
    expect(codeOn(page, 'curl')).toContain('"name": "Ada"');
  });

  it('200 with the template of a link, but not with one of another service', async () => {
    expect(codeOn(await browser.get(`${url}?template=${templates.email}`), 'curl')).toContain(
      '/v2/notifications/email',
    );
    const foreign = await aTemplate(harness, await aService(harness), { name: 'Foreign' });
    const page = await browser.get(`${url}?template=${foreign}`);
    expect(page.text).not.toContain('Foreign');
    expect(codeOn(page, 'curl')).toContain(templates.sms);
  });

  it('200 with the key of the demo, for members of its service only', async () => {
    const demo = await ensureDemo(harness.app);
    const { id } = await aPerson(harness);
    await joins(id, demo.service_id);
    const page = await (await signedIn(harness, id)).get(`/console/services/${demo.service_id}/quick-start`);
    expect(page.text).toContain(`value="${demo.api_key}"`);
    expect((await browser.get(url)).text).not.toContain(demo.api_key);
    const admin = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
    expect((await admin.get(`/console/services/${demo.service_id}/quick-start`)).status).toBe(403);
  });
});

describe('POST /console/services/{service_id}/quick-start', () => {
  it('200 with a new test key, which is shown once and logged nowhere', async () => {
    const page = await browser.post(url, text({ do: 'key', api_key: '' }));
    const [, made = ''] = /name="api_key"[^>]* value="(quick-start-[^"]+)"/.exec(page.text) ?? [];
    expect(codeOn(page, 'node')).toContain(made);
    expect((await browser.get(url)).text).not.toContain(made);
    expect(harness.logged.join('\n')).not.toContain(made.slice(-36));
    harness.app.changeListener.reset();
    const sent = await browser.post(url, text({ api_key: made }));
    expect(await storedMessage(harness, idOn(sent))).toMatchObject({ key_type: 'test' });
  });

  it('200 for a text, an email and a letter; they are accepted as from the API', async () => {
    const email = { template_id: templates.email, channel: 'email', to: 'ada@example.org' };
    const letter = { template_id: templates.letter, channel: 'letter', to: 'Ada\n12 St James’s Square\nSW1Y 4JH' };
    const one = { 'names[]': ['name'], 'values[]': ['Ada'] };
    for (const more of [{}, { ...email, ...one }, { ...letter, ...one }]) {
      const page = await browser.post(url, text(more));
      expect([page.status, page.problems]).toEqual([200, {}]);
      expect(page.text).toMatch(/201 in \d+ ms/);
      expect(page.text).toContain('Accepted');
      expect(await storedMessage(harness, idOn(page))).toMatchObject({
        key_type: 'normal',
        created_by_id: null,
        service_id: service,
      });
    }
  });

  it('200 with the first message when the form is sent again: by a reload, and by two clicks in two processes', async () => {
    const other = new ConsoleVisitor(await harness.anotherProcess());
    for (const [name, value] of browser.cookies) other.cookies.set(name, value);
    for (const to of ['07700900321', '07700900000']) {
      const form = text({ to });
      const sent = [browser, other, browser].map((one) => one.post(url, form));
      const pages = [...(await Promise.all(sent)), await browser.post(url, form)];
      expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(new Set(pages.map(idOn)).size).toBe(1);
    }
    const messages = harness.app.db.selectFrom('notifications').select('id');
    expect(await messages.where('normalised_recipient', '=', '447700900321').execute()).toHaveLength(1);
    const form = text({ to: '07700900321' });
    const changed = { ...form, 'values[]': ['Ada', 'Monday'] };
    expect(idOn(await browser.post(url, form))).not.toBe(idOn(await browser.post(url, changed)));
  });

  it('200 until it is delivered, by a fragment and by the button', async () => {
    const page = await browser.post(url, text());
    const id = idOn(page);
    const fragment = `${url}/messages/${id}`;
    expect(page.text).toContain(`data-from="${fragment}"`);
    expect((await browser.get(fragment)).text).toContain('data-live');
    await harness.deliver();
    harness.clock.advance({ seconds: 10 });
    await harness.deliver();
    const after = await browser.get(fragment);
    expect(after.text).not.toContain('data-live');
    expect(after.text).toContain('Handed over to sandbox');
    expect(after.text).toContain('Delivered');
    expect((await browser.get(`/console/sandbox/${id}`)).status).toBe(200);
    expect(after.text).toContain(`href="/console/sandbox/${id}"`);
    const looked = await browser.post(url, text({ do: 'look', message_id: id }));
    expect(looked.text).toContain('Delivered');
    expect(looked.text).toContain('value="Friday"');
    expect((await storedMessage(harness, id))?.status).toBe('delivered');
  });

  it('404 for the way of a message of another service', async () => {
    const { id } = await aPerson(harness);
    const other = await aService(harness, { restricted: false });
    await joins(id, other);
    const second = await signedIn(harness, id);
    const sent = idOn(await browser.post(url, text()));
    expect((await second.get(`/console/services/${other}/quick-start/messages/${sent}`)).status).toBe(404);
    const page = await second.post(`/console/services/${other}/quick-start`, {
      do: 'look',
      once: randomUUID(),
      message_id: sent,
    });
    expect(page.text).not.toContain('Accepted');
  });

  it('200 when a letter is printed at once in the sandbox', async () => {
    const letter = { template_id: templates.letter, channel: 'letter', to: 'Ada\n12 St James’s Square\nSW1Y 4JH' };
    const fields = text({ ...letter, 'names[]': ['name'], 'values[]': ['Ada'] });
    const id = idOn(await browser.post(url, fields));
    await harness.runTasks();
    expect((await browser.get(`${url}/messages/${id}`)).text).toContain(
      'Waits for the print run on Monday 16 November after 17:30',
    );
    expect((await browser.post(url, { ...fields, do: 'print', message_id: id })).status).toBe(200);
    await harness.runTasks();
    harness.clock.advance({ seconds: 10 });
    await harness.runTasks();
    const { text: way } = await browser.get(`${url}/messages/${id}`);
    expect(way).toContain('Printed');
    expect(way).toContain('Delivered');
  });

  it('200 for a recipient that is only simulated', async () => {
    const page = await browser.post(url, text({ to: '07700900000' }));
    expect(page.text).toContain('201 in');
    expect(page.text).toContain('The API accepts the message and stores nothing');
  });

  it('400 with a sentence for each field, and sends nothing', async () => {
    const foreign = await anApiKey(harness, await aService(harness));
    const count = () => harness.app.db.selectFrom('notifications').select('id').execute();
    const before = (await count()).length;
    const cases: [object, string, string][] = [
      [{ api_key: '' }, 'api_key', 'Enter an API key, or create one.'],
      [{ api_key: 'nonsense' }, 'api_key', 'Enter a key of this service, or create one.'],
      [{ api_key: `${key.slice(0, -36)}${service}` }, 'api_key', 'Enter a key of this service, or create one.'],
      [{ api_key: foreign }, 'api_key', 'This key belongs to another service.'],
      [{ to: '12' }, 'to', 'Enter a phone number, for example 07700 900123.'],
      [{ to: '' }, 'to', 'Enter a phone number.'],
      [{ 'values[]': ['Ada', ''] }, 'value_1', 'Enter a value for day.'],
      [
        { 'values[]': ['x'.repeat(2_000), 'Friday'] },
        '',
        'The message is too long. Shorten its values or its template.',
      ],
      [
        { template_id: templates.email, channel: 'email', to: 'nobody' },
        'to',
        'Enter an email address, for example name@example.org.',
      ],
      [
        { template_id: templates.letter, channel: 'letter', to: 'Ada' },
        'to',
        'Enter at least 3 lines: a name, a street and a postcode.',
      ],
    ];
    for (const [more, field, sentence] of cases) {
      const page = await browser.post(url, text(more));
      expect([more, page.status]).toEqual([more, 400]);
      expect(Object.keys(page.problems), JSON.stringify(more)).toEqual([field]);
      expect(page.problems[field]).toContain(sentence);
    }
    const nothing = await browser.post(url, text({ api_key: '', to: '', 'values[]': ['', ''] }));
    expect(nothing.problems).toEqual({
      api_key: 'Enter an API key, or create one.',
      to: 'Enter a phone number.',
      value_0: 'Enter a value for name.',
      value_1: 'Enter a value for day.',
    });
    expect((await count()).length).toBe(before);
  });

  it('200 without the message that was sent with another template', async () => {
    const id = idOn(await browser.post(url, text()));
    const again = await browser.post(url, text({ do: 'show', message_id: id }));
    expect(again.text).toContain(`value="${id}"`);
    const other = await browser.post(url, text({ do: 'show', message_id: id, template_id: templates.email }));
    expect(other.text).not.toContain(id);
    expect(other.text).toContain('Send a message to watch it arrive.');
  });

  it('200 without a template: a link to write one, or who can, and nothing that cannot be sent', async () => {
    const empty = await aService(harness, { restricted: false });
    const { id } = await aPerson(harness);
    await joins(id, empty);
    const page = await (await signedIn(harness, id)).get(`/console/services/${empty}/quick-start`);
    expect(page.text).toContain(`href="/console/services/${empty}/templates/new"`);
    expect(page.text).not.toContain('Send it from here');
    const developer = await aPerson(harness);
    const permissions = [{ permission: 'manage_api_keys' }];
    await harness.admin('POST', `/service/${empty}/users/${developer.id}`, { permissions });
    const other = await (await signedIn(harness, developer.id)).get(`/console/services/${empty}/quick-start`);
    expect(other.text).toContain('Ask someone with the permission “Add and edit templates” to write one.');
    expect(other.text).not.toContain('templates/new');
  });

  it('400 beyond the rate limit that the key has in the API, too', async () => {
    const slow = await aService(harness, { restricted: false, rate_limit: 1 });
    const { id } = await aPerson(harness);
    await joins(id, slow);
    const template_id = await aTemplate(harness, slow, { content: 'Hello' });
    const api_key = await anApiKey(harness, slow);
    const visitor = await signedIn(harness, id);
    const send = () =>
      visitor.post(
        `/console/services/${slow}/quick-start`,
        text({ template_id, api_key, 'names[]': [], 'values[]': [] }),
      );
    expect((await send()).status).toBe(200);
    expect((await send()).problems['']).toBe('You have sent too many requests with this key. Try again in a minute.');
    const body = { phone_number: '07700900123', template_id };
    expect((await harness.v2('POST', '/v2/notifications/sms', api_key, body)).status).toBe(429);
  });

  it('200 with another template: fields of another channel become examples', async () => {
    const page = await browser.post(
      url,
      text({ do: 'show', template_id: templates.email, 'values[]': ['Grace', 'x'] }),
    );
    expect(codeOn(page, 'curl')).toContain('"email_address": "person-');
    expect(codeOn(page, 'curl')).toContain('"name": "Grace"');
  });
});
