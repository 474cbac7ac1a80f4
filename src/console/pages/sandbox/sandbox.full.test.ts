import { PNG } from 'pngjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { aLetter } from '../../../../test/kit/builders/letters.ts';
import { aQueuedMessage, messageOf, replaceSource } from '../../../../test/kit/builders/queued-messages.ts';
import { anApiKey, anInboundNumber, aService, aTemplate, aUser } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor, Page } from '../../../../test/kit/world/console-visitor.ts';
import { newId } from '../../../platform/id.ts';
import { unsubscribeUrl } from '../../../unsubscribe/unsubscribe.ts';

const harness = useHarness({
  now: '2026-11-16T12:00:00Z',
  config: { demo: { enabled: true }, providers: { sandbox: { receipts: 'hold' } } },
});

let service: string;
let admin: ConsoleVisitor;
let member: ConsoleVisitor;

async function aMember(serviceId: string): Promise<ConsoleVisitor> {
  const { id } = await aPerson(harness);
  await harness.admin('POST', `/service/${serviceId}/users/${id}`, { permissions: [] });
  return signedIn(harness, id);
}

beforeAll(async () => {
  service = await aService(harness, { name: 'Town Hall', permissions: ['sms', 'email', 'letter', 'inbound_sms'] });
  admin = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
  member = await aMember(service);
});

type Fields = Parameters<typeof aQueuedMessage>[2];

async function aSent(fields: Fields = {}, serviceId = service): Promise<string> {
  const id = await aQueuedMessage(harness, serviceId, fields);
  await harness.deliver();
  harness.clock.advance({ seconds: 1 });
  return id;
}

async function aDrawnLetter(serviceId = service, fields: Fields = {}): Promise<string> {
  const template = await aTemplate(harness, serviceId, { template_type: 'letter', name: 'Decision' });
  const id = await aLetter(harness, serviceId, template, fields);
  await harness.runTasks();
  harness.clock.advance({ seconds: 1 });
  return id;
}

const listed = ({ text }: Page) =>
  [...text.matchAll(/<li><a href="\/console\/sandbox\/([0-9a-f-]{36})/g)].map(([, id]) => id);

describe('the list of the sandbox', () => {
  it('has the messages of all channels, newest first, and filters by channel', async () => {
    const text = await aSent();
    const letter = await aDrawnLetter();
    const email = await aSent({ notification_type: 'email' });
    const page = await member.get('/console/sandbox');
    expect([page.status, page.h1]).toEqual([200, 'Sandbox']);
    expect(listed(page).slice(0, 3)).toEqual([email, letter, text]);
    expect(page.text).toContain('About engines');
    expect(page.text).toContain('Decision, 1 page, second class');
    expect(listed(await member.get('/console/sandbox?channel=letter'))[0]).toBe(letter);
    expect(listed(await member.get('/console/sandbox?channel=sms'))).not.toContain(email);
    expect(listed(await member.get('/console/sandbox?channel=nonsense'))[0]).toBe(email);
  });

  it('leaves out letters that are not printed: cancelled ones, and those of test keys', async () => {
    const cancelled = await aDrawnLetter();
    await harness.admin('POST', `/service/${service}/notifications/${cancelled}/cancel`);
    const test = await aDrawnLetter(service, { key_type: 'test' });
    const shown = listed(await member.get('/console/sandbox?channel=letter'));
    for (const id of [cancelled, test]) {
      expect(shown).not.toContain(id);
      expect((await member.get(`/console/sandbox/${id}`)).status).toBe(404);
    }
  });

  it('is searched by a form, whose text is in no address', async () => {
    const found = await aSent({ recipient: '07700 900777', normalised_recipient: '447700900777' });
    await aSent();
    for (const find of ['07700 900777', '447700900777', found]) {
      const answer = await member.post('/console/sandbox', { find, channel: 'sms' });
      expect(answer.status).toBe(303);
      expect(answer.location).toMatch(/^\/console\/sandbox\?channel=sms&find=[\w-]+$/);
      expect(decodeURIComponent(answer.location ?? '')).not.toContain('900777');
      const page = await member.follow(answer);
      expect(listed(page)).toEqual([found]);
      expect(page.text).toContain(`value="${find}"`);
      // The search of one person is nonsense to another.
      expect((await admin.get(answer.location ?? '')).text).not.toContain(`value="${find}"`);
    }
    const nothing = await member.post('/console/sandbox', { find: 'zebra', channel: '' });
    expect((await member.follow(nothing)).text).toContain('We found nothing in the newest 1,000 messages.');
    expect((await member.post('/console/sandbox', { find: '' })).location).toBe('/console/sandbox');
  });

  it('finds words of an email or text', async () => {
    const email = await aSent({ notification_type: 'email', personalisation: { name: 'Grace', thing: 'compilers' } });
    const text = await aSent({ personalisation: { name: 'Boole', thing: '' } });
    const find = async (words: string) =>
      listed(await member.follow(await member.post('/console/sandbox', { find: words })));
    expect(await find('COMPILERS')).toEqual([email]);
    expect(await find('hello boole')).toEqual([text]);
  });

  it('has older pages', async () => {
    for (let count = 0; count < 41; count += 1) await aQueuedMessage(harness, service);
    await harness.deliver();
    const first = await member.get('/console/sandbox?channel=sms');
    expect(listed(first)).toHaveLength(40);
    const [, older = ''] = /href="([^"]+)">Older messages/.exec(first.text) ?? [];
    const second = await member.get(older.replaceAll('&amp;', '&'));
    expect(listed(second).length).toBeGreaterThan(0);
    expect(listed(first)).not.toContain(listed(second)[0]);
    expect(second.text).toContain('Newest messages');
  });

  it('is a fragment, 304 while nothing changes', async () => {
    const { headers, text } = await member.get('/console/sandbox/list', { 'x-live-part': 'true' });
    expect(text).toMatch(/^<div data-live="?/);
    const tag = { 'if-none-match': String(headers.etag) };
    expect((await member.get('/console/sandbox/list', tag)).status).toBe(304);
    await aSent();
    expect((await member.get('/console/sandbox/list', tag)).status).toBe(200);
  });
});

describe('who sees a message', () => {
  it('404 for members of other services, on every address of it', async () => {
    const stranger = await aMember(await aService(harness));
    const email = await aSent({ notification_type: 'email' });
    const letter = await aDrawnLetter();
    const addresses = [
      ...['', '/status', '/answer'].map((path) => `/console/sandbox/${email}${path}`),
      ...['/frame', '/source'].map((path) => `/console/sandbox/emails/${email}${path}`),
      `/console/sandbox/${letter}`,
      ...['/pdf', '/pages/1'].map((path) => `/console/sandbox/letters/${letter}${path}`),
    ];
    for (const address of addresses) {
      const isAnswer = address.endsWith('/answer');
      const open = (visitor: ConsoleVisitor) =>
        isAnswer ? visitor.post(address, { answer: 'complaint' }) : visitor.get(address);
      expect([address, (await open(stranger)).status]).toEqual([address, 404]);
      expect([address, (await open(admin)).status]).toEqual([address, isAnswer ? 303 : 200]);
      expect([address, (await open(member)).status]).toEqual([address, isAnswer ? 303 : 200]);
    }
    expect(listed(await stranger.get('/console/sandbox'))).toEqual([]);
  });

  it('404 for addresses of another channel', async () => {
    const email = await aSent({ notification_type: 'email' });
    const letter = await aDrawnLetter();
    for (const path of [
      `emails/${letter}/frame`,
      `emails/${letter}/source`,
      `letters/${email}/pdf`,
      `letters/${email}/pages/1`,
      `letters/${letter}/pages/0`,
      `letters/${letter}/pages/2`,
      `letters/${letter}/pages/x`,
    ]) {
      expect([path, (await admin.get(`/console/sandbox/${path}`)).status]).toEqual([path, 404]);
    }
  });

  it('shows codes and account links to platform administrators only', async () => {
    await harness.admin('POST', `/user/${await aUser(harness)}/sms-code`, {});
    await harness.deliver();
    const [code = ''] = listed(await admin.get('/console/sandbox'));
    expect((await admin.get(`/console/sandbox/${code}`)).text).toMatch(/\d{5} is your sign-in code/);
    expect((await member.get(`/console/sandbox/${code}`)).status).toBe(404);
    expect((await member.get('/console/sandbox')).text).not.toContain('is your sign-in code');
  });
});

describe('outside of the demo', () => {
  const real = useHarness({ now: '2026-11-16T12:00:00Z', config: { demo: { enabled: false } } });

  it('is for platform administrators', async () => {
    const id = await aQueuedMessage(real, await aService(real));
    await real.deliver();
    const operator = await signedIn(real, (await aPerson(real, { platform_admin: true })).id);
    const person = await signedIn(real, (await aPerson(real)).id);
    expect((await operator.get(`/console/sandbox/${id}`)).status).toBe(200);
    expect((await operator.get('/console/services')).text).toContain('href="/console/sandbox"');
    for (const path of ['', `/${id}`, '/list']) {
      expect((await person.get(`/console/sandbox${path}`)).status).toBe(403);
    }
    expect((await person.get('/console/services')).text).not.toContain('/console/sandbox');
  });
});

describe('without a sandbox', () => {
  const none = useHarness({
    config: { sms: { providers: ['mmg'] }, email: { providers: ['smtp'] }, letters: { handOff: 'folder' } },
  });

  it('404', async () => {
    const operator = await signedIn(none, (await aPerson(none, { platform_admin: true })).id);
    expect((await operator.get('/console/sandbox')).status).toBe(404);
  });
});

describe('an email', () => {
  it('is shown in a frame, as text, source, headers and raw', async () => {
    const id = await aSent({ notification_type: 'email', personalisation: { name: 'Zoë', thing: 'naïve engines' } });
    const page = await member.get(`/console/sandbox/${id}`);
    expect(page.text).toContain('<title>About naïve engines – Sandbox – Pennypost</title>');
    expect(page.text).toContain(`src="/console/sandbox/emails/${id}/frame" sandbox`);
    expect(page.text).not.toMatch(/allow-(?!popups)/);
    expect(page.text).toMatch(/<dt>Reply to<\/dt><dd>reply@example.org<\/dd>/);
    const view = async (name: string) => (await member.get(`/console/sandbox/${id}?view=${name}`)).text;
    expect(await view('text')).toContain('Hello Zoë');
    expect(await view('source')).toContain('&lt;!DOCTYPE html');
    expect(await view('headers')).toMatch(/<dt>Subject<\/dt><dd>About naïve engines<\/dd>/);
    expect(await view('raw')).toContain('Subject: =?UTF-8?');
    expect((await member.get(`/console/sandbox/${id}?width=360`)).text).toContain('mail-sheet--360');
  });

  it('names its attachments', async () => {
    const template_id = await aTemplate(harness, service, { template_type: 'email', subject: 's', content: 'Hello' });
    const doc = {
      file: Buffer.from('x'.repeat(12_345)).toString('base64'),
      filename: 'a<b>.txt',
      sending_method: 'attach',
    };
    const { body } = await harness.v2('POST', '/v2/notifications/email', await anApiKey(harness, service), {
      email_address: 'ada@example.org',
      template_id,
      personalisation: { doc },
    });
    await harness.deliver();
    harness.clock.advance({ seconds: 1 });
    const page = await member.get(`/console/sandbox/${body.id}`);
    expect(page.text).toContain('<dt>Attachments</dt><dd>a&lt;b>.txt (12 kB)</dd>');
  });

  it('has a frame with an origin of its own', async () => {
    const id = await aSent({ notification_type: 'email' });
    const frame = await member.get(`/console/sandbox/emails/${id}/frame`);
    expect(frame.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(String(frame.headers['content-security-policy']).split('; ').slice(0, 4)).toEqual([
      'sandbox allow-popups allow-popups-to-escape-sandbox',
      "default-src 'none'",
      "style-src 'unsafe-inline'",
      'img-src data: localhost:80/logos/',
    ]);
    expect(frame.text).toMatch(/^<!DOCTYPE html><base target="_blank">/);
    expect(frame.text).toContain('Hello Ada');
    const remote = await member.get(`/console/sandbox/emails/${id}/frame?images=remote`);
    expect(remote.headers['content-security-policy']).toContain('; img-src data: localhost:80/logos/ https:; ');
    for (const images of ['', 'data:', '*', 'remote; script-src *']) {
      const other = await member.get(`/console/sandbox/emails/${id}/frame?images=${encodeURIComponent(images)}`);
      expect(other.headers['content-security-policy']).toBe(frame.headers['content-security-policy']);
    }
  });

  it('can be downloaded as it was sent', async () => {
    const id = await aSent({ notification_type: 'email' });
    const source = await member.get(`/console/sandbox/emails/${id}/source`);
    expect(source.headers).toMatchObject({
      'content-type': 'message/rfc822',
      'content-disposition': `attachment; filename="${id}.eml"`,
    });
    expect(source.headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'/);
    expect(source.text).toContain('Subject: About engines');
  });

  it('without a file on this machine is shown as text, and says so', async () => {
    const id = await aSent({ notification_type: 'email' });
    const other = await harness.anotherProcess({ storage: { dataDir: '/nowhere' } });
    const elsewhere = await other.request({
      method: 'GET',
      url: `/console/sandbox/${id}`,
      headers: { cookie: `pennypost_session=${member.cookies.get('pennypost_session')}` },
    });
    expect(elsewhere.text).toContain('The process that sent this email keeps its file');
    expect(elsewhere.text).toContain('Hello Ada');
  });
});

describe('a text', () => {
  it.each([
    ['Hello Ada', 'Ada', '1 part', 'GSM-7'],
    ['Hello Siân ŵ', 'Siân ŵ', '1 part', 'Uses special characters'],
    ['Hello aaa', 'a'.repeat(160), '2 parts', 'GSM-7'],
  ])('%s: its parts and encoding', async (start, name, parts, encoding) => {
    const id = await aSent({ personalisation: { name } });
    const { text } = await member.get(`/console/sandbox/${id}`);
    expect(text).toContain(`<p class="bubble">${start}`);
    expect(text).toContain(`<span>${parts}</span>`);
    expect(text).toContain(`<span>${encoding}`);
  });
});

describe('a letter', () => {
  it('is shown as pictures of the pages that the printer gets, and as that PDF', async () => {
    const id = await aDrawnLetter();
    const page = await member.get(`/console/sandbox/${id}`);
    expect(page.text).toContain('Page 1 of 1');
    expect(page.text).toContain('on Monday 16 November after 17:30');
    const picture = await harness.http.inject({
      url: `/console/sandbox/letters/${id}/pages/1`,
      headers: { cookie: `pennypost_session=${member.cookies.get('pennypost_session')}` },
    });
    expect(picture.headers['content-type']).toBe('image/png');
    expect(PNG.sync.read(picture.rawPayload).height).toBeGreaterThan(800);
    const pdf = await member.get(`/console/sandbox/letters/${id}/pdf`);
    expect(pdf.headers['content-disposition']).toBe(`attachment; filename="${id}.pdf"`);
    expect(pdf.text).toMatch(/^%PDF/);
  });

  it('that is not ready yet says so', async () => {
    const template = await aTemplate(harness, service, { template_type: 'letter' });
    const id = await aLetter(harness, service, template);
    expect((await member.get(`/console/sandbox/${id}`)).text).toContain('not ready yet');
    expect((await member.get(`/console/sandbox/letters/${id}/pages/1`)).status).toBe(404);
    await harness.runTasks();
  });
});

describe('answering a message', () => {
  const answer = (id: string, fields: Record<string, string>) => member.post(`/console/sandbox/${id}/answer`, fields);
  const buttons = async (id: string) =>
    [...(await member.get(`/console/sandbox/${id}`)).text.matchAll(/name="answer" value="([\w-]+)"/g)].map(
      ([, name]) => name,
    );

  it.each([
    ['sms', ['delivered', 'pending', 'temporary-failure', 'permanent-failure', 'technical-failure']],
    ['email', ['delivered', 'temporary-failure', 'permanent-failure', 'technical-failure']],
  ] as const)('as the provider of %s', async (notification_type, receipts) => {
    for (const receipt of receipts) {
      const id = await aSent({ notification_type });
      expect(await buttons(id)).toContain(receipt);
      const page = await answer(id, { answer: receipt });
      expect([page.status, page.location]).toEqual([303, `/console/sandbox/${id}`]);
      expect((await member.follow(page)).text).toContain('Receipt sent.');
      expect((await messageOf(harness, id)).status).toBe(receipt);
    }
  });

  it('is refused where it would change nothing', async () => {
    const id = await aSent();
    await answer(id, { answer: 'delivered' });
    expect(await buttons(id)).not.toContain('permanent-failure');
    const late = await answer(id, { answer: 'permanent-failure' });
    expect([late.status, Object.values(late.problems)]).toEqual([
      400,
      ['The message has changed, so this would no longer have an effect.'],
    ]);
    expect((await messageOf(harness, id)).status).toBe('delivered');
    for (const wrong of ['complaint', 'unsubscribe', 'posted', 'nonsense', '']) {
      expect((await answer(id, { answer: wrong })).status).toBe(400);
    }
  });

  it('with a complaint', async () => {
    const id = await aSent({ notification_type: 'email' });
    expect((await member.follow(await answer(id, { answer: 'complaint' }))).text).toContain('Email reported as spam.');
    const { body } = await harness.admin('GET', '/complaint');
    expect(body.complaints[0]).toMatchObject({ notification_id: id, complaint_type: 'abuse' });
  });

  it('with a request to unsubscribe, through the link of the email itself', async () => {
    const template_id = await aTemplate(harness, service, { template_type: 'email', has_unsubscribe_link: true });
    const id = newId(harness.clock.now());
    const message = { id, address: 'ada@example.org', template: { id: template_id, version: 1, service } };
    const one_click_unsubscribe_url = unsubscribeUrl(harness.app, message);
    await aSent({ notification_type: 'email', id, template_id, one_click_unsubscribe_url });
    expect((await member.get(`/console/sandbox/${id}`)).text).toContain('unsubscribe: one click');
    expect((await answer(id, { answer: 'unsubscribe' })).status).toBe(303);
    const rows = await harness.app.db.selectFrom('unsubscribe_requests').select('notification_id').execute();
    expect(rows).toEqual([{ notification_id: id }]);
  });

  it('never calls the unsubscribe link of a service', async () => {
    const one_click_unsubscribe_url = 'https://town-hall.example/unsubscribe';
    const id = await aSent({ notification_type: 'email', one_click_unsubscribe_url });
    expect(await buttons(id)).not.toContain('unsubscribe');
  });

  it('with a reply, where the service receives texts', async () => {
    const id = await aSent();
    expect(await buttons(id)).not.toContain('reply');
    expect((await answer(id, { answer: 'reply', text: 'Yes' })).status).toBe(400);
    await anInboundNumber(harness, service, { number: '07700900999', provider: 'mmg' });
    expect(await buttons(id)).toContain('reply');
    expect((await answer(id, { answer: 'reply', text: ' ' })).problems).toEqual({ text: 'Write the reply.' });
    expect((await answer(id, { answer: 'reply', text: 'Yes <b>please</b>' })).status).toBe(303);
    const { body } = await harness.admin('POST', `/service/${service}/inbound-sms`, {});
    expect(body.data[0]).toMatchObject({ content: 'Yes <b>please</b>', user_number: '447700900123' });
  });

  it('as the printer', async () => {
    const [posted, rejected] = [await aDrawnLetter(), await aDrawnLetter()];
    for (const id of [posted, rejected]) {
      expect(await buttons(id)).toEqual(['print']);
      expect((await answer(id, { answer: 'print' })).status).toBe(303);
      await harness.runTasks();
    }
    expect(await buttons(posted)).toEqual(['posted', 'rejected', 'returned']);
    await answer(posted, { answer: 'posted' });
    await answer(rejected, { answer: 'rejected' });
    expect((await messageOf(harness, posted)).status).toBe('delivered');
    expect((await messageOf(harness, rejected)).status).toBe('technical-failure');
    expect(await buttons(posted)).toEqual(['returned']);
    await answer(posted, { answer: 'returned' });
    expect((await messageOf(harness, posted)).status).toBe('returned-letter');
    expect(await buttons(posted)).toEqual([]);
  });
});

describe('messages that attack the page', () => {
  const hostile = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onfocus='alert(1)' autofocus='",
    '</textarea></title></style></iframe><svg/onload=alert(1)>',
    'javascript:alert(1)',
  ];

  let names = 0;

  /** Tags with the names of their attributes. */
  const structureOf = ({ text }: Page) =>
    [...text.matchAll(/<(\/?[a-zA-Z][\w-]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
      ([, name, attributes = '']) => `${name} ${attributes.replaceAll(/="[^"]*"/g, '')}`,
    );

  it.each(hostile)('%s has no other tags than harmless words, in any view', async (words) => {
    const shown = async (value: string) => {
      names += 1;
      const own = await aService(harness, { name: `Service ${names} ${value}` });
      const fields = { personalisation: { name: value, thing: value }, reply_to_text: 'TESTING' };
      const email = await aSent({ ...fields, notification_type: 'email', reply_to_text: 'a@example.org' }, own);
      const text = await aSent(fields, own);
      const letter = await aDrawnLetter(own, { recipient: `${value}\n1 High Street\nSW1A 1AA` });
      const visitor = await aMember(own);
      const paths = [
        '',
        ...['', '?view=text', '?view=source', '?view=headers', '?view=raw'].map((view) => `/${email}${view}`),
        `/${text}`,
        `/${letter}`,
      ];
      const pages: Page[] = [];
      for (const path of paths) pages.push(await visitor.get(`/console/sandbox${path}`));
      return pages;
    };
    const [wanted, found] = [await shown('harmless'), await shown(words)];
    for (const [index, page] of found.entries()) {
      expect(page.status).toBe(200);
      const parts = (one: Page | undefined) => (one ? structureOf(one).filter((tag) => !/^\/?br\b/.test(tag)) : []);
      expect(parts(page)).toEqual(parts(wanted[index]));
    }
  });

  it('cannot do more as source: an email that is all script is shown under the same policy', async () => {
    const id = await aSent({ notification_type: 'email' });
    const source = [
      'From: "<script>" <a@example.org>',
      'Subject: x',
      'List-Unsubscribe: <javascript:alert(1)>',
      'X-<b>: "><script>alert(1)</script>',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=/console/account">',
      '<script>alert(1)</script><form action="/console/sign-out" method="post"><button>x</button></form>',
      '<a href="javascript:alert(1)">x</a><a href=\'https://good.example/?a=1&amp;b=2\'>y</a></iframe></pre>',
    ].join('\r\n');
    await replaceSource(harness, id, source);
    const frame = await member.get(`/console/sandbox/emails/${id}/frame`);
    expect(frame.headers['content-security-policy']).toMatch(/^sandbox allow-popups [\w-]+; default-src 'none';/);
    expect(frame.text).toMatch(/^<base target="_blank"><base href=/);
    for (const view of ['html', 'text', 'source', 'headers', 'raw']) {
      const { status, text } = await member.get(`/console/sandbox/${id}?view=${view}`);
      expect(status).toBe(200);
      expect(text).not.toMatch(/<script>|<base|<meta http-equiv|href="javascript:|<\/iframe><\/pre>/);
      expect(text).toContain('<a href="https://good.example/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">');
      expect(text).toContain('<code>javascript:alert(1)</code>');
    }
  });
});

describe('what one person has opened and cleared', () => {
  it('is marked for that person only', { timeout: 60_000 }, async () => {
    const [one, other] = [await aMember(service), await aMember(service)];
    const id = await aSent();
    const unread = (page: Page) => page.text.match(new RegExp(`/sandbox/${id}"[^>]*>.{0,200}? unread`, 's')) !== null;
    expect(unread(await one.get('/console/sandbox'))).toBe(true);
    await one.get(`/console/sandbox/${id}`);
    expect(unread(await one.get('/console/sandbox/list?channel=sms'))).toBe(false);
    expect(unread(await other.get('/console/sandbox'))).toBe(true);
    const cleared = await one.follow(await one.post('/console/sandbox/clear'));
    expect(cleared.text).toContain('Sandbox cleared.');
    expect(listed(cleared)).toEqual([]);
    expect(listed(await other.get('/console/sandbox'))).toContain(id);
    expect((await one.get(`/console/sandbox/${id}`)).status).toBe(200);
    const next = await aSent();
    expect(listed(await one.get('/console/sandbox'))).toEqual([next]);
  });
});

it('a code in a text can be copied', async () => {
  const id = await aSent({ personalisation: { name: 'your code is 123456', thing: '' } });
  expect((await member.get(`/console/sandbox/${id}`)).text).toContain('<code id="code-in-text">123456</code>');
  expect((await member.get(`/console/sandbox/${await aSent()}`)).text).not.toContain('code-in-text');
});
