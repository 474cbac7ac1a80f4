import { beforeAll, describe, expect, it } from 'vitest';
import { aReplyTo, aService, aTemplate, aTemplateFolder, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { inTransaction } from '../platform/db/database.ts';
import { archiveTemplatesOfService, getOrCreatePrecompiledTemplate } from './templates.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f49cd';
const noResult = { result: 'error', message: 'No result found' };
let service: string;
let author: string;
let elsewhere: string;
let hidden: string;

beforeAll(async () => {
  service = await aService(harness);
  author = await aUser(harness, { name: 'Grace Author', email_address: 'grace.author@example.org' });
  elsewhere = await aTemplate(harness, await aService(harness));
  hidden = await aTemplate(harness, service, { name: 'Pre-compiled PDF', template_type: 'letter', hidden: true });
});

function get(path: string, of = service) {
  return harness.admin('GET', `/service/${of}/template${path}`);
}

describe('GET /service/{service_id}/template', () => {
  it('200 with the list fields, by name and type, except archived and hidden templates', async () => {
    const own = await aService(harness);
    const folder = await aTemplateFolder(harness, own);
    const letter = await aTemplate(harness, own, { name: 'b', template_type: 'letter', folder, process_type: 'bulk' });
    const text = await aTemplate(harness, own, { name: 'b' });
    const email = await aTemplate(harness, own, { name: 'b', template_type: 'email' });
    const capital = await aTemplate(harness, own, { name: 'C' });
    await aTemplate(harness, own, { name: 'archived', archived: true });
    await aTemplate(harness, own, { name: 'Pre-compiled PDF', template_type: 'letter', hidden: true });
    const { status, body } = await get('', own);
    expect(status).toBe(200);
    expect(body.data.map((template: { id: string }) => template.id)).toEqual([capital, text, email, letter]);
    expect(body.data[3]).toEqual({
      id: letter,
      name: 'b',
      template_type: 'letter',
      version: 1,
      created_at: '2026-11-15T12:00:00.000000Z',
      updated_at: null,
      archived: false,
      folder,
      process_type: 'bulk',
      is_precompiled_letter: false,
    });
  });

  it('200 with an empty list for a service without templates', async () => {
    expect((await get('', await aService(harness))).body).toEqual({ data: [] });
  });

  it('404 when the service does not exist', async () => {
    const { status, body } = await get('', unknown);
    expect(status).toBe(404);
    expect(body).toEqual(noResult);
  });
});

describe('GET /service/{service_id}/template/{template_id}', () => {
  it('200 with every field', async () => {
    const reply_to = await aReplyTo(harness, service, 'letter', { text: 'Town Hall' });
    const folder = await aTemplateFolder(harness, service);
    const id = await aTemplate(harness, service, {
      name: 'Letter',
      template_type: 'letter',
      subject: 'Subject',
      content: 'Content',
      created_by_id: author,
      reply_to,
      folder,
    });
    const { status, body } = await get(`/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        id,
        service,
        name: 'Letter',
        template_type: 'letter',
        subject: 'Subject',
        content: 'Content',
        version: 1,
        archived: false,
        hidden: false,
        folder,
        process_type: 'normal',
        redact_personalisation: false,
        postage: 'second',
        is_precompiled_letter: false,
        reply_to,
        reply_to_text: 'Town Hall',
        service_letter_contact: reply_to,
        service_letter_contact_id: reply_to,
        letter_languages: 'english',
        letter_welsh_subject: null,
        letter_welsh_content: null,
        letter_attachment: null,
        has_unsubscribe_link: false,
        email_files: [],
        created_by: { id: author, name: 'Grace Author' },
        created_at: '2026-11-15T12:00:00.000000Z',
        updated_at: null,
      },
    });
  });

  it('200 with an archived template', async () => {
    const id = await aTemplate(harness, service, { archived: true });
    expect((await get(`/${id}`)).body.data.archived).toBe(true);
  });

  it('404 when it does not exist, is hidden or belongs to another service', async () => {
    for (const id of [unknown, hidden, elsewhere]) {
      const { status, body } = await get(`/${id}`);
      expect(status).toBe(404);
      expect(body).toEqual(noResult);
    }
  });

  it('404 for an invalid id', async () => {
    const { status, body } = await get('/reminder');
    expect(status).toBe(404);
    expect(body.result).toBe('error');
  });
});

describe('GET /service/{service_id}/template/{template_id}/version/{version}', () => {
  it('200 with that version and its author', async () => {
    const id = await aTemplate(harness, service, { content: 'First', created_by_id: author });
    await harness.admin('POST', `/service/${service}/template/${id}`, { content: 'Second' });
    const first = await get(`/${id}/version/1`);
    expect(first.status).toBe(200);
    expect(first.body.data).toMatchObject({
      id,
      version: 1,
      content: 'First',
      template_redacted: id,
      created_by: { id: author, name: 'Grace Author', email_address: 'grace.author@example.org' },
      created_at: '2026-11-15T12:00:00.000000Z',
      redact_personalisation: false,
      is_precompiled_letter: false,
    });
    expect((await get(`/${id}/version/2`)).body.data).toMatchObject({ version: 2, content: 'Second' });
  });

  it.each(['0', '2', '999999999'])('404 when there is no version %s', async (version) => {
    const id = await aTemplate(harness, service);
    const { status, body } = await get(`/${id}/version/${version}`);
    expect(status).toBe(404);
    expect(body).toEqual(noResult);
  });

  it.each(['one', '-1', '1.0', '99999999999'])('404 when the version is %s', async (version) => {
    const id = await aTemplate(harness, service);
    expect((await get(`/${id}/version/${version}`)).status).toBe(404);
  });

  it('404 when the template does not exist, is hidden or belongs to another service', async () => {
    for (const id of [unknown, hidden, elsewhere]) expect((await get(`/${id}/version/1`)).status).toBe(404);
  });
});

describe('GET /service/{service_id}/template/{template_id}/versions', () => {
  it('200 newest first, each with the id of its author', async () => {
    const id = await aTemplate(harness, service, { name: 'One', created_by_id: author });
    const editor = await aUser(harness);
    await harness.admin('POST', `/service/${service}/template/${id}`, { name: 'Two', created_by: editor });
    await harness.admin('POST', `/service/${service}/template/${id}`, { archived: true });
    const { status, body } = await get(`/${id}/versions`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      { id, name: 'Two', version: 3, created_by: editor, archived: true },
      { id, name: 'Two', version: 2, created_by: editor, archived: false },
      { id, name: 'One', version: 1, created_by: author, created_at: '2026-11-15T12:00:00.000000Z' },
    ]);
  });

  it('404 when the template does not exist, is hidden or belongs to another service', async () => {
    for (const id of [unknown, hidden, elsewhere]) {
      const { status, body } = await get(`/${id}/versions`);
      expect(status).toBe(404);
      expect(body).toEqual(noResult);
    }
  });
});

describe('GET /service/{service_id}/template/precompiled', () => {
  it('200 with the hidden template, created on the first call', async () => {
    const own = await aService(harness);
    const { status, body } = await get('/precompiled', own);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      service: own,
      name: 'Pre-compiled PDF',
      subject: 'Pre-compiled PDF',
      content: '',
      template_type: 'letter',
      hidden: true,
      is_precompiled_letter: true,
      postage: 'second',
      version: 1,
      archived: false,
    });
    expect((await get('/precompiled', own)).body.id).toBe(body.id);
    expect((await get('', own)).body.data).toEqual([]);
    expect((await get(`/${body.id}`, own)).status).toBe(404);
  });

  it('returns the same template to concurrent callers, inside a transaction or not', async () => {
    const own = await aService(harness);
    const { db } = harness.app;
    const now = harness.clock.now();
    const made = await Promise.all([
      ...Array.from({ length: 5 }, () =>
        getOrCreatePrecompiledTemplate(db, own, { country: harness.app.country, now }),
      ),
      ...Array.from({ length: 5 }, () =>
        inTransaction(db, (tx) => getOrCreatePrecompiledTemplate(tx, own, { country: harness.app.country, now })),
      ),
    ]);
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    const history = await db.selectFrom('templates_history').select('version').where('service_id', '=', own).execute();
    expect(history).toEqual([{ version: 1 }]);
  });

  it('404 when the service does not exist', async () => {
    const { status, body } = await get('/precompiled', unknown);
    expect(status).toBe(404);
    expect(body).toEqual(noResult);
  });
});

describe('GET /service/{service_id}/template/{template_id}/preview', () => {
  it('200 for a text message, with the values and without a subject', async () => {
    const id = await aTemplate(harness, service, {
      name: 'Text',
      content: 'Hello ((first name)), your code is ((code)) .',
    });
    const { status, body } = await get(`/${id}/preview?first+name=Ada&code=12345`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      name: 'Text',
      template_type: 'sms',
      version: 1,
      subject: null,
      content: 'Hello Ada, your code is 12345.',
    });
    expect(body).not.toHaveProperty('data');
  });

  it('200 for an email, with typography in the subject and the body as written', async () => {
    const id = await aTemplate(harness, service, {
      template_type: 'email',
      subject: '((name))\'s "letter"',
      content: '# Hello <b>((name))</b>\n\n* one',
    });
    const { body } = await get(`/${id}/preview?NAME=Ada`);
    expect(body.subject).toBe('Ada’s “letter”');
    expect(body.content).toBe('# Hello <b>Ada</b>\n\n* one');
  });

  it('200 for a letter, whose subject is HTML', async () => {
    const id = await aTemplate(harness, service, {
      template_type: 'letter',
      subject: 'A & ((name))',
      content: '((name))',
    });
    const { body } = await get(`/${id}/preview?name=${encodeURIComponent('<b>')}`);
    expect(body).toMatchObject({ subject: 'A &amp; &lt;b&gt;', content: '<b>' });
  });

  it('200 without values for a template without placeholders', async () => {
    const id = await aTemplate(harness, service, { content: 'Hello' });
    expect((await get(`/${id}/preview`)).body.content).toBe('Hello');
  });

  it('200 with more values than placeholders', async () => {
    const id = await aTemplate(harness, service, { content: 'Hello ((name))' });
    expect((await get(`/${id}/preview?name=Ada&age=36&__proto__=x`)).body.content).toBe('Hello Ada');
  });

  it('200 with the first of a repeated value', async () => {
    const id = await aTemplate(harness, service, { content: 'Hello ((name))' });
    expect((await get(`/${id}/preview?name=Ada&name=Grace`)).body.content).toBe('Hello Ada');
  });

  it('200 with an empty value', async () => {
    const id = await aTemplate(harness, service, { content: 'Hello ((name))!' });
    expect((await get(`/${id}/preview?name=`)).body.content).toBe('Hello !');
  });

  it('200 for an archived template', async () => {
    const id = await aTemplate(harness, service, { content: 'Hello', archived: true });
    expect((await get(`/${id}/preview`)).status).toBe(200);
  });

  it('400 with the missing values in template order', async () => {
    const id = await aTemplate(harness, service, {
      template_type: 'email',
      subject: 'About ((thing))',
      content: 'Dear ((name)), ((late??you are late)) ((Thing))',
    });
    const { status, body } = await get(`/${id}/preview`);
    expect(status).toBe(400);
    expect(body).toEqual({
      result: 'error',
      message: { template: ['Missing personalisation: thing, name, late'] },
    });
    expect((await get(`/${id}/preview?thing=x&late=no`)).body.message).toEqual({
      template: ['Missing personalisation: name'],
    });
  });

  it('400 when a value of the contact block or of the Welsh letter is missing', async () => {
    const reply_to = await aReplyTo(harness, service, 'letter', { text: 'Room ((room))' });
    const id = await aTemplate(harness, service, {
      template_type: 'letter',
      subject: '((a))',
      content: '((b))',
      letter_languages: 'welsh_then_english',
      letter_welsh_subject: '((c))',
      letter_welsh_content: '((d))',
      reply_to,
    });
    expect((await get(`/${id}/preview`)).body.message).toEqual({
      template: ['Missing personalisation: room, c, d, a, b'],
    });
  });

  it('404 when the template does not exist, is hidden or belongs to another service', async () => {
    for (const id of [unknown, hidden, elsewhere]) expect((await get(`/${id}/preview`)).status).toBe(404);
  });
});

describe('archiving a service', () => {
  it('creates a version of every template that is not archived, including the hidden one', async () => {
    const own = await aService(harness);
    const folder = await aTemplateFolder(harness, own);
    const live = await aTemplate(harness, own, { folder });
    const archived = await aTemplate(harness, own, { archived: true });
    const precompiled = await aTemplate(harness, own, { template_type: 'letter', hidden: true });
    const { db } = harness.app;
    await inTransaction(db, (tx) => archiveTemplatesOfService(tx, own, new Date('2026-11-16T09:00:00Z')));
    const rows = await db
      .selectFrom('templates')
      .select(['id', 'archived', 'version', 'folder', 'updated_at'])
      .where('service_id', '=', own)
      .orderBy('id')
      .execute();
    const updated_at = '2026-11-16T09:00:00.000000Z';
    expect(rows).toEqual([
      { id: live, archived: true, version: 2, folder: null, updated_at },
      { id: archived, archived: true, version: 1, folder: null, updated_at: null },
      { id: precompiled, archived: true, version: 2, folder: null, updated_at },
    ]);
    const history = await db
      .selectFrom('templates_history')
      .select(['id', 'version', 'archived'])
      .where('service_id', '=', own)
      .where('version', '=', 2)
      .orderBy('id')
      .execute();
    expect(history).toEqual([
      { id: live, version: 2, archived: true },
      { id: precompiled, version: 2, archived: true },
    ]);
  });
});
