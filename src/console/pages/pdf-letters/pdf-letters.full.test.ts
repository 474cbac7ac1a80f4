import { beforeAll, describe, expect, it } from 'vitest';
import { aService } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { firstPage, laterPage, makePdf } from '../../../../test/kit/samples/pdf-samples.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor, Page } from '../../../../test/kit/world/console-visitor.ts';
import { deleteExpiredData } from '../../../notifications/retention.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let browser: ConsoleVisitor;

beforeAll(async () => {
  const { id } = await aPerson(harness);
  service = await aService(harness);
  await joinService(harness, service, id);
  browser = await signedIn(harness, id);
});

const url = () => `/console/services/${service}/pdf-letters`;
const letters = async () =>
  (await harness.admin('GET', `/service/${service}/notifications?template_type=letter`)).body.notifications;

function upload(pdf: Uint8Array, name = 'rent.pdf'): Promise<Page> {
  return browser.postFile(url(), {}, { field: 'file', name, content: new Uint8Array(pdf) });
}

describe('an uploaded letter', { timeout: 120_000 }, () => {
  it('is shown with its address, and sent once', async () => {
    const sent = await upload(await makePdf([firstPage(), laterPage()]));
    expect([sent.status, sent.problems]).toEqual([303, {}]);
    const path = sent.location ?? '';
    const page = await browser.get(path);
    expect(page.text).toContain('Ms Angharad Penny<br/>12 Post Office Lane');
    expect(page.text).toContain('Page 2 of 2');
    expect((await browser.get(`${path}/pages/2`)).headers['content-type']).toBe('image/png');
    expect((await browser.get(`${path}/pages/3`)).status).toBe(404);
    expect(await letters()).toEqual([]);
    const form = { postage: 'first', reference: 'tenant-9' };
    const both = await Promise.all([browser.post(path, form), browser.post(path, form)]);
    expect(both.map(({ status }) => status)).toEqual([303, 303]);
    const id = path.split('/').at(-1);
    const message = both[0]?.location ?? '';
    const shown = await browser.get(message);
    expect(shown.h1).toBe('Letter to Ms Angharad Penny, LL61 5UJ');
    expect(shown.text).toContain('We are creating the letter. It will appear here in a moment.');
    await harness.runTasks();
    const drawn = await browser.get(`${message}/letter`);
    expect(drawn.text).toMatch(/^<div><div[^>]*><img/);
    expect(await letters()).toMatchObject([{ id, postage: 'first', client_reference: 'tenant-9' }]);
  });

  it('that cannot be printed is shown with the reason, and not sent', async () => {
    const before = (await letters()).length;
    const pdf = await makePdf([firstPage(), laterPage((doc) => doc.text('At the edge', 1, 1))]);
    const { location = '' } = await upload(pdf);
    const page = await browser.get(location);
    expect(page.text).toContain('Some content is outside the printable area');
    expect(page.text).toContain('See page 2.');
    expect(page.text).not.toContain('type="submit">Send');
    expect((await browser.get(`${location}/pages/2`)).status).toBe(200);
    expect((await browser.post(location, {})).problems['']).toMatch(/^This letter cannot be sent/);
    expect(await letters()).toHaveLength(before);
    const checked = await harness.admin('POST', `/service/${service}/check-pdf-letter`, {
      content: Buffer.from(pdf).toString('base64'),
    });
    expect([checked.status, checked.body]).toEqual([
      200,
      { page_count: 2, message: 'content-outside-printable-area', invalid_pages: [2], recipient_address: null },
    ]);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ['no PDF', Buffer.from('hello'), /cannot be read as a PDF/],
    ['an empty file', Buffer.alloc(0), /cannot be read as a PDF/],
  ])('that is %s says so', async (_what, bytes, text) => {
    const sent = await upload(bytes);
    expect((await browser.follow(sent)).text).toMatch(text);
  });

  it('400 over 2 MB; 404 after an hour, and for other services', async () => {
    const large = await upload(new Uint8Array(2 * 1024 * 1024 + 1));
    expect(large.problems).toEqual({ file: 'The file must not be larger than 2 MB.' });
    const { location = '' } = await upload(await makePdf([firstPage()]));
    const { id } = await aPerson(harness);
    const other = await aService(harness);
    await joinService(harness, other, id);
    const elsewhere = location.replace(service, other);
    expect((await (await signedIn(harness, id)).get(elsewhere)).status).toBe(404);
    harness.clock.advance({ hours: 2 });
    await deleteExpiredData(harness.app);
    expect((await browser.get(location)).status).toBe(404);
  });
});
