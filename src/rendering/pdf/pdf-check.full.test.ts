import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gbGeometry } from '../../../test/kit/samples/geometries.ts';
import { address, firstPage, laterPage, makePdf, rawPdf } from '../../../test/kit/samples/pdf-samples.ts';
import { readPrecompiled } from './pdf-check.ts';
import { type AddressProblem, evaluatePrecompiled, unreadablePrecompiled } from './pdf-verdict.ts';

const take = (lines: string[]) => ({ lines });
const check = async (pdf: Uint8Array, kind: 'letter' | 'attachment' = 'letter') =>
  evaluatePrecompiled(await readPrecompiled(pdf, kind, gbGeometry), take);

const catalogue = '<< /Type /Catalog /Pages 2 0 R >>';
const pages = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>';
const a4Page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>';
const stream = (content: string | Buffer, entries = '') =>
  `<< /Length ${content.length} ${entries} >>\nstream\n${content.toString('latin1')}\nendstream`;

describe('a good letter', () => {
  it('has no problem, and its address is read', async () => {
    expect(await check(await makePdf([firstPage(), laterPage()]))).toEqual({
      page_count: 2,
      recipient_address: address.join('\n'),
      message: null,
      invalid_pages: null,
    });
  });

  it('may have ten pages', async () => {
    const pdf = await makePdf([firstPage(), ...Array.from({ length: 9 }, () => laterPage())]);
    expect(await check(pdf)).toMatchObject({ page_count: 10, message: null });
  });

  it('may have its tag, in white, on the first page', async () => {
    const tagged = firstPage(address, (page) => page.text('NOTIFY', 3, 4.5, { size: 6, color: 'white' }));
    expect(await check(await makePdf([tagged]))).toMatchObject({ message: null });
  });

  it.each([
    ['a landscape sheet turned to stand upright', { width: 297, height: 210, rotate: 90 as const }],
    ['one turned the other way', { width: 297, height: 210, rotate: 270 as const }],
    ['upside down', { rotate: 180 as const }],
    ['two millimetres too small', { width: 208.1, height: 295.1 }],
    ['two millimetres too large', { width: 211.9, height: 298.9 }],
  ])('may have a later page that is %s', async (_, page) => {
    expect(await check(await makePdf([firstPage(), page]))).toMatchObject({ message: null });
  });

  it('is read from a rotated first page', async () => {
    const pdf = await makePdf([
      {
        width: 297,
        height: 210,
        rotate: 90,
        draw({ document, text }) {
          // Content drawn along the short side is upright once the page is displayed rotated clockwise.
          document.rotate(-90).translate((-210 * 72) / 25.4, 0);
          for (const [index, line] of address.entries()) text(line, 26, 44 + index * 3.2, { size: 8 });
        },
      },
    ]);
    expect(await check(pdf)).toMatchObject({ message: null, recipient_address: address.join('\n') });
  });
});

describe('unable-to-read-the-file', () => {
  const unreadable = {
    page_count: null,
    recipient_address: null,
    message: 'unable-to-read-the-file',
    invalid_pages: null,
  };

  it.each<[string, () => Uint8Array | Promise<Uint8Array>]>([
    ['nothing', () => new Uint8Array()],
    ['text', () => new Uint8Array(Buffer.from('Dear Ms Penny'))],
    ['a PNG', () => new Uint8Array(Buffer.from('89504e470d0a1a0a', 'hex'))],
    ['the beginning of a PDF', async () => (await makePdf([firstPage()])).slice(0, 300)],
    ['a file that needs a password', () => makePdf([firstPage()], { password: 'secret' })],
    ['a file that forbids changes', () => makePdf([firstPage()], { ownerPassword: 'secret' })],
    ['a file without pages', () => rawPdf([catalogue, '<< /Type /Pages /Kids [] /Count 0 >>'])],
    ['a file that says it has a page and has none', () => rawPdf([catalogue, '<< /Type /Pages /Kids [] /Count 1 >>'])],
    ['a page that is its own parent', () => rawPdf([catalogue, '<< /Type /Pages /Kids [2 0 R] /Count 1 >>'])],
  ])('%s', async (_, make) => {
    expect(await check(await make())).toEqual(unreadable);
  });

  it('is also the result when reading is aborted', () => {
    expect(evaluatePrecompiled(unreadablePrecompiled, take)).toEqual(unreadable);
  });
});

describe('letter-too-long', () => {
  it('eleven pages, before any other check', async () => {
    const pdf = await makePdf(Array.from({ length: 11 }, () => ({ width: 100 })));
    expect(await check(pdf)).toEqual({
      page_count: 11,
      recipient_address: null,
      message: 'letter-too-long',
      invalid_pages: null,
    });
  });
});

describe('letter-not-a4-portrait-oriented', () => {
  it.each([
    ['landscape', { width: 297, height: 210 }],
    ['turned on its side', { rotate: 90 as const }],
    ['letter size', { width: 216, height: 279 }],
    ['A5', { width: 148, height: 210 }],
    ['two and a half millimetres too wide', { width: 212.5 }],
    ['two and a half millimetres too short', { height: 294.5 }],
  ])('%s', async (_, page) => {
    expect(await check(await makePdf([firstPage(), page, laterPage(), page]))).toMatchObject({
      page_count: 4,
      message: 'letter-not-a4-portrait-oriented',
      invalid_pages: [2, 4],
    });
  });
});

describe('content-outside-printable-area', () => {
  type Mark = [left: number, top: number, width: number, height: number, color?: string];
  const on = async (page: 1 | 2, mark: Mark, kind: 'letter' | 'attachment' = 'letter') => {
    const draw = (on: { rectangle(...mark: Mark): void }) => on.rectangle(...mark);
    const pdf = await makePdf(page === 1 ? [firstPage(address, draw), laterPage()] : [firstPage(), laterPage(draw)]);
    const { message, invalid_pages } = await check(pdf, kind);
    return message && `${message} ${invalid_pages}`;
  };

  it.each<[where: string, 1 | 2, Mark, allowed: boolean]>([
    ['left of the body', 2, [12, 100, 1, 1], false],
    ['left of the body, within the tolerance', 2, [14.2, 100, 1, 1], true],
    ['right of the body', 2, [196.5, 100, 1, 1], false],
    ['right of the body, within the tolerance', 2, [194.6, 100, 1, 1], true],
    ['above the body', 2, [100, 2, 1, 1], false],
    ['above the body, within the tolerance', 2, [100, 4.2, 1, 1], true],
    ['below the body', 2, [100, 293.5, 1, 1], false],
    ['below the body, within the tolerance', 2, [100, 291.8, 1, 1], true],
    ['a hair line in light grey', 2, [2, 100, 0.05, 20], false],
    ['pale yellow', 2, [2, 100, 5, 5, '#fffffa'], false],
    ['white', 2, [2, 100, 5, 5, '#ffffff'], true],
    ['beside the address, on the first page', 1, [17, 50, 2, 2], false],
    ['there, on a later page', 2, [17, 50, 2, 2], true],
    ['between logo and address', 1, [60, 34, 2, 2], false],
    ['between address and body', 1, [60, 80, 2, 2], false],
    ['in the logo’s place', 1, [15, 5, 110, 25], true],
    ['in the contact block’s place', 1, [125, 5, 70, 90], true],
    ['in the body’s place', 1, [15, 95, 180, 197], true],
  ])('%s', async (_, page, mark, allowed) => {
    expect(await on(page, mark)).toBe(allowed ? null : `content-outside-printable-area ${page}`);
  });

  it('an attachment has the rules of later pages on all pages', async () => {
    expect(await on(1, [17, 50, 2, 2], 'attachment')).toBeNull();
    expect(await on(1, [12, 50, 2, 2], 'attachment')).toBe('content-outside-printable-area 1');
  });

  it('form fields and annotations count as well', async () => {
    const withField = laterPage(({ document }) => {
      document.initForm();
      document.formText('field', 5, 400, 30, 20, { value: 'x', backgroundColor: 'black' });
    });
    expect(await check(await makePdf([firstPage(), withField]))).toMatchObject({ invalid_pages: [2] });
    const note = '<< /Type /Annot /Subtype /Stamp /F 4 /Rect [5 400 25 420] /AP << /N 6 0 R >> >>';
    const withNote = rawPdf([
      catalogue,
      pages,
      a4Page.replace('/Contents', '/Annots [5 0 R] /Contents'),
      stream(''),
      note,
      stream('1 0 0 rg 0 0 20 20 re f', '/Type /XObject /Subtype /Form /BBox [0 0 20 20]'),
    ]);
    expect(await check(withNote)).toMatchObject({ message: 'content-outside-printable-area', invalid_pages: [1] });
  });
});

describe('notify-tag-found-in-content', () => {
  const tag = laterPage((page) => page.text('NOTIFY', 3, 4.5, { size: 6, color: 'white' }));

  it('on a later page', async () => {
    expect(await check(await makePdf([firstPage(), laterPage(), tag, tag]))).toMatchObject({
      page_count: 4,
      message: 'notify-tag-found-in-content',
      invalid_pages: [3, 4],
    });
  });

  it('on any page of an attachment', async () => {
    expect(await check(await makePdf([tag]), 'attachment')).toMatchObject({ invalid_pages: [1] });
  });

  it('not elsewhere on a page', async () => {
    const elsewhere = laterPage((page) => page.text('NOTIFY', 20, 9, { size: 6 }));
    expect(await check(await makePdf([firstPage(), elsewhere]))).toMatchObject({ message: null });
  });
});

describe('the address', () => {
  it('is empty', async () => {
    expect(await check(await makePdf([firstPage([])]))).toEqual({
      page_count: 1,
      recipient_address: null,
      message: 'address-is-empty',
      invalid_pages: [1],
    });
  });

  it.each<[AddressProblem]>([
    ['not-enough-address-lines'],
    ['too-many-address-lines'],
    ['invalid-address-line-1-or-2'],
    ['has-country-for-bfpo-address'],
    ['not-a-real-uk-postcode-or-country'],
    ['cant-send-international-letters'],
    ['not-a-real-uk-postcode'],
    ['invalid-char-in-address'],
    ['no-fixed-abode-address'],
  ])('%s, as reported by the address parser', async (problem) => {
    const reading = await readPrecompiled(await makePdf([firstPage()]), 'letter', gbGeometry);
    const verdict = evaluatePrecompiled(reading, (lines) =>
      lines.join() === address.join() ? { problem } : { lines },
    );
    expect(verdict).toEqual({ page_count: 1, recipient_address: null, message: problem, invalid_pages: [1] });
  });

  it('is printed as normalised by the address parser', async () => {
    const reading = await readPrecompiled(await makePdf([firstPage()]), 'letter', gbGeometry);
    expect(evaluatePrecompiled(reading, () => ({ lines: ['A', 'B', 'C'] })).recipient_address).toBe('A\nB\nC');
  });

  it('is not read from an attachment', async () => {
    expect(await check(await makePdf([laterPage()]), 'attachment')).toEqual({
      page_count: 1,
      recipient_address: null,
      message: null,
      invalid_pages: null,
    });
  });

  it.each<
    [string, (page: { text(words: string, left: number, baseline: number, style?: object): void }) => void, string[]]
  >([
    [
      'drawn from bottom to top',
      ({ text }) => {
        for (const [index, line] of address.toReversed().entries()) text(line, 26, 56 - index * 4, { size: 8 });
      },
      address,
    ],
    [
      'drawn word by word',
      ({ text }) => {
        text('Penny', 40, 44);
        text('Ms', 26, 44);
        text('Angharad', 31.5, 44.2, { size: 4 });
        text('Llanfair', 26, 49);
      },
      ['Ms Angharad Penny', 'Llanfair'],
    ],
    ['with the body below it', ({ text }) => text('Dear', 26, 71, { color: 'white' }), []],
    [
      'in the three millimetres around the window',
      ({ text }) => text('Penny', 24.6, 69, { color: 'white' }),
      ['Penny'],
    ],
  ])('is found %s', async (_, draw, expected) => {
    const pdf = await makePdf([{ draw }]);
    expect((await readPrecompiled(pdf, 'letter', gbGeometry)).address_lines).toEqual(expected);
  });
});

describe('malicious files', () => {
  it('ignores JavaScript in a file', async () => {
    const pdf = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R /OpenAction 5 0 R /AA << /WC 5 0 R >> /Names << /JavaScript << /Names [(x) 5 0 R] >> >> >>',
      pages,
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /AA << /O 5 0 R >> >>',
      stream(''),
      '<< /S /JavaScript /JS (while (true) { app.alert("x"); }) >>',
    ]);
    expect(await check(pdf)).toMatchObject({ page_count: 1, message: 'address-is-empty' });
  });

  it('terminates for a page that draws itself recursively', async () => {
    const pdf = rawPdf([
      catalogue,
      pages,
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>',
      stream('/X Do'),
      stream(
        '/X Do /X Do',
        '/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /X 5 0 R >> >>',
      ),
    ]);
    expect(['unable-to-read-the-file', 'address-is-empty']).toContain((await check(pdf)).message);
  });

  it('limits the memory of an image that decompresses to gigabytes', async () => {
    const zeros = deflateSync(Buffer.alloc(64 * 1024 * 1024));
    const twice = deflateSync(zeros);
    const pdf = rawPdf([
      catalogue,
      pages,
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>',
      stream('q 595 0 0 842 0 0 cm /X Do Q'),
      stream(
        twice,
        '/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter [/FlateDecode /FlateDecode]',
      ),
    ]);
    const before = process.memoryUsage().rss;
    const { message } = await readPrecompiled(pdf, 'letter', gbGeometry);
    expect(
      message === null || message === 'unable-to-read-the-file' || message === 'content-outside-printable-area',
    ).toBe(true);
    expect(process.memoryUsage().rss - before).toBeLessThan(1024 * 1024 * 1024);
    expect(await check(await makePdf([firstPage()]))).toMatchObject({ message: null });
  });

  it('rejects or ignores arrays nested a hundred thousand deep', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const pdf = rawPdf([catalogue, pages, a4Page, stream(`${'q '.repeat(100_000)} ${deep} TJ`), deep]);
    expect(['unable-to-read-the-file', 'address-is-empty']).toContain((await check(pdf)).message);
    expect(await check(await makePdf([firstPage()]))).toMatchObject({ message: null });
  });

  it('reports a page ten kilometres wide as not A4', async () => {
    const huge = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 28346456 28346456] >>';
    expect(await check(rawPdf([catalogue, pages, huge]))).toMatchObject({ message: 'letter-not-a4-portrait-oriented' });
  });

  it('never throws for any corrupted byte', async () => {
    const good = await makePdf([firstPage()]);
    for (let at = 0; at < good.length; at += 97) {
      const changed = good.slice();
      changed[at] = ((changed[at] ?? 0) + 128) % 256;
      const { message } = await check(changed);
      expect(message === null || typeof message === 'string').toBe(true);
    }
  });
});
