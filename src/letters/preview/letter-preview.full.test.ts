import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { aLetter } from '../../../test/kit/builders/letters.ts';
import { aNotification, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { type Answer, useHarness } from '../../../test/kit/harness.ts';
import { linesIn } from '../../rendering/pdf/pdf-text.ts';
import { withPdf } from '../../rendering/pdf/pdfium.ts';

const harness = useHarness({ now: '2030-11-15T12:00:00Z' });
let service: string;
let template: string;
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f49cc';

beforeAll(async () => {
  service = await aService(harness);
  template = await aTemplate(harness, service, {
    template_type: 'letter',
    content: 'Hello ((name))\n\n***\n\nThe second page',
  });
});

const get = (path: string) => harness.admin('GET', `/service/${service}/template/${path}`);

async function textOf(content: string): Promise<string[]> {
  const page = { left: 0, top: 0, right: 210, bottom: 297 };
  return withPdf(Buffer.from(content, 'base64'), (file) =>
    Array.from({ length: file.page_count }, (_, n) => file.page(n + 1, (shown) => linesIn(shown, page).join('\n'))),
  );
}

function sizeOfPng(content: string): [number, number] {
  const png = Buffer.from(content, 'base64');
  expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

describe('GET /service/{service_id}/template/preview/{notification_id}/{file_type}', () => {
  it('200 with the PDF, before and after it is rendered for printing', async () => {
    const id = await aLetter(harness, service, template);
    const response = await get(`preview/${id}/pdf`);
    expect(response.status).toBe(200);
    expect(Object.keys(response.body)).toEqual(['content', 'metadata']);
    expect(response.body.metadata).toEqual({ message: '', invalid_pages: [], page_count: 2 });
    expect((await textOf(response.body.content))[0]).toContain('Hello Ada');
    await harness.runTasks();
    expect((await get(`preview/${id}/pdf`)).body).toEqual(response.body);
  });

  it('200 with a page at 150 dpi, by default the first', async () => {
    const id = await aLetter(harness, service, template);
    const first = await get(`preview/${id}/png`);
    expect(first.status).toBe(200);
    expect(sizeOfPng(first.body.content)).toEqual([1240, 1754]);
    expect((await get(`preview/${id}/png?page=1`)).body).toEqual(first.body);
    expect((await get(`preview/${id}/png?page=2`)).body.content).not.toBe(first.body.content);
  });

  it('200 with the version that was sent, and the reason if it is too long', async () => {
    const long = await aTemplate(harness, service, {
      template_type: 'letter',
      content: Array.from({ length: 11 }, () => 'Page').join('\n\n***\n\n'),
    });
    const id = await aLetter(harness, service, long);
    await harness.runTasks();
    await harness.admin('POST', `/service/${service}/template/${long}`, { content: 'Short' });
    const response = await get(`preview/${id}/pdf`);
    expect(response.body.metadata).toEqual({ message: 'letter-too-long', invalid_pages: [], page_count: 11 });
    expect(await textOf(response.body.content)).toHaveLength(11);
  });

  it.each(['0', '3', '-1'])('400 when page %s does not exist', async (page) => {
    const id = await aLetter(harness, service, template);
    const response = await get(`preview/${id}/png?page=${page}`);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message: `Letter does not have a page ${page}` });
  });

  it('400 when the page is not a number', async () => {
    const id = await aLetter(harness, service, template);
    const response = await get(`preview/${id}/png?page=two`);
    expect(response.status).toBe(400);
    expect(response.body.message).toEqual({ page: ['Not a valid integer.'] });
  });

  it('400 when the file type is neither pdf nor png', async () => {
    const response = await get(`preview/${unknown}/gif`);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message: { content: ['file_type must be pdf or png'] } });
  });

  it('400 when it is not a letter', async () => {
    const id = await aNotification(harness, service, await aTemplate(harness, service));
    const response = await get(`preview/${id}/pdf`);
    expect([response.status, response.body]).toEqual([
      400,
      { result: 'error', message: 'Notification is not a letter' },
    ]);
  });

  it('404 when it is unknown or of another service', async () => {
    const id = await aLetter(harness, service, template);
    const other = await aService(harness);
    expect((await get(`preview/${unknown}/pdf`)).body).toEqual({ result: 'error', message: 'No result found' });
    expect((await get('preview/not-an-id/pdf')).status).toBe(404);
    expect((await harness.admin('GET', `/service/${other}/template/preview/${id}/pdf`)).status).toBe(404);
  });

  it('401 without a token', async () => {
    const response = await harness.request({
      method: 'GET',
      url: `/service/${service}/template/preview/${unknown}/pdf`,
    });
    expect(response.status).toBe(401);
  });
});

describe('GET /service/{service_id}/template/{template_id}/letter-preview/{file_type}', () => {
  it('200 with empty placeholders highlighted', async () => {
    const response = await get(`${template}/letter-preview/pdf`);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ page_count: 2, metadata: { message: '', invalid_pages: [] } });
    const [page] = await textOf(response.body.content);
    expect(page).toContain('((name))');
    expect(page).toContain('15 November 2030');
  });

  it('200 with the values of the query string', async () => {
    const values = 'name=Grace&thing=all&address_line_1=Grace&address_line_2=2+Lane&postcode=sw1a1aa';
    const [page] = await textOf((await get(`${template}/letter-preview/pdf?${values}`)).body.content);
    expect(page).toContain('Hello Grace');
    expect(page).toContain('SW1A 1AA');
  });

  it('200 with a page as PNG', async () => {
    const response = await get(`${template}/letter-preview/png?page=2`);
    expect(sizeOfPng(response.body.content)).toEqual([1240, 1754]);
  });

  it('400 when the page does not exist', async () => {
    expect((await get(`${template}/letter-preview/png?page=3`)).body.message).toBe('Letter does not have a page 3');
  });

  it('400 when the template is not a letter, or the file type is neither pdf nor png', async () => {
    const sms = await aTemplate(harness, service);
    expect((await get(`${sms}/letter-preview/pdf`)).status).toBe(400);
    expect((await get(`${template}/letter-preview/jpg`)).body.message).toEqual({
      content: ['file_type must be pdf or png'],
    });
  });

  it('404 when the template does not exist', async () => {
    expect((await get(`${unknown}/letter-preview/pdf`)).status).toBe(404);
  });
});

describe('POST /service/{service_id}/template/{template_id}/letter-preview/{file_type}', () => {
  const post = (path: string, body: unknown) => harness.admin('POST', `/service/${service}/template/${path}`, body);

  it('200 with the values of the body, without waiting for a change', async () => {
    const catchUp = vi.spyOn(harness.app.changeListener, 'catchUp');
    onTestFinished(() => catchUp.mockRestore());
    const personalisation = {
      name: 'Grace',
      thing: 'all',
      address_line_1: 'Grace',
      address_line_2: '2 Lane',
      postcode: 'sw1a1aa',
      page: 'a value',
    };
    const response = await post(`${template}/letter-preview/pdf`, { personalisation });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ page_count: 2, metadata: { message: '', invalid_pages: [] } });
    const [page] = await textOf(response.body.content);
    expect(page).toContain('Hello Grace');
    expect(page).toContain('SW1A 1AA');
    expect(catchUp).not.toHaveBeenCalled();
  });

  it('200 with a page as PNG', async () => {
    const response = await post(`${template}/letter-preview/png?page=2`, { personalisation: {} });
    expect(sizeOfPng(response.body.content)).toEqual([1240, 1754]);
  });

  it('400 without values, or with a value that is not a string', async () => {
    expect((await post(`${template}/letter-preview/pdf`, {})).body.message).toEqual({
      personalisation: ['Missing data for required field.'],
    });
    expect((await post(`${template}/letter-preview/pdf`, { personalisation: { name: 1 } })).status).toBe(400);
  });
});

describe('a preview of a letter in several languages', () => {
  const variants = [
    { language: 'cy', subject: 'Llythyr', content: 'Helo ((enw))\n\n***\n\nYr ail dudalen' },
    { language: 'fr', subject: 'Lettre', content: 'Bonjour' },
  ];
  let path: string;
  let ofService: string;

  async function aLetterIn(languages: object = {}): Promise<void> {
    const created_by = await aUser(harness);
    const permissions = ['letter', 'template_languages'];
    ofService = await aService(harness, { permissions, created_by_id: created_by });
    const { status, body } = await harness.admin('POST', `/service/${ofService}/template`, {
      ...{ name: 'Notice', template_type: 'letter', subject: 'Letter', content: 'Hello ((name))', created_by },
      languages: { default: 'en', field: 'language', variants, ...languages },
    });
    expect(status, JSON.stringify(body)).toBe(201);
    path = `/service/${ofService}/template/${body.data.id}/letter-preview`;
  }

  const post = (body: object, file = 'pdf') =>
    harness.admin('POST', `${path}/${file}`, { personalisation: {}, ...body });
  const firstPage = async ({ body }: Answer) => (await textOf(body.content))[0] ?? '';

  it('has the text, the date and the page numbers of the chosen one', async () => {
    await aLetterIn();
    const welsh = await post({ language: 'cy-GB', personalisation: { enw: 'Ada' } });
    expect(welsh.body.page_count).toBe(2);
    for (const text of ['Llythyr', 'Helo Ada', '15 Tachwedd 2030', 'Tudalen 1 o 2']) {
      expect(await firstPage(welsh)).toContain(text);
    }
    expect(await firstPage(await post({ personalisation: { language: 'fr' } }))).toContain('15 novembre 2030');
    expect(await firstPage(await harness.admin('GET', `${path}/pdf?language=fr`))).toContain('Bonjour');
    const picture = await post({ language: 'cy' }, 'png?page=2');
    expect(sizeOfPng(picture.body.content)).toEqual([1240, 1754]);
    expect((await post({ language: 'fr' }, 'png?page=2')).body.message).toBe('Letter does not have a page 2');
  });

  it('has the own text of the template for another language, unless the template refuses it', async () => {
    await aLetterIn({ default: 'cy', variants: variants.slice(1) });
    expect(await firstPage(await post({ language: 'de' }))).toMatch(/15 Tachwedd 2030[\s\S]*Hello/);
    await aLetterIn({ refuse_unknown: true });
    const refused = await post({ language: 'de' });
    const message = 'The template has no text in the language of this message: its languages are en, cy, fr';
    expect([refused.status, refused.body]).toEqual([400, { result: 'error', message }]);
    const wrong = await post({ language: 'not a language' });
    expect([wrong.status, wrong.body.message]).toEqual([
      400,
      { language: ['Not a language tag, such as fr or fr-CA'] },
    ]);
  });

  it('has the own text once the service may not have languages any more', async () => {
    await aLetterIn();
    await harness.admin('POST', `/service/${ofService}`, { permissions: ['letter'] });
    expect(await firstPage(await post({ language: 'fr' }))).toContain('Hello');
  });
});
