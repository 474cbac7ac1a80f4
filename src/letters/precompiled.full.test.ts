import { beforeAll, describe, expect, it } from 'vitest';
import { anUploadedLetter, letterRow } from '../../test/kit/builders/letters.ts';
import { anApiKey, aService } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { address, firstPage, laterPage, makePdf } from '../../test/kit/samples/pdf-samples.ts';
import { checkPrecompiledLetter, letterFiles } from '../notifications/tasks-for-others.ts';

const harness = useHarness({ now: '2030-11-15T12:00:00Z' });
let service: string;
let homeOnly: string;
let key: string;

beforeAll(async () => {
  service = await aService(harness);
  homeOnly = await aService(harness, { permissions: ['letter'] });
  key = await anApiKey(harness, service);
});

async function upload(pdf: Uint8Array, fields: Parameters<typeof anUploadedLetter>[3] = {}, of = service) {
  const id = await anUploadedLetter(harness, of, pdf, fields);
  await harness.runTasks();
  return id;
}

function preview(id: string, fileType = 'pdf', of = service) {
  return harness.admin('GET', `/service/${of}/template/preview/${id}/${fileType}`);
}

const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-', 'ANTIVIRUS-TEST-FILE!$H+H*'].join('');
const lines = (...given: string[]) => makePdf([firstPage(given)]);

describe('check-precompiled-letter', () => {
  it('prepares a valid letter for the print run', async () => {
    const id = await upload(await makePdf([firstPage(), laterPage(), laterPage()]));
    expect(await letterRow(harness, id)).toMatchObject({
      status: 'created',
      billable_units: 2,
      recipient: address.join('\n'),
      postage: 'second',
      international: false,
    });
    expect((await preview(id)).body.metadata).toEqual({ message: '', invalid_pages: [], page_count: 3 });
    expect(harness.files.kept.has(letterFiles.finished(id))).toBe(true);
  });

  it('delivers a letter of a test key at once and serves it unchanged', async () => {
    const pdf = await makePdf([firstPage()]);
    const id = await upload(pdf, { key_type: 'test' });
    expect(await letterRow(harness, id)).toMatchObject({ status: 'delivered', billable_units: 0 });
    const response = await harness.http.inject({
      method: 'GET',
      url: `/v2/notifications/${id}/pdf`,
      headers: { authorization: `Bearer ${key}` },
    });
    expect(response.rawPayload.equals(Buffer.from(pdf))).toBe(true);
    expect((await harness.v2('GET', `/v2/notifications/${id}`, key)).body).toMatchObject({
      status: 'received',
      line_1: 'Provided as PDF',
      reference: 'upload',
    });
  });

  it.each([
    [['Ada', '1 Rue', '75001 Paris', 'France'], 'europe'],
    [['Ada', '1 Rue', '75001 Paris', 'frankreich'], undefined],
    [['Ada', '1 Street', 'Sydney', 'Australia'], 'rest-of-world'],
  ])('derives the postage from the address: %j', async (given, postage) => {
    const id = await upload(await lines(...given));
    const expected = postage
      ? { status: 'created', postage, international: true }
      : { status: 'validation-failed', postage: 'second', international: false };
    expect(await letterRow(harness, id)).toMatchObject(expected);
  });

  it('rejects an infected file and never shows it', async () => {
    const pdf = await makePdf([firstPage()]);
    const id = await upload(Buffer.concat([pdf, Buffer.from(eicar, 'latin1')]));
    expect(await letterRow(harness, id)).toMatchObject({ status: 'virus-scan-failed', billable_units: 0 });
    const response = await preview(id);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message: 'File did not pass the virus scan' });
    expect((await harness.v2('GET', `/v2/notifications/${id}/pdf`, key)).body.errors[0].message).toBe(
      'File did not pass the virus scan',
    );
  });

  it('retries while the scanner does not respond, and finally gives up', async () => {
    const { scan } = harness.app.virusScanner;
    harness.app.virusScanner.scan = () => Promise.reject(new Error('no answer'));
    try {
      const id = await upload(await makePdf([firstPage()]));
      expect(await letterRow(harness, id)).toMatchObject({ status: 'pending-virus-check' });
      await harness.app.queue.add(harness.app.db, checkPrecompiledLetter, { notification_id: id, attempt: 15 });
      await harness.runTasks();
      expect(await letterRow(harness, id)).toMatchObject({ status: 'technical-failure' });
      expect(harness.files.kept.has(letterFiles.uploaded(id))).toBe(true);
      await harness.app.db.deleteFrom('notifications').where('id', '=', id).execute();
      await harness.addTask('clean-letters');
      await harness.runTasks();
      expect(harness.files.kept.has(letterFiles.uploaded(id))).toBe(false);
    } finally {
      harness.app.virusScanner.scan = scan;
    }
  });

  it('200 with the file as received before it is checked', async () => {
    const pdf = await makePdf([firstPage()]);
    const id = await anUploadedLetter(harness, service, pdf);
    const response = await preview(id);
    expect(response.status).toBe(200);
    expect(Buffer.from(response.body.content, 'base64').equals(pdf)).toBe(true);
    expect(response.body.metadata).toEqual({ message: '', invalid_pages: [], page_count: null });
    await harness.runTasks();
    expect((await preview(id)).body.metadata).toEqual({ message: '', invalid_pages: [], page_count: 1 });
  });

  it('400 for a file with a virus, and 503 without a scanner, before it is checked', async () => {
    const infected = await anUploadedLetter(
      harness,
      service,
      Buffer.concat([await makePdf([firstPage()]), Buffer.from(eicar, 'latin1')]),
    );
    expect((await preview(infected)).body.message).toBe('File did not pass the virus scan');
    const { scan } = harness.app.virusScanner;
    harness.app.virusScanner.scan = () => Promise.reject(new Error('connect ECONNREFUSED'));
    try {
      const id = await anUploadedLetter(harness, service, await makePdf([firstPage()]));
      expect((await preview(id)).status).toBe(503);
    } finally {
      harness.app.virusScanner.scan = scan;
    }
    await harness.runTasks();
  });
});

type Case = [code: string, pages: string[], pdf: () => Promise<Uint8Array>];

const refusals: Case[] = [
  ['unable-to-read-the-file', [], async () => Buffer.from('not a PDF')],
  ['unable-to-read-the-file', [], () => makePdf([firstPage()], { password: 'secret' })],
  ['letter-too-long', [], () => makePdf([firstPage(), ...Array.from({ length: 10 }, () => laterPage())])],
  ['letter-not-a4-portrait-oriented', ['2'], () => makePdf([firstPage(), { width: 297, height: 210 }])],
  [
    'content-outside-printable-area',
    ['1', '3'],
    () =>
      makePdf([
        firstPage(address, (page) => page.rectangle(1, 100, 5, 5)),
        laterPage(),
        laterPage((page) => page.rectangle(200, 100, 5, 5)),
      ]),
  ],
  [
    'notify-tag-found-in-content',
    ['2'],
    () => makePdf([firstPage(), laterPage((p) => p.text('NOTIFY', 3, 4.5, { size: 6, color: 'white' }))]),
  ],
  ['address-is-empty', ['1'], () => lines()],
  ['not-enough-address-lines', ['1'], () => lines('Ada', 'SW1A 1AA')],
  ['too-many-address-lines', ['1'], () => lines('1', '2', '3', '4', '5', '6', '7', 'SW1A 1AA')],
  ['invalid-address-line-1-or-2', ['1'], () => lines('Ada', '—', 'London', 'SW1A 1AA')],
  ['has-country-for-bfpo-address', ['1'], () => lines('Ada', '1 Unit', 'BFPO 12', 'France')],
  ['not-a-real-uk-postcode-or-country', ['1'], () => lines('Ada', '1 Street', 'London')],
  ['invalid-char-in-address', ['1'], () => lines('Ada', '(1 Street', 'SW1A 1AA')],
  ['no-fixed-abode-address', ['1'], () => lines('Ada', 'No fixed abode', 'SW1A 1AA')],
];

describe('GET /service/{service_id}/template/preview/{notification_id}/{file_type} of a refused letter', () => {
  it.each(refusals)('200 with %s and pages %j', async (message, invalid_pages, pdf) => {
    const id = await upload(await pdf());
    expect(await letterRow(harness, id)).toMatchObject({ status: 'validation-failed', billable_units: 0 });
    const response = await preview(id);
    expect(response.status).toBe(200);
    const pages = { 'unable-to-read-the-file': null, 'letter-too-long': 11 };
    const page_count = message in pages ? pages[message as keyof typeof pages] : expect.any(Number);
    expect(response.body.metadata).toEqual({ message, invalid_pages, page_count });
  });

  it.each([
    ['cant-send-international-letters', ['Ada', '1 Rue', 'Paris', 'France']],
    ['not-a-real-uk-postcode', ['Ada', '1 Street', 'London']],
  ])('200 with %s when the service cannot send international letters', async (message, given) => {
    const id = await upload(await lines(...given), {}, homeOnly);
    expect((await preview(id, 'pdf', homeOnly)).body.metadata).toEqual({
      message,
      invalid_pages: ['1'],
      page_count: 1,
    });
  });

  it('200 and marks only the content outside the printable area in red', async () => {
    const pdf = await makePdf([firstPage(), laterPage((page) => page.rectangle(200, 100, 5, 5))]);
    const id = await upload(pdf);
    const shown = Buffer.from((await preview(id)).body.content, 'base64');
    expect(shown.equals(Buffer.from(pdf))).toBe(false);
    const clean = await harness.admin('GET', `/service/${service}/template/preview/${id}/png?page=1`);
    const marked = await harness.admin('GET', `/service/${service}/template/preview/${id}/png?page=2`);
    expect(clean.status).toBe(200);
    expect(marked.body.content).not.toBe(clean.body.content);
    const other = await upload(await lines('Ada', 'SW1A 1AA'));
    const untouched = Buffer.from((await preview(other)).body.content, 'base64');
    expect(untouched.equals(harness.files.kept.get(letterFiles.uploaded(other)) ?? Buffer.alloc(0))).toBe(true);
  });

  it('400 for an image of a file that cannot be read', async () => {
    const id = await upload(Buffer.from('not a PDF'));
    const response = await preview(id, 'png');
    expect(response.status).toBe(400);
    expect(response.body.result).toBe('error');
  });
});
