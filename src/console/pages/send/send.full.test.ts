import { beforeAll, describe, expect, it } from 'vitest';
import { aNotification, aReplyTo, aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor, Page } from '../../../../test/kit/world/console-visitor.ts';
import { findSentEmail } from '../../../delivery/sandbox/email-sources.ts';
import { getInboxMessage } from '../../../delivery/sandbox/inbox.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { recordSuppressions } from '../../../services/suppression/suppression-list.ts';

const everything = { platform_admin: true, permissions: {} };
const harness = useHarness({ now: '2026-11-16T12:00:00Z' });

let service: string;
let person: string;
let browser: ConsoleVisitor;
let templates: Record<'sms' | 'email' | 'letter', string>;

async function aServiceOfPerson(fields: Parameters<typeof aService>[1]): Promise<string> {
  const id = await aService(harness, fields);
  await joinService(harness, id, person);
  return id;
}

beforeAll(async () => {
  ({ id: person } = await aPerson(harness, { name: 'Grace Hopper', mobile_number: '07700900777' }));
  service = await aServiceOfPerson({ name: 'Town Hall', prefix_sms: true });
  browser = await signedIn(harness, person);
  const content = 'Hello ((name)), see you on ((day)).';
  templates = {
    sms: await aTemplate(harness, service, { content }),
    email: await aTemplate(harness, service, { template_type: 'email', subject: 'About ((day))', content }),
    letter: await aTemplate(harness, service, { template_type: 'letter', subject: 'Dear ((name))', content }),
  };
});

const urlOf = (template: string, of = service) => `/console/services/${of}/send/${template}`;
const values = { 'names[]': ['name', 'day'], 'values[]': ['Ada', 'Friday'] };
const filled = { to: '07700 900123', ...values };

function fieldsOf({ text }: Page): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = {};
  for (const [, name = '', value = ''] of text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)) {
    fields[name] = name.endsWith('[]') ? [...(fields[name] ?? []), value] : value;
  }
  return fields;
}

const messages = async (of = service) =>
  (await harness.admin('GET', `/service/${of}/notifications?page_size=50`)).body.notifications as Record<
    string,
    string
  >[];

describe('a message that would wait for its sending times for too long', () => {
  it('is refused when it is checked, with the day on which they begin', async () => {
    const of = await aServiceOfPerson({});
    const template = await aTemplate(harness, of, { content: 'Hello' });
    const closed_days = Array.from({ length: 6 }, (_, day) => `2026-11-${16 + day}`);
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
    const window = { name: 'Daytime', days, from_time: '08:00', until_time: '21:00', closed_days };
    const { body } = await harness.admin('POST', `/service/${of}/send-window`, window);
    const times = { sms_window_id: body.data.id, email_window_id: null, time_zone: null };
    expect((await harness.admin('POST', `/service/${of}/sending-times`, times)).status).toBe(204);
    const { status, problems } = await browser.post(urlOf(template, of), { to: '07700 900123', do: 'check' });
    expect([status, problems]).toEqual([
      400,
      { '': 'Your sending times are closed until 22 November. Send this later, or use a priority template.' },
    ]);
    expect(await messages(of)).toEqual([]);
  });
});

describe('a suspended service', () => {
  it('says so on each of its pages, and offers nothing to send', async () => {
    const of = await aServiceOfPerson({ name: 'Allotments', permissions: ['international_sms'] });
    await aTemplate(harness, of, { content: 'Hello' });
    for (const path of ['', '/send', '/messages', '/templates', '/files', '/settings', '/team']) {
      const page = await browser.get(`/console/services/${of}${path}`);
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.text, path).toContain('<b>This service is suspended.</b>');
      expect(page.text, path).not.toContain('>Send a message<');
    }
    expect((await browser.get(`/console/services/${of}/send`)).text).toContain('You cannot send messages');
    const search = await browser.follow(await browser.post(`/console/services/${of}/send`, { find: 'Hello' }));
    expect([search.status, search.text]).toEqual([200, expect.stringContaining('Nothing found')]);
    expect((await browser.get(`/console/services/${of}/templates/new/sms`)).text).toContain(
      'Ask the people who run this Pennypost to switch it on.',
    );
    expect((await browser.get(`/console/services/${service}`)).text).not.toContain('This service is suspended');
    expect((await browser.get('/console/services')).text).not.toContain('This service is suspended.');
  });
});

describe('GET /console/services/{id}/send', () => {
  it('lists templates of the channels that are on, in folders that the person sees', async () => {
    const hidden = (
      await harness.admin('POST', `/service/${service}/template-folder`, { name: 'Secret', parent_id: null })
    ).body.data.id;
    await harness.admin('POST', `/service/${service}/template-folder/${hidden}`, {
      name: 'Secret',
      users_with_permission: [],
    });
    const inside = await aTemplate(harness, service, { name: 'In a hidden folder' });
    await harness.admin('POST', `/service/${service}/template-folder/${hidden}/contents`, {
      templates: [inside],
      folders: [],
    });
    const page = await browser.get(`/console/services/${service}/send`);
    for (const id of Object.values(templates)) expect(page.text).toContain(urlOf(id));
    expect(page.text).not.toContain('In a hidden folder');
    expect((await browser.get(urlOf(inside))).status).toBe(404);
    const texts = await browser.get(`/console/services/${service}/send?channel=sms`);
    expect([texts.text.includes(urlOf(templates.sms)), texts.text.includes(urlOf(templates.email))]).toEqual([
      true,
      false,
    ]);
  });
});

describe('GET /console/services/{id}/send with few or many templates', () => {
  it('gives the button to whoever can write the first template, and tells others whom to ask', async () => {
    const empty = await aServiceOfPerson({ name: 'New' });
    const mine = await browser.get(`/console/services/${empty}/send`);
    expect(mine.text).toMatch(
      new RegExp(`href="/console/services/${empty}/templates/new"[^>]*>Write your first template`),
    );
    const { id } = await aPerson(harness);
    await joinService(harness, empty, id, ['send_messages']);
    const theirs = await (await signedIn(harness, id)).get(`/console/services/${empty}/send`);
    expect(theirs.text).toContain('Ask Grace Hopper to write one.');
    expect(theirs.text).not.toContain('Write your first template');
  });

  it('has folders, a search and pages of less than 40 kB, whatever the number of templates', async () => {
    const full = await aServiceOfPerson({ name: 'Full' });
    for (let number = 100; number < 600; number++) await aTemplate(harness, full, { name: `Reminder ${number}` });
    const folder = (
      await harness.admin('POST', `/service/${full}/template-folder`, {
        name: 'Winter',
        parent_id: null,
        created_by_id: person,
      })
    ).body.data.id;
    await harness.admin('POST', `/service/${full}/template-folder/${folder}`, {
      name: 'Winter',
      users_with_permission: [person],
    });
    const inside = await aTemplate(harness, full, { name: 'Snowstorm' });
    await harness.admin('POST', `/service/${full}/template-folder/${folder}/contents`, {
      templates: [inside],
      folders: [],
    });
    const url = `/console/services/${full}/send`;
    const first = await browser.get(url);
    expect(Buffer.byteLength(first.text)).toBeLessThan(40_000);
    expect(first.text).toContain('1 to 50 of 500');
    expect(first.text).not.toContain('Snowstorm');
    expect((await browser.get(`${url}?page=10`)).text).toContain('Reminder 599');
    const opened = await browser.get(`${url}?folder=${folder}`);
    expect([opened.h1, opened.text.includes('Snowstorm')]).toEqual(['Winter', true]);
    const found = await browser.post(url, { find: 'snowstorm' });
    expect(found.location).not.toMatch(/snowstorm/i);
    const result = await browser.follow(found);
    expect(result.text).toContain('1 template found.');
    expect(result.text).toContain('<small>in Winter</small>');
  }, 120_000);
});

describe('POST /console/services/{id}/send/{template_id}', () => {
  it('checks, then sends once, also when it is sent twice at the same time and again', async () => {
    const checked = await browser.post(urlOf(templates.sms), { do: 'check', reference: 'case-4711', ...filled });
    expect(checked.status).toBe(200);
    expect(checked.text).toContain('Town Hall: Hello Ada, see you on Friday.');
    expect(checked.text).toMatch(/40 characters · 1 part · [\d.]+p/);
    expect(await messages()).toEqual([]);
    const form = { ...fieldsOf(checked), do: 'send' };
    const both = await Promise.all([
      browser.post(urlOf(templates.sms), form),
      browser.post(urlOf(templates.sms), form),
    ]);
    const again = await browser.post(urlOf(templates.sms), form);
    expect([...both, again].map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(new Set([...both, again].map(({ location }) => location)).size).toBe(1);
    const sent = await messages();
    expect(sent).toMatchObject([
      { to: '07700 900123', client_reference: 'case-4711', created_by_name: 'Grace Hopper' },
    ]);
  });

  it('sends what it has shown: the same text', async () => {
    const checked = await browser.post(urlOf(templates.sms), { do: 'check', ...filled, to: '07700900124' });
    const shown = /<p class="bubble">(.*?)<\/p>/.exec(checked.text)?.[1];
    await browser.post(urlOf(templates.sms), { ...fieldsOf(checked), do: 'send' });
    await harness.deliver();
    expect((await getInboxMessage(harness.app, everything, (await messages())[0]?.id ?? '')).text).toBe(shown);
  });

  it('sends the text in the chosen language, with its own placeholders', async () => {
    const permissions = ['sms', 'email', 'letter', 'template_languages'];
    const of = await aServiceOfPerson({ permissions });
    const variants = [{ language: 'fr', subject: 'Bonjour', content: 'Bonjour ((nom))' }];
    const languages = { default: 'en', field: null, refuse_unknown: true, variants };
    const { body } = await harness.admin('POST', `/service/${of}/template`, {
      ...{ name: 'Greeting', template_type: 'email', subject: 'Hello', content: 'Hello ((name))' },
      ...{ created_by: person, languages },
    });
    const url = urlOf(body.data.id, of);
    const own = await browser.get(url);
    expect(own.text).toMatch(/<option value="en" selected[^>]*>English<\/option><option value="fr">French/);
    expect(own.text).toContain('data-text="Hello ((name))');
    const form = { language: 'fr', to: 'ada@example.org', 'names[]': ['nom'], 'values[]': ['Ada'] };
    expect((await browser.post(url, { ...form, do: 'check', 'values[]': [''] })).text).toContain(
      'Enter a value for nom.',
    );
    const checked = await browser.post(url, { ...form, do: 'check' });
    const frame = /src="([^"]+\/email\?values=[^"]+)"/.exec(checked.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect((await browser.get(frame)).text).toContain('Bonjour Ada');
    expect((await browser.post(url, { ...fieldsOf(checked), do: 'send' })).status).toBe(303);
    expect(await messages(of)).toMatchObject([{ body: 'Bonjour Ada', language: 'fr' }]);
    expect((await browser.post(url, { ...form, language: 'xx', do: 'check' })).status).toBe(400);
  });

  it('sends at the chosen hour', async () => {
    const at = { scheduled_for: 'later', scheduled_day: '2026-11-17', scheduled_hour: '9' };
    const page = await browser.get(urlOf(templates.sms));
    expect(page.text).toMatch(/value="2026-11-17" selected>Tomorrow<.*value="9" selected>09:00</s);
    const checked = await browser.post(urlOf(templates.sms), { do: 'check', ...filled, ...at });
    expect(checked.text).toContain('Tomorrow, 09:00');
    expect(checked.text).not.toContain('People may be asleep');
    const changed = await browser.post(urlOf(templates.sms), { ...fieldsOf(checked), do: 'change' });
    expect(changed.text).toMatch(/value="later" checked/);
    const atNight = await browser.post(urlOf(templates.sms), { do: 'check', ...filled, ...at, scheduled_hour: '3' });
    expect(atNight.text).toContain('Tomorrow, 03:00<small>People may be asleep.</small>');
    await browser.post(urlOf(templates.sms), { ...fieldsOf(checked), do: 'send' });
    expect((await messages())[0]?.scheduled_for).toBe('2026-11-17T09:00:00.000000Z');
    const late = await browser.post(urlOf(templates.sms), {
      do: 'check',
      ...filled,
      ...at,
      scheduled_hour: '13',
    });
    expect(late.problems).toEqual({ scheduled_for: 'Choose a time within the next 24 hours.' });
  });

  it('400 keeps every value, and says what is wrong at each field', async () => {
    const typed = { do: 'check', to: '0770', 'names[]': ['name', 'day'], 'values[]': ['Ada <b>', ''], reference: 'r' };
    const page = await browser.post(urlOf(templates.sms), typed);
    expect([page.status, page.problems]).toEqual([
      400,
      { to: 'Mobile number is too short', value_1: 'Enter a value for day.' },
    ]);
    for (const kept of ['value="0770"', 'value="Ada &lt;b>"', 'value="r"']) expect(page.text).toContain(kept);
    const missing = await browser.post(urlOf(templates.sms), { ...typed, to: '07700900123' });
    expect(missing.problems).toEqual({ value_1: 'Enter a value for day.' });
    const late = { scheduled_for: 'later', scheduled_day: '2026-11-16', scheduled_hour: '9' };
    expect((await browser.post(urlOf(templates.sms), { do: 'check', ...late })).problems).toEqual({
      to: 'Enter a phone number.',
      value_0: 'Enter a value for name.',
      value_1: 'Enter a value for day.',
      scheduled_for: 'Choose a time that has not passed.',
    });
    const long = await browser.post(urlOf(templates.sms), {
      ...filled,
      do: 'check',
      'values[]': ['x'.repeat(2_000), 'y'],
    });
    expect(long.problems.value_0).toMatch(/character count greater than the limit of 918/);
  });

  it('400 in words for people: trial mode, abroad, the daily limit', async () => {
    const trial = await aServiceOfPerson({ restricted: true });
    const inTrial = await browser.post(urlOf(await aTemplate(harness, trial), trial), { do: 'check', ...filled });
    expect(inTrial.problems.to).toMatch(/^Your service is in trial mode, so you can only send to your team/);
    const home = await aServiceOfPerson({ permissions: ['sms'] });
    const toAbroad = { do: 'check', ...filled, to: '+1 202 555 0147' };
    const abroad = await browser.post(urlOf(await aTemplate(harness, home), home), toAbroad);
    expect(abroad.problems.to).toMatch(/^This number is in another country/);
    const full = await aServiceOfPerson({ sms_message_limit: 0 });
    const over = await browser.post(urlOf(await aTemplate(harness, full), full), { do: 'check', ...filled });
    expect(over.problems['']).toBe('Your service has reached its daily limit. Try again tomorrow.');
  });

  it('400 for an address on the suppression list, with what happened and what to do', async () => {
    const list = await aServiceOfPerson({ permissions: ['email', 'suppress_recipients'] });
    const template = await aTemplate(harness, list, { template_type: 'email', subject: 's', content: 'c' });
    const sent = await aNotification(harness, list, template, { notification_type: 'email' });
    const entry = { service_id: list, notification_id: sent, email_address: 'ada@example.org' };
    await inTransaction(harness.app.db, (tx) =>
      recordSuppressions(harness.app, tx, [{ ...entry, reason: 'hard-bounce' }], harness.clock.now()),
    );
    const page = await browser.post(urlOf(template, list), { do: 'check', ...values, to: 'Ada@example.org' });
    expect([page.status, page.problems]).toEqual([
      400,
      {
        to: 'Can’t send to this recipient: an email to it bounced on 16 November 2026. Remove the address from the suppression list to send again.',
      },
    ]);
    expect(page.text).toContain('value="Ada@example.org"');
    expect(await messages(list)).toHaveLength(1);
  });

  it('says which characters a text cannot carry', async () => {
    const lossy = await browser.post(urlOf(templates.sms), {
      ...filled,
      do: 'check',
      'values[]': ['مرحبا Ω', 'Friday'],
    });
    expect(lossy.text).toContain('Texts cannot include م ر ح ب ا. They will be sent as question marks.');
    const one = await browser.post(urlOf(templates.sms), { ...filled, do: 'check', 'values[]': ['Ada 😀', 'Friday'] });
    expect(one.text).toContain('Texts cannot include 😀. It will be sent as a question mark.');
    expect((await browser.post(urlOf(templates.sms), { ...filled, do: 'check' })).text).not.toContain('cannot include');
  });

  it('uses my own number or address, and renders the preview alone', async () => {
    const mine = await browser.post(urlOf(templates.sms), { do: 'mine', ...values });
    for (const kept of ['value="07700900777"', 'value="Ada"']) expect(mine.text).toContain(kept);
    const preview = await browser.post(urlOf(templates.sms), { do: 'preview', 'names[]': 'name', 'values[]': 'Ada' });
    expect(preview.text).not.toContain('<html');
    expect(preview.text).toContain('Town Hall: Hello Ada, see you on <mark class="placeholder">((day))</mark>.');
  });

  it('offers the senders when there is more than one', async () => {
    expect((await browser.get(urlOf(templates.email))).text).not.toContain('Replies go to');
    const first = await aReplyTo(harness, service, 'email', { text: 'desk@example.org', is_default: true });
    const second = await aReplyTo(harness, service, 'email', { text: 'late@example.org', is_default: false });
    const page = await browser.get(urlOf(templates.email));
    expect(page.text).toMatch(new RegExp(`value="${first}" checked`));
    const email = { ...values, to: 'ada@example.org', sender_id: second };
    const checked = await browser.post(urlOf(templates.email), { do: 'check', ...email });
    expect(checked.text).toContain('late@example.org');
    await browser.post(urlOf(templates.email), { ...fieldsOf(checked), do: 'send' });
    await harness.deliver();
    const [sent] = await messages();
    expect(sent).toMatchObject({ subject: 'About Friday', reply_to_text: 'late@example.org' });
    const frame = /<iframe[^>]* src="([^"]+)"/.exec(checked.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(frame).not.toContain('Ada');
    const html = (await findSentEmail(harness.app, sent?.id ?? ''))?.html;
    expect((await browser.get(frame)).text.replace('<base target="_blank">', '').trim()).toBe(html?.trim());
  });

  it('draws a letter, counts its sheets, and refuses an address that is none', async () => {
    const wrong = await browser.post(urlOf(templates.letter), { do: 'check', to: 'Ada\nLondon', ...values });
    expect(wrong.problems).toEqual({ to: 'Address must be at least 3 lines' });
    const to = 'Ada Lovelace\n12 St James’s Square\nLondon\nSW1Y 4JH';
    const checked = await browser.post(urlOf(templates.letter), { do: 'check', to, ...values });
    expect(checked.text).toMatch(/1 sheet · second class · \d+p/);
    const picture = /<img[^>]* src="([^"]+)"/.exec(checked.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect((await browser.get(picture)).headers['content-type']).toBe('image/png');
    const sent = await browser.post(urlOf(templates.letter), { ...fieldsOf(checked), do: 'send' });
    expect(sent.status).toBe(303);
    expect((await messages())[0]?.to).toBe(to);
  }, 60_000);

  it('403 for a platform administrator who is no member, 404 for templates of others', async () => {
    const { id } = await aPerson(harness, { platform_admin: true });
    const admin = await signedIn(harness, id);
    expect((await admin.post(urlOf(templates.sms), { do: 'send', ...filled })).status).toBe(403);
    const foreign = await aTemplate(harness, await aService(harness));
    expect((await browser.get(urlOf(foreign))).status).toBe(404);
    const archived = await aTemplate(harness, service, { archived: true });
    expect((await browser.get(urlOf(archived))).status).toBe(404);
  });
});
