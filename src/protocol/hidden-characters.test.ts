import { describe, expect, it } from 'vitest';
import {
  aNewUser,
  anApiKey,
  anOrganisation,
  aService,
  aTemplate,
  aTemplateFolder,
  aUser,
} from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../test/kit/world/console-people.ts';
import { collectPages } from '../console/collect-pages.ts';
import { findSource } from '../delivery/sandbox/email-sources.ts';
import { refusalOfHiddenCharacters, withoutHiddenCharacters } from './hidden-characters.ts';

const harness = useHarness();
const reversed = 'Bank \u202Emoc.live';
const sentence = 'Must not contain control characters or characters that are not visible.';

describe('a name', () => {
  it.each([
    '\u0000',
    '\t',
    '\n',
    '\u0085',
    '\u00AD',
    '\u061C',
    '\u200B',
    '\u200E',
    '\u200F',
    '\u2028',
    '\u202A',
    '\u202B',
    '\u202C',
    '\u202D',
    '\u202E',
    '\u2060',
    '\u2066',
    '\u2067',
    '\u2068',
    '\u2069',
    '\uFEFF',
    '\u{E0041}',
  ])('refuses %j, which is removed from subjects and names of files', (hidden) => {
    for (const name of [`${hidden}Town`, `To${hidden}wn`, `Town${hidden}`, `شهر${hidden}داری`]) {
      expect(refusalOfHiddenCharacters(name)).toBeDefined();
      expect(withoutHiddenCharacters(name)).toBe(name.replace(hidden, ''));
    }
  });

  it.each([
    'To\u200Cwn',
    'To\u200Dwn',
    'é\u200D',
    'e\u0301\u200Cx',
    'Гор\u200Cод',
    '7\u200D',
    '\u200Cشهر',
    'ه\u200C\u200C',
    '😀\u200D',
    '😀\u200DTown',
    '\u{1F3F4}\u{E0067}\u{E0062}',
  ])('refuses joiners and tags that join nothing: %j', (name) => expect(refusalOfHiddenCharacters(name)).toBeDefined());

  it.each([
    'Zoë’s café – “Æther” & Söhne',
    'می\u200Cخواهم',
    'क्\u200Dष',
    'ക്\u200D',
    'ශ්\u200Dරී',
    '👩\u200D💻',
    '👩🏽\u200D🚀',
    '🏳️\u200D🌈',
    '\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}',
    'שלום',
    'مرحبا',
    '東京都',
    'Tŷ\u00A0Llwyd',
  ])('may be %j', (name) => expect(refusalOfHiddenCharacters(name)).toBeUndefined());
});

describe('the admin API', () => {
  it('400 with one sentence for every kind of name', async () => {
    const service = await aService(harness);
    const created_by = await aUser(harness);
    const organisation = await anOrganisation(harness);
    const path = `/service/${service}`;
    const requests: [string, Record<string, unknown>, string?][] = [
      ['/service', { name: reversed, user_id: created_by, restricted: true }],
      [path, { name: reversed }],
      [path, { custom_email_sender_name: reversed }, 'custom_email_sender_name'],
      [`${path}/sms-sender`, { sms_sender: 'A\u202EB', is_default: false }, 'sms_sender'],
      ['/user', aNewUser({ name: reversed })],
      [`/user/${created_by}`, { name: reversed }],
      ['/organisations', { name: reversed, crown: true, organisation_type: 'central' }],
      [`/organisations/${organisation}`, { name: reversed }],
      [`${path}/api-key`, { name: reversed, key_type: 'normal', created_by }],
      [`${path}/channel-plan`, { name: reversed, steps: [], created_by }],
      [`${path}/template`, { name: reversed, template_type: 'sms', content: 'x', created_by }],
      [`${path}/template/${await aTemplate(harness, service)}`, { name: reversed, created_by }],
      [`${path}/template-folder`, { name: reversed, parent_id: null }],
      [`${path}/template-folder/${await aTemplateFolder(harness, service)}`, { name: reversed }],
      [`${path}/send-window`, { name: reversed, days: [], from_time: '08:00', until_time: '09:00' }],
      ['/email-branding', { name: reversed, brand_type: 'org', colour: null, text: null, logo: null }],
      ['/letter-branding', { name: reversed, filename: 'x' }],
    ];
    for (const [url, body, field = 'name'] of requests) {
      const { status, text } = await harness.admin('POST', url, body);
      expect([url, status, text.includes(field), text.includes(sentence)]).toEqual([url, 400, true, true]);
    }
  });
});

describe('the console', () => {
  it('has no form with a name that takes them', () => {
    const forms = collectPages(harness.app).flatMap(({ path, form }) => {
      const schema = (form?.properties as Record<string, { type?: string; format?: string }> | undefined)?.name;
      return schema?.type === 'string' ? [{ path, format: schema.format }] : [];
    });
    // Templates have rules of their own, domains take no such characters, and the other is the name of a day off.
    const others = /template|domain|days-without-printing/;
    expect(forms.filter(({ path, format }) => !/name/.test(format ?? '') && !others.test(path))).toEqual([]);
    expect(forms.length).toBeGreaterThan(12);
  });

  it('400 beside the field', async () => {
    const service = await aService(harness);
    const { id } = await aPerson(harness);
    await joinService(harness, service, id);
    const browser = await signedIn(harness, id);
    const page = await browser.post(`/console/services/${service}/settings/name`, { name: reversed });
    expect([page.status, page.problems]).toEqual([
      400,
      { name: 'Type the name instead of pasting it. It contains invisible characters.' },
    ]);
    const template = await browser.post(`/console/services/${service}/templates/new/sms`, {
      ...{ do: 'save', name: reversed, content: 'Hello' },
    });
    expect([template.status, template.problems.name]).toEqual([400, page.problems.name]);
  });
});

describe('an email', () => {
  it('has none in its subject, nor in the names of its files', async () => {
    const service = await aService(harness);
    const template = await aTemplate(harness, service, {
      ...{ template_type: 'email', subject: 'News\u2066 ((thing))', content: '((thing)) ((file))' },
    });
    await harness.admin('POST', `/service/${service}`, { contact_link: 'https://example.org' });
    const personalisation = {
      thing: reversed,
      file: { file: Buffer.from('x').toString('base64'), filename: 'bill\u202Efdp.txt' },
    };
    const sent = await harness.v2('POST', '/v2/notifications/email', await anApiKey(harness, service), {
      ...{ email_address: 'ada@example.org', template_id: template, personalisation },
    });
    expect(sent.status).toBe(201);
    const { filename } = await harness.app.db
      .selectFrom('documents')
      .select('filename')
      .where('service_id', '=', service)
      .executeTakeFirstOrThrow();
    expect(filename).toBe('billfdp.txt');
    await harness.deliver();
    expect(String(await findSource(harness.app, sent.body.id))).toContain('Subject: News Bank moc.live');
  });
});
