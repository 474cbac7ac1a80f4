import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { laterPage, makePdf } from '../../../test/kit/samples/pdf-samples.ts';
import { letterAttachmentPath } from './letter-attachments.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f49cd';
const noResult = { result: 'error', message: 'No result found' };
let service: string;
let template: string;
let author: string;

beforeEach(async () => {
  service = await aService(harness);
  author = await aUser(harness);
  template = await aTemplate(harness, service, { template_type: 'letter' });
});

async function attach(change: object = {}) {
  const content = Buffer.from(await makePdf([laterPage(), laterPage()])).toString('base64');
  return harness.admin('POST', '/letter-attachment', {
    upload_id: randomUUID(),
    template_id: template,
    created_by_id: author,
    original_filename: 'map.pdf',
    page_count: 1,
    content,
    ...change,
  });
}

async function current() {
  return (await harness.admin('GET', `/service/${service}/template/${template}`)).body.data;
}

describe('POST /letter-attachment', () => {
  it('201 with the attachment and a new version of the template', async () => {
    const { status, body } = await attach();
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      original_filename: 'map.pdf',
      page_count: 2,
      created_by_id: author,
      created_at: '2026-11-15T12:00:00.000000Z',
      archived_by_id: null,
      archived_at: null,
    });
    expect(await current()).toMatchObject({ version: 2, letter_attachment: body });
    const versions = await harness.admin('GET', `/service/${service}/template/${template}/versions`);
    expect(versions.body.data.map((row: { letter_attachment: unknown }) => row.letter_attachment)).toEqual([
      body,
      null,
    ]);
  });

  const pages = (count: number) => makePdf(Array.from({ length: count }, () => laterPage()));
  const attachPdf = async (pdf: Uint8Array | Promise<Uint8Array>) =>
    attach({ content: Buffer.from(await pdf).toString('base64') });

  it('201 and stores the uploaded file and counts its pages', async () => {
    const pdf = await pages(3);
    const { body } = await attachPdf(pdf);
    expect(body.page_count).toBe(3);
    expect(harness.files.kept.get(letterAttachmentPath(service, body.id))).toEqual(Buffer.from(pdf));
  });

  const outside = laterPage((page) => page.rectangle(2, 100, 5, 5));
  const unprintable: [string, () => Uint8Array | Promise<Uint8Array>, unknown][] = [
    ['is no PDF', () => Buffer.from('%PDF-1.7'), { content: ['unable-to-read-the-file'] }],
    ['needs a password', () => makePdf([laterPage()], { password: 'x' }), { content: ['unable-to-read-the-file'] }],
    ['leaves no page for the letter', () => pages(10), { content: ['letter-too-long'] }],
    ['is far too long', () => pages(11), { content: ['letter-too-long'] }],
    [
      'lies on its side',
      () => makePdf([laterPage(), { width: 297, height: 210 }]),
      { content: ['letter-not-a4-portrait-oriented'], invalid_pages: ['2'] },
    ],
    [
      'cannot be printed to its edge',
      () => makePdf([outside, laterPage(), outside]),
      { content: ['content-outside-printable-area'], invalid_pages: ['1', '3'] },
    ],
    ['holds a virus', () => Buffer.from('EICAR'), 'File did not pass the virus scan'],
  ];
  it.each(unprintable)('400 when the file %s', async (_what, make, message) => {
    const { status, body } = await attachPdf(make());
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message });
    expect((await current()).version).toBe(1);
  });

  it('201 after the first attachment is archived', async () => {
    const { body } = await attach();
    await harness.admin('POST', `/letter-attachment/${body.id}/archive`, { archived_by: author });
    expect((await attach()).status).toBe(201);
    expect((await current()).version).toBe(4);
  });

  it('400 when the template already has an attachment', async () => {
    await attach();
    const { status, body } = await attach();
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message: 'template-already-has-attachment' });
    expect((await current()).version).toBe(2);
  });

  it('400 when the template is not a letter', async () => {
    const { status, body } = await attach({ template_id: await aTemplate(harness, service) });
    expect(status).toBe(400);
    expect(body.message).toBe('Cannot add an attachment to a non-letter template');
  });

  const wrong: [string, object, Record<string, string[]>][] = [
    ['id is not an id', { upload_id: 'x' }, { upload_id: ['Not a valid UUID.'] }],
    ['name is missing', { original_filename: undefined }, { original_filename: ['Missing data for required field.'] }],
    ['page count is a text', { page_count: '2' }, { page_count: ['Not a valid integer.'] }],
    ['page count is 0', { page_count: 0 }, { page_count: ['Must be greater than or equal to 1.'] }],
    ['author is unknown', { created_by_id: unknown }, { created_by_id: ['No result found'] }],
    ['file is missing', { content: undefined }, { content: ['Missing data for required field.'] }],
    ['file is null', { content: null }, { content: ['Field may not be null.'] }],
    ['file is empty', { content: '' }, { content: ['Not valid base64.'] }],
    ['file is not base64', { content: 'ü' }, { content: ['Not valid base64.'] }],
  ];
  it.each(wrong)('400 when the %s', async (_what, change, message) => {
    const { status, body } = await attach(change);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message });
    expect((await current()).version).toBe(1);
  });

  it('400 when the upload id is already in use', async () => {
    const { body } = await attach();
    const other = await aTemplate(harness, service, { template_type: 'letter' });
    const response = await attach({ upload_id: body.id, template_id: other });
    expect(response.status).toBe(400);
    expect(response.body.message).toEqual({ upload_id: ['Already in use.'] });
  });

  it('404 when the template does not exist', async () => {
    const { status, body } = await attach({ template_id: unknown });
    expect(status).toBe(404);
    expect(body).toEqual(noResult);
  });
});

describe('GET /letter-attachment/{letter_attachment_id}', () => {
  it('200 with the attachment, even if archived', async () => {
    const { body } = await attach();
    expect((await harness.admin('GET', `/letter-attachment/${body.id}`)).body).toEqual(body);
    await harness.admin('POST', `/letter-attachment/${body.id}/archive`, { archived_by: author });
    expect((await harness.admin('GET', `/letter-attachment/${body.id}`)).body).toEqual({
      ...body,
      archived_by_id: author,
      archived_at: '2026-11-15T12:00:00.000000Z',
    });
  });

  it('404 when it does not exist', async () => {
    const { status, body } = await harness.admin('GET', `/letter-attachment/${unknown}`);
    expect(status).toBe(404);
    expect(body).toEqual(noResult);
  });
});

describe('POST /letter-attachment/{letter_attachment_id}/archive', () => {
  function archive(id: string, body: object = { archived_by: author }) {
    return harness.admin('POST', `/letter-attachment/${id}/archive`, body);
  }

  it('204 and a new version of the template without the attachment', async () => {
    const { body } = await attach();
    const response = await archive(body.id);
    expect(response.status).toBe(204);
    expect(response.text).toBe('');
    expect(await current()).toMatchObject({ version: 3, letter_attachment: null });
    const second = await harness.admin('GET', `/service/${service}/template/${template}/version/2`);
    expect(second.body.data.letter_attachment.id).toBe(body.id);
  });

  it('400 when it is already archived', async () => {
    const { body } = await attach();
    await archive(body.id);
    const response = await archive(body.id);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message: 'letter-attachment-already-archived' });
  });

  it('400 when the user is missing or does not exist', async () => {
    const { body } = await attach();
    expect((await archive(body.id, {})).body.message).toEqual({ archived_by: ['Missing data for required field.'] });
    expect((await archive(body.id, { archived_by: unknown })).body.message).toEqual({
      archived_by: ['No result found'],
    });
    expect((await current()).version).toBe(2);
  });

  it('404 when it does not exist', async () => {
    expect((await archive(unknown)).status).toBe(404);
  });
});
