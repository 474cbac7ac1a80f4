import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { linesIn } from '../../src/rendering/pdf/pdf-text.ts';
import { withPdf } from '../../src/rendering/pdf/pdfium.ts';
import { anApiKey, aReplyTo, aService, aTemplate } from '../kit/builders/rows.ts';
import { useHarness } from '../kit/harness.ts';
import { address, firstPage, laterPage, makePdf } from '../kit/samples/pdf-samples.ts';

/** Letters from the request to the last status, through the public API alone. */

const readQrCode: typeof import('jsqr').default = createRequire(import.meta.url)('jsqr');
const harness = useHarness({ now: '2024-02-05T12:00:00Z', config: { providers: { sandbox: { delay_ms: 0 } } } });
let service: string;
let template: string;
let testKey: string;
let liveKey: string;

beforeAll(async () => {
  harness.app.printer = { handOver: async () => {}, despatchesItselfAfter_ms: 0 };
  service = await aService(harness);
  const contact = await aReplyTo(harness, service, 'letter', { text: 'The Office\n10 Whitechapel High Street' });
  template = await aTemplate(harness, service, {
    template_type: 'letter',
    subject: 'Main heading',
    content: 'The quick brown fox jumped over the lazy dog. Build id: ((build_id)).',
    reply_to: contact,
  });
  testKey = await anApiKey(harness, service, { key_type: 'test' });
  liveKey = await anApiKey(harness, service);
});

const addressed = { address_line_1: 'test', address_line_2: 'London', postcode: 'N1 7RA' };
const post = (key: string, body: unknown) => harness.v2('POST', '/v2/notifications/letter', key, body);
const get = (id: string, key = testKey) => harness.v2('GET', `/v2/notifications/${id}`, key);

async function pdfOf(id: string, key = testKey): Promise<Buffer> {
  const response = await harness.http.inject({
    method: 'GET',
    url: `/v2/notifications/${id}/pdf`,
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toBe('application/pdf');
  return response.rawPayload;
}

describe('a letter sent with a test key', () => {
  it('is received, and its PDF contains the text and the contact block', async () => {
    const sent = await post(testKey, {
      template_id: template,
      reference: 'r-1',
      personalisation: { ...addressed, build_id: '42' },
    });
    expect(sent.status).toBe(201);
    expect((await get(sent.body.id)).body).toMatchObject({ status: 'accepted', reference: 'r-1' });
    expect((await harness.v2('GET', `/v2/notifications/${sent.body.id}/pdf`, testKey)).body.errors).toEqual([
      { error: 'PDFNotReadyError', message: 'PDF not available yet, try again later' },
    ]);
    await harness.runTasks();
    const { body } = await get(sent.body.id);
    expect(body).toMatchObject({
      status: 'received',
      line_1: 'test',
      line_2: 'London',
      postcode: 'N1 7RA',
      postage: 'second',
      completed_at: '2024-02-05T12:00:00.000000Z',
    });
    const text = await withPdf(await pdfOf(sent.body.id), (file) =>
      file.page(1, (page) => linesIn(page, { left: 0, top: 0, right: 210, bottom: 297 }).join('\n')),
    );
    expect(text).toContain('Build id: 42');
    expect(text).toContain('10 Whitechapel High Street');
    expect(text).toContain('N1 7RA');
  });

  it('shows a QR code that decodes to the same bytes', async () => {
    const data = `https://example.com/?q=${'0123456789'.repeat(50)}`.slice(0, 499);
    const sent = await post(testKey, {
      template_id: template,
      personalisation: { ...addressed, build_id: `\n\nqr: ${data}\n\n` },
    });
    expect(sent.status).toBe(201);
    await harness.runTasks();
    expect((await get(sent.body.id)).body.status).toBe('received');
    const image = await withPdf(await pdfOf(sent.body.id), (file) => file.page(1, (page) => page.render(150)));
    expect(readQrCode(new Uint8ClampedArray(image.pixels), image.width, image.height)?.data).toBe(data);
  });
});

describe('a precompiled letter', () => {
  const upload = async (key: string, pdf: Uint8Array, more: object = {}) =>
    post(key, { reference: 'p-1', content: Buffer.from(pdf).toString('base64'), ...more });

  it('with a test key is received, and its PDF is the one that was sent', async () => {
    const pdf = await makePdf([firstPage(), laterPage()]);
    const sent = await upload(testKey, pdf, { postage: 'first' });
    expect(sent.status).toBe(201);
    expect(sent.body).toEqual({ id: sent.body.id, reference: 'p-1', postage: 'first' });
    expect((await get(sent.body.id)).body.status).toBe('pending-virus-check');
    await harness.runTasks();
    expect((await get(sent.body.id)).body).toMatchObject({ status: 'received', reference: 'p-1', postage: 'first' });
    expect((await pdfOf(sent.body.id)).equals(Buffer.from(pdf))).toBe(true);
  });

  it('with a virus fails the scan', async () => {
    const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-', 'ANTIVIRUS-TEST-FILE!$H+H*'].join('');
    const pdf = await makePdf([
      firstPage(address, ({ document }) => document.file(Buffer.from(eicar), { name: 'eicar.txt' })),
    ]);
    const sent = await upload(testKey, pdf);
    await harness.runTasks();
    expect((await get(sent.body.id)).body).toMatchObject({ status: 'virus-scan-failed', reference: 'p-1' });
  });

  it('that is not a PDF fails validation', async () => {
    const sent = await upload(testKey, Buffer.from('%PDF-1.5 testpdf'));
    expect(sent.status).toBe(201);
    await harness.runTasks();
    expect((await get(sent.body.id)).body).toMatchObject({
      status: 'validation-failed',
      completed_at: '2024-02-05T12:00:00.000000Z',
    });
    expect((await pdfOf(sent.body.id)).toString()).toBe('%PDF-1.5 testpdf');
  });

  it('to another country changes its postage', async () => {
    const pdf = await makePdf([firstPage(['Ada', '1 Rue', 'Paris', 'France'])]);
    const sent = await upload(liveKey, pdf, { postage: 'first' });
    await harness.runTasks();
    expect((await get(sent.body.id, liveKey)).body).toMatchObject({ status: 'accepted', postage: 'europe' });
  });
});

describe('a live letter', () => {
  it('is accepted, priced, printed in the evening, received, and can be returned', async () => {
    const sent = await post(liveKey, { template_id: template, personalisation: { ...addressed, build_id: '1' } });
    const id = sent.body.id;
    expect((await get(id, liveKey)).body).toMatchObject({ is_cost_data_ready: false });
    await harness.runTasks();
    expect((await get(id, liveKey)).body).toMatchObject({
      status: 'accepted',
      is_cost_data_ready: true,
      cost_details: { billable_sheets_of_paper: 1, postage: 'second' },
      sent_at: null,
    });
    harness.clock.set('2024-02-05T17:30:00Z');
    await harness.addTask('collate-letters');
    await harness.runTasks();
    expect((await get(id, liveKey)).body).toMatchObject({
      status: 'received',
      sent_at: '2024-02-05T17:30:00.000000Z',
      completed_at: '2024-02-05T17:30:00.000000Z',
    });
    const { provider_reference } = await harness.app.db
      .selectFrom('notifications')
      .select('provider_reference')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    await harness.admin('POST', '/letters/returned', { references: [provider_reference] });
    expect((await get(id, liveKey)).body.status).toBe('received');
    expect(
      (await harness.v2('GET', '/v2/notifications?status=returned-letter', liveKey)).body.notifications,
    ).toMatchObject([{ id }]);
  });

  it('is cancelled before the cut-off, and not after it', async () => {
    harness.clock.set('2024-02-06T12:00:00Z');
    const letter = { template_id: template, personalisation: { ...addressed, build_id: '1' } };
    const { body: early } = await post(liveKey, letter);
    const { body: late } = await post(liveKey, letter);
    await harness.runTasks();
    const cancel = (id: string) => harness.admin('POST', `/service/${service}/notifications/${id}/cancel`);
    expect((await cancel(early.id)).status).toBe(200);
    expect((await get(early.id, liveKey)).body.status).toBe('cancelled');
    harness.clock.set('2024-02-06T17:30:00Z');
    expect((await cancel(late.id)).status).toBe(400);
  });
});
