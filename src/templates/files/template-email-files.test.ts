import { beforeEach, describe, expect, it } from 'vitest';
import { aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { emailFilePath } from '../template-row.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f49cd';
const noResult = { result: 'error', message: 'No result found' };
const now = '2026-11-15T12:00:00.000000Z';
let service: string;
let template: string;
let author: string;

beforeEach(async () => {
  service = await aService(harness);
  author = await aUser(harness);
  template = await aTemplate(harness, service, { template_type: 'email' });
});

function url(...parts: string[]): string {
  return [`/service/${service}/templates/${template}/template_email_files`, ...parts].join('/');
}

function add(change: object = {}) {
  const content = Buffer.from('bytes').toString('base64');
  return harness.admin('POST', url(), { filename: 'form.pdf', created_by_id: author, content, ...change });
}

async function aLiveFile(filename = 'form.pdf'): Promise<string> {
  const { body } = await add({ filename, pending: false });
  return body.data.id;
}

async function current() {
  return (await harness.admin('GET', `/service/${service}/template/${template}`)).body.data;
}

async function atVersion(version: number) {
  return (await harness.admin('GET', `/service/${service}/template/${template}/version/${version}`)).body.data;
}

describe('POST /service/{service_id}/templates/{template_id}/template_email_files', () => {
  it('201, pending and with the defaults; the template does not change', async () => {
    const { status, body } = await add();
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        template_id: template,
        template_version: 1,
        version: 1,
        filename: 'form.pdf',
        link_text: null,
        retention_period: 26,
        validate_users_email: true,
        pending: true,
        created_by_id: author,
        created_at: now,
        updated_at: null,
        archived_by_id: null,
        archived_at: null,
      },
    });
    expect(await current()).toMatchObject({ version: 1, email_files: [] });
  });

  it('201 with every field, live immediately', async () => {
    const given = {
      id: '8a1d2f30-0000-4000-8000-000000000001',
      link_text: 'The form',
      retention_period: 78,
      validate_users_email: false,
      pending: false,
    };
    const { body } = await add(given);
    expect(body.data).toMatchObject(given);
    expect((await current()).email_files).toEqual([{ ...given, filename: 'form.pdf' }]);
    expect(harness.files.kept.get(emailFilePath(service, given.id))?.toString()).toBe('bytes');
  });

  it('400 when the template has a file with an equivalent name', async () => {
    await add();
    for (const filename of ['form.pdf', 'FORM.pdf', 'fo_rm.pdf']) {
      const { status, body } = await add({ filename });
      expect(status).toBe(400);
      expect(body).toEqual({
        result: 'error',
        message: `File named ${filename} already exists for template id ${template}`,
      });
    }
  });

  it('201 when the file with that name is archived', async () => {
    const id = await aLiveFile();
    await harness.admin('POST', url(id, 'archive'), { archived_by_id: author });
    expect((await add()).status).toBe(201);
  });

  it('400 when the file contains a virus', async () => {
    const { status, body } = await add({ content: Buffer.from('EICAR').toString('base64') });
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message: 'File did not pass the virus scan' });
  });

  it('400 when the template is not an email', async () => {
    template = await aTemplate(harness, service);
    const { status, body } = await add();
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message: 'Cannot add an email file to a non-email template' });
  });

  const wrong: [string, object, Record<string, unknown[]>][] = [
    ['name is missing', { filename: undefined }, { filename: ['Missing data for required field.'] }],
    ['name is empty', { filename: '' }, { filename: ['Shorter than minimum length 1.'] }],
    ['author is missing', { created_by_id: undefined }, { created_by_id: ['Missing data for required field.'] }],
    ['author is unknown', { created_by_id: unknown }, { created_by_id: ['No result found'] }],
    ['retention is 0', { retention_period: 0 }, { retention_period: ['Must be greater than or equal to 1.'] }],
    ['retention is 79', { retention_period: 79 }, { retention_period: ['Must be less than or equal to 78.'] }],
    ['check is a string', { validate_users_email: 'no' }, { validate_users_email: ['Not a valid boolean.'] }],
    ['file is missing', { content: undefined }, { content: ['Missing data for required field.'] }],
    ['file is null', { content: null }, { content: ['Field may not be null.'] }],
    ['file is empty', { content: '' }, { content: ['Not valid base64.'] }],
    ['file is not base64', { content: '*' }, { content: ['Not valid base64.'] }],
    [
      'file is too large',
      { content: Buffer.alloc(2 * 1024 * 1024 + 1025).toString('base64') },
      { content: ['Uploaded file exceeds file size limit'] },
    ],
    ['file type is not supported', { filename: 'form.exe' }, { filename: [expect.stringMatching(/'\.exe'.*'\.csv'/)] }],
    ['name has no extension', { filename: 'form' }, { filename: [expect.stringMatching(/^Unsupported file type/)] }],
    ['name has brackets', { filename: 'form (1).pdf' }, { filename: ['Must not contain brackets or ??.'] }],
    ['name is a condition', { filename: 'form??yes.pdf' }, { filename: ['Must not contain brackets or ??.'] }],
  ];
  it.each(wrong)('400 when the %s', async (_what, change, message) => {
    const { status, body } = await add(change);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message });
    expect((await harness.admin('GET', url())).body.data).toEqual([]);
  });

  it('403 when the service may not send emails', async () => {
    service = await aService(harness, { permissions: ['sms'] });
    template = await aTemplate(harness, service, { template_type: 'email' });
    const { status, body } = await add();
    expect(status).toBe(403);
    expect(body.message).toEqual({ template_type: ['Updating email templates is not allowed'] });
  });

  it('404 when the template does not exist', async () => {
    template = unknown;
    const { status, body } = await add();
    expect(status).toBe(404);
    expect(body).toEqual(noResult);
  });
});

describe('GET /service/{service_id}/templates/{template_id}/template_email_files', () => {
  it('200 with live and pending files, but no archived ones', async () => {
    const live = await aLiveFile('a.pdf');
    const { body: pending } = await add({ filename: 'b.pdf' });
    const archived = await aLiveFile('c.pdf');
    await harness.admin('POST', url(archived, 'archive'), { archived_by_id: author });
    const { status, body } = await harness.admin('GET', url());
    expect(status).toBe(200);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([live, pending.data.id]);
  });

  it('404 when the template does not exist', async () => {
    template = unknown;
    expect((await harness.admin('GET', url())).status).toBe(404);
  });
});

describe('GET /service/{service_id}/templates/{template_id}/template_email_files/{id}', () => {
  it('200 with the file', async () => {
    const { body } = await add();
    expect((await harness.admin('GET', url(body.data.id))).body).toEqual(body);
  });

  it('404 when it does not exist or belongs to another template', async () => {
    const id = await aLiveFile();
    template = await aTemplate(harness, service, { template_type: 'email' });
    for (const other of [unknown, id]) {
      const { status, body } = await harness.admin('GET', url(other));
      expect(status).toBe(404);
      expect(body).toEqual(noResult);
    }
  });
});

describe('POST /service/{service_id}/templates/{template_id}/template_email_files/{id}', () => {
  it('200 when making it live; creates a version of the file, but none of the template', async () => {
    const { body: added } = await add();
    const { status, body } = await harness.admin('POST', url(added.data.id), { pending: false });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ pending: false, version: 2, template_version: 1, updated_at: now });
    expect(await current()).toMatchObject({ version: 1, email_files: [{ id: added.data.id, pending: false }] });
  });

  it('200 when updating a pending file; creates no version of the template', async () => {
    const { body: added } = await add();
    const { body } = await harness.admin('POST', url(added.data.id), { link_text: 'Form', retention_period: 4 });
    expect(body.data).toMatchObject({ link_text: 'Form', retention_period: 4, pending: true, version: 2 });
    expect((await current()).version).toBe(1);
  });

  it('200 when updating a live file; creates a version of the template, earlier ones keep the earlier file', async () => {
    const id = await aLiveFile();
    const { body } = await harness.admin('POST', url(id), { link_text: 'Form', filename: 'new.pdf' });
    expect(body.data).toMatchObject({ link_text: 'Form', filename: 'new.pdf', version: 2, template_version: 2 });
    expect(await current()).toMatchObject({
      version: 2,
      email_files: [{ id, link_text: 'Form', filename: 'new.pdf' }],
    });
    expect(await atVersion(1)).toMatchObject({ email_files: [{ id, link_text: null, filename: 'form.pdf' }] });
  });

  it('200 and no new version when nothing changes', async () => {
    const id = await aLiveFile();
    const { status, body } = await harness.admin('POST', url(id), { filename: 'form.pdf', pending: false });
    expect(status).toBe(200);
    expect(body.data.version).toBe(1);
    expect((await current()).version).toBe(1);
  });

  it('400 when another file has that name', async () => {
    await aLiveFile('a.pdf');
    const id = await aLiveFile('b.pdf');
    const { status, body } = await harness.admin('POST', url(id), { filename: 'A.pdf' });
    expect(status).toBe(400);
    expect(body.message).toBe(`File named A.pdf already exists for template id ${template}`);
  });

  it('400 when the new name cannot be a link, or the file was never uploaded', async () => {
    const id = await aLiveFile();
    const named = await harness.admin('POST', url(id), { filename: 'form.exe' });
    expect([named.status, Object.keys(named.body.message)]).toEqual([400, ['filename']]);
    const { body: pending } = await add({ filename: 'later.pdf' });
    harness.files.kept.delete(emailFilePath(service, pending.data.id));
    const live = await harness.admin('POST', url(pending.data.id), { pending: false });
    expect([live.status, live.body.message]).toEqual([400, 'The file has not been uploaded']);
    expect((await current()).version).toBe(1);
  });

  it('400 when making a live file pending again', async () => {
    const { body } = await harness.admin('POST', url(await aLiveFile()), { pending: true });
    expect(body.message).toEqual({ pending: ['A live file stays live.'] });
  });

  it('404 when it does not exist', async () => {
    expect((await harness.admin('POST', url(unknown), { link_text: 'x' })).status).toBe(404);
  });
});

describe('POST /service/{service_id}/templates/{template_id}/template_email_files/{id}/archive', () => {
  it('200; creates a version of the template without it', async () => {
    const id = await aLiveFile();
    const { status, body } = await harness.admin('POST', url(id, 'archive'), { archived_by_id: author });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ archived_by_id: author, archived_at: now, version: 2, template_version: 2 });
    expect(await current()).toMatchObject({ version: 2, email_files: [] });
    expect((await atVersion(1)).email_files).toMatchObject([{ id }]);
  });

  it('200 for a pending file; creates no version of the template', async () => {
    const { body } = await add();
    await harness.admin('POST', url(body.data.id, 'archive'), { archived_by_id: author });
    expect((await current()).version).toBe(1);
  });

  it('400 when it is already archived, or without a user', async () => {
    const id = await aLiveFile();
    expect((await harness.admin('POST', url(id, 'archive'), {})).body.message).toEqual({
      archived_by_id: ['Missing data for required field.'],
    });
    await harness.admin('POST', url(id, 'archive'), { archived_by_id: author });
    const again = await harness.admin('POST', url(id, 'archive'), { archived_by_id: author });
    expect(again.status).toBe(400);
    expect(again.body.message).toBe('email-file-already-archived');
  });

  it('404 when it does not exist', async () => {
    expect((await harness.admin('POST', url(unknown, 'archive'), { archived_by_id: author })).status).toBe(404);
  });
});

describe('POST /service/{service_id}/template/{template_id} with files', () => {
  function update(body: object) {
    return harness.admin('POST', `/service/${service}/template/${template}`, body);
  }

  it('200 when archiving it; archives its files too, by the same user', async () => {
    const id = await aLiveFile();
    const { body: pending } = await add({ filename: 'later.pdf' });
    const archiver = await aUser(harness);
    const { body } = await update({ archived: true, created_by: archiver });
    expect(body.data).toMatchObject({ archived: true, version: 2, email_files: [] });
    for (const file of [id, pending.data.id]) {
      expect((await harness.admin('GET', url(file))).body.data).toMatchObject({
        archived_by_id: archiver,
        archived_at: now,
        version: 2,
        template_version: 2,
      });
    }
    expect((await atVersion(1)).email_files).toMatchObject([{ id }]);
  });

  it('200 for an edit that also archives files', async () => {
    const leaving = await aLiveFile('a.pdf');
    const staying = await aLiveFile('b.pdf');
    const { body } = await update({ content: 'Without ((a.pdf))', archive_email_file_ids: [leaving] });
    expect(body.data).toMatchObject({ version: 2, email_files: [{ id: staying }] });
    expect((await update({ archive_email_file_ids: [staying], current_user: author })).body.data).toMatchObject({
      version: 3,
      email_files: [],
    });
  });

  it('200 and no new version when the given files belong to another template', async () => {
    const elsewhere = template;
    const file = await aLiveFile();
    template = await aTemplate(harness, service, { template_type: 'email' });
    expect((await update({ archive_email_file_ids: [file, unknown] })).body.data.version).toBe(1);
    template = elsewhere;
    expect((await harness.admin('GET', url(file))).body.data.archived_at).toBeNull();
  });
});
