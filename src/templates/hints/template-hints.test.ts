import { beforeAll, describe, expect, it } from 'vitest';
import { aJob } from '../../../test/kit/builders/jobs.ts';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { aPerson, signedIn } from '../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../test/kit/world/console-visitor.ts';
import { metricOf } from '../../../test/kit/world/metrics.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const silent = useHarness({ now: '2026-11-16T12:00:00Z', config: { templates: { hints: false } } });

let service: string;
let key: string;
let admin: string;
beforeAll(async () => {
  service = await aService(harness, { name: 'Parking permits' });
  key = await anApiKey(harness, service);
  admin = `/service/${service}/template/check`;
});

const shortened = {
  rule: 'link-shortener',
  message: 'People cannot see where bit.ly leads, and networks block texts with it. Write the address in full.',
  found: 'bit.ly',
  field: 'body',
  start: 4,
  end: 20,
};
const text = { type: 'email', subject: 'News', body: 'See https://bit.ly/a.' };

describe('POST /v2/template/check', () => {
  const check = (body: object, as = key) => harness.v2('POST', '/v2/template/check', as, body);

  it('200 with the hints, as the administrative API gives them', async () => {
    const { status, body } = await check(text);
    expect([status, body]).toEqual([200, { hints: [shortened] }]);
    expect((await harness.admin('POST', admin, text)).body).toEqual(body);
    expect((await check({ type: 'letter', body: 'Fine.' })).body).toEqual({ hints: [] });
  });

  it('200 with what only the service knows: its prefix and sender', async () => {
    const body = { type: 'sms', body: 'a'.repeat(150) };
    expect((await check(body)).body).toEqual({ hints: [] });
    const other = await aService(harness, { name: 'Town Hall', prefix_sms: true });
    const { hints } = (await check(body, await anApiKey(harness, other))).body;
    expect(hints).toMatchObject([{ rule: 'save-a-part', message: 'Remove 1 character to save a part.', start: null }]);
    await harness.app.db
      .updateTable('service_sms_senders')
      .set({ sms_sender: '07700900111' })
      .where('service_id', '=', service)
      .execute();
    expect((await check(body)).body.hints).toMatchObject([{ rule: 'no-sender' }]);
  });

  it('200 with the advice on unsubscribe links, if it goes to many', async () => {
    const many = { ...text, body: 'Our news.', sent_to_many: true };
    expect((await check(many)).body.hints).toMatchObject([{ rule: 'no-unsubscribe', field: null, start: null }]);
    expect((await check({ ...many, has_unsubscribe_link: true })).body.hints).toEqual([]);
  });

  it.each([
    [{ type: 'email' }, 'body is a required property'],
    [{ body: 'x' }, 'type is a required property'],
    [{ ...text, type: 'fax' }, 'type fax is not one of [sms, email, letter]'],
    [{ ...text, body: 1 }, 'body 1 is not of type string'],
    [{ ...text, name: 'x' }, 'Additional properties are not allowed (name was unexpected)'],
  ])('400 for %j', async (body, message) => {
    const { status, body: refusal } = await check(body);
    expect([status, refusal]).toEqual([400, { status_code: 400, errors: [{ error: 'ValidationError', message }] }]);
  });

  it('403 without a key', async () => {
    expect((await check(text, 'nobody')).status).toBe(403);
  });

  it('404 for a service that does not exist', async () => {
    const path = '/service/4f46df42-f795-4cc4-83bb-65ca312f49cd/template/check';
    expect((await harness.admin('POST', path, text)).status).toBe(404);
  });

  it('200 for a long text: checks its beginning only', async () => {
    expect((await check({ ...text, body: `${'Fine. '.repeat(100_000)} https://bit.ly/a` })).body).toEqual({
      hints: [],
    });
  });

  it('200 without hints while they are switched off', async () => {
    const own = await aService(silent);
    const { body } = await silent.v2('POST', '/v2/template/check', await anApiKey(silent, own), text);
    expect(body).toEqual({ hints: [] });
  });

  it('counts what is given', async () => {
    const count = async () =>
      Number(/rule="link-shortener"} (\d+)/.exec(await metricOf(harness, 'hints_shown_total'))?.[1]);
    const before = await count();
    await check(text);
    expect(await count()).toBe(before + 1);
  });
});

describe('the editor', () => {
  let browser: ConsoleVisitor;
  let person: string;
  beforeAll(async () => {
    ({ id: person } = await aPerson(harness, { name: 'Ada Lovelace' }));
    const rights = { permissions: [{ permission: 'manage_templates' }] };
    await harness.admin('POST', `/service/${service}/users/${person}`, rights);
    browser = await signedIn(harness, person);
  });

  const editorOf = (id: string) => `/console/services/${service}/templates/${id}/edit`;
  const anEmail = (content: string, fields: object = {}) =>
    aTemplate(harness, service, { template_type: 'email', subject: 'News', content, ...fields });

  it('lists hints with their places, and saves all the same', async () => {
    const id = await anEmail('See https://bit.ly/a.');
    const page = await browser.get(editorOf(id));
    expect(page.text).toContain('<h2 id="hints-title">1 hint</h2>');
    expect(page.text).toContain(shortened.message);
    expect(page.text).toContain('href="#content" data-start="4" data-end="20"');
    const saved = await browser.post(editorOf(id), {
      name: 'News',
      subject: 'PAY THIS BILL NOW',
      content: 'See https://bit.ly/a.',
      version: '1',
      do: 'save',
    });
    expect([saved.status, saved.location]).toEqual([303, expect.stringContaining(id)]);
  });

  it('says nothing where there is nothing to say', async () => {
    const page = await browser.get(editorOf(await anEmail('Your permit is ready.')));
    expect(page.text).toContain('<div id="hints" role="status"></div>');
  });

  it('hides a hint for this template and this rule only, and shows it again', async () => {
    const [id, other] = [await anEmail('See https://bit.ly/a.'), await anEmail('See https://bit.ly/a.')];
    const form = {
      name: 'News',
      subject: 'News',
      content: 'See https://bit.ly/a. [more](https://a.example)',
      version: '1',
    };
    const hidden = await browser.post(editorOf(id), { ...form, do: 'hide-link-shortener' });
    expect(hidden.text).toContain('<h2 id="hints-title">1 hint</h2>');
    expect(hidden.text).toContain('1 hint is hidden for this template.');
    expect(hidden.text).not.toContain(shortened.message);
    expect((await browser.get(editorOf(id))).text).toContain('<h2 id="hints-title">No hints</h2>');
    expect((await browser.get(editorOf(other))).text).toContain(shortened.message);
    expect((await browser.post(editorOf(id), { ...form, do: 'hide-link-shortener' })).status).toBe(200);
    const entry = await harness.app.db
      .selectFrom('audit_log')
      .select(['action', 'thing_id', 'user_id', 'service_id'])
      .where('noun', '=', 'hidden_hint')
      .executeTakeFirstOrThrow();
    expect(entry).toEqual({ action: 'create', thing_id: id, user_id: person, service_id: service });
    const shown = await browser.post(editorOf(id), { ...form, do: 'show-hints' });
    expect(shown.text).toContain('<h2 id="hints-title">2 hints</h2>');
  });

  it('404 for a rule that does not exist', async () => {
    const id = await anEmail('Hello');
    const form = { name: 'News', subject: 'News', content: 'Hello', version: '1' };
    expect((await browser.post(editorOf(id), { ...form, do: 'hide-nonsense' })).status).toBe(404);
  });

  it('knows which emails go to many', async () => {
    const advice = 'Switch the unsubscribe link on.';
    const id = await anEmail('Our news.');
    expect((await browser.get(editorOf(id))).text).not.toContain(advice);
    expect((await browser.get(editorOf(await anEmail('Our news.', { process_type: 'bulk' })))).text).toContain(advice);
    await aJob(harness, service, id, { notification_type: 'email' });
    expect((await browser.get(editorOf(id))).text).toContain(advice);
    expect((await browser.get(editorOf(id))).text).not.toContain('data-start');
  });

  it('404 for the template of another service', async () => {
    const foreign = await aService(harness);
    const id = await aTemplate(harness, foreign, {
      template_type: 'email',
      subject: 'S',
      content: 'See https://bit.ly/a',
    });
    expect((await browser.post(editorOf(id), { name: 'x', do: 'hide-link-shortener' })).status).toBe(404);
    const rows = await harness.app.db.selectFrom('template_hidden_hints').select('template_id').execute();
    expect(rows).not.toContainEqual({ template_id: id });
  });
});
