import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { gbGeometry } from '../../../test/kit/samples/geometries.ts';
import { longLetter, plainLetter, welshLetter } from '../../../test/kit/samples/letter-samples.ts';
import { address, firstPage, laterPage, makePdf, rawPdf } from '../../../test/kit/samples/pdf-samples.ts';
import { WorkerPool } from '../../platform/threads/worker-pool.ts';
import { linesIn } from './pdf-text.ts';
import { unreadablePrecompiled } from './pdf-verdict.ts';
import type * as pdfTasks from './pdf-worker.ts';
import { composeLetter } from './pdf-worker.ts';
import { withPdf } from './pdfium.ts';

const module = new URL('./pdf-worker.ts', import.meta.url);
const pool = new WorkerPool<typeof pdfTasks>({ module, size: 2, timeout_ms: 5_000 });
afterAll(() => pool.close());
// Two threads load their modules and fonts, beside the tests of other files.
vi.setConfig({ testTimeout: 60_000 });

const textOfPage = (pdf: Uint8Array, page: number) =>
  withPdf(pdf, (file) => file.page(page, (shown) => linesIn(shown, { left: 0, top: 0, right: 210, bottom: 297 })));

describe('the PDF threads', () => {
  it('compose the same bytes as the main thread', async () => {
    const options = { purpose: 'print' as const, geometry: gbGeometry, created_at: new Date('2026-11-14T12:00:00Z') };
    const [here, there] = [
      await composeLetter(plainLetter, options),
      await pool.run('composeLetter', plainLetter, options),
    ];
    expect(Buffer.compare(here.pdf, there.pdf)).toBe(0);
    expect(there).toMatchObject({ page_count: 1, welsh_page_count: 0, attachment_page_count: 0 });
  });

  it('put attachments after the letter, in order, and count them', async () => {
    const attachments = [
      await makePdf([laterPage((page) => page.text('First file', 20, 40)), laterPage()]),
      await makePdf([laterPage((page) => page.text('Second file', 20, 40))]),
    ];
    const options = { purpose: 'print' as const, geometry: gbGeometry, attachments };
    const letter = await pool.run('composeLetter', welshLetter, options);
    expect(letter).toMatchObject({ page_count: 5, welsh_page_count: 1, attachment_page_count: 3 });
    expect(await textOfPage(letter.pdf, 1)).toContain('Annwyl Ms Penny');
    expect(await textOfPage(letter.pdf, 2)).toContain('Dear Ms Penny');
    expect(await textOfPage(letter.pdf, 3)).toContain('First file');
    expect(await textOfPage(letter.pdf, 5)).toContain('Second file');
    expect(await pool.run('readPrecompiled', letter.pdf, 'letter', gbGeometry)).toMatchObject({
      page_count: 5,
      message: null,
    });
    const again = await pool.run('composeLetter', welshLetter, options);
    expect(Buffer.compare(letter.pdf, again.pdf)).toBe(0);
    expect(Buffer.from(letter.pdf).toString('latin1')).toMatch(/\/StructTreeRoot/);
  });

  it('report an unreadable attachment', async () => {
    const attachments = [await makePdf([laterPage()], { password: 'secret' })];
    const refused = pool.run('composeLetter', plainLetter, { purpose: 'print', geometry: gbGeometry, attachments });
    await expect(refused).rejects.toMatchObject({ name: 'UnreadablePdf', problem: 'encrypted' });
  });

  it('check, draw, cover and rewrite uploaded files', async () => {
    const pdf = await makePdf([firstPage()]);
    expect(await pool.run('readPrecompiled', pdf, 'letter', gbGeometry)).toMatchObject({
      message: null,
      address_lines: address,
    });
    expect(
      Buffer.from(await pool.run('pageToPng', pdf, 1))
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    await expect(pool.run('pageToPng', pdf, 2)).rejects.toMatchObject({ name: 'NoSuchPage' });
    expect((await pool.run('overlayPdf', pdf, gbGeometry)).length).toBeGreaterThan(pdf.length);
    expect(await textOfPage(await pool.run('rewritePrecompiled', pdf, address, gbGeometry), 1)).toContain('NOTIFY');
    expect(await pool.run('checkLogo', '<svg viewBox="0 0 9 9"/>')).toBeNull();
  });

  it('abort a file that would take hours, while other letters continue', async () => {
    // Thirty drawings, each of which draws the next one twice: a billion in total.
    const forms = Array.from({ length: 30 }, (_, depth) => {
      const content = depth < 29 ? '/X Do /X Do' : '0 0 1 1 re f';
      const resources = depth < 29 ? `/Resources << /XObject << /X ${6 + depth} 0 R >> >>` : '';
      return `<< /Type /XObject /Subtype /Form /BBox [0 0 595 842] ${resources} /Length ${content.length} >>\nstream\n${content}\nendstream`;
    });
    const pdf = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>',
      '<< /Length 5 >>\nstream\n/X Do\nendstream',
      ...forms,
    ]);
    const [stopped, ...letters] = await Promise.allSettled([
      pool.run('readPrecompiled', pdf, 'letter', gbGeometry),
      ...Array.from({ length: 20 }, () =>
        pool.run('composeLetter', longLetter, { purpose: 'print', geometry: gbGeometry }),
      ),
    ]);
    // On a fast machine PDFium reaches its memory limit before the thread reaches its time limit.
    if (stopped.status === 'fulfilled') expect(stopped.value).toEqual(unreadablePrecompiled);
    else expect(stopped.reason).toMatchObject({ name: 'WorkerFailure', reason: 'timeout' });
    for (const letter of letters) expect(letter).toMatchObject({ status: 'fulfilled', value: { page_count: 3 } });
    expect(await pool.run('composeLetter', plainLetter, { purpose: 'print', geometry: gbGeometry })).toMatchObject({
      page_count: 1,
    });
  });

  it('abort a logo that expands without end', async () => {
    const layers = Array.from(
      { length: 30 },
      (_, n) => `<g id="g${n}"><use href="#g${n + 1}"/><use href="#g${n + 1}"/></g>`,
    );
    const svg = `<svg viewBox="0 0 9 9"><defs>${layers.join('')}<g id="g30"><rect width="1" height="1"/></g></defs><use href="#g0"/></svg>`;
    // It uses up the memory or the time of the thread, whichever is less.
    const impatient = new WorkerPool<typeof pdfTasks>({ module, size: 1, timeout_ms: 2_000 });
    onTestFinished(() => impatient.close());
    await expect(impatient.run('checkLogo', svg)).rejects.toMatchObject({ name: 'WorkerFailure' });
  });
});
