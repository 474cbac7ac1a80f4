import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { gbGeometry } from '../../../test/kit/samples/geometries.ts';
import { address, firstPage, laterPage, makePdf, rawPdf } from '../../../test/kit/samples/pdf-samples.ts';
import { readPrecompiled } from './pdf-check.ts';
import { encodePng, overlayPdf, type PageToPngOptions, pageToPng } from './pdf-image.ts';
import { linesIn } from './pdf-text.ts';
import { withPdf } from './pdfium.ts';

type Rgb = [number, number, number];

/** The colours of a rendered page at positions in millimetres. */
async function colorsAt(pdf: Uint8Array, page: number, places: [x: number, y: number][], options?: PageToPngOptions) {
  const { width, data } = PNG.sync.read(Buffer.from(await pageToPng(pdf, page, options)));
  return places.map(([x_mm, y_mm]): Rgb => {
    const at = (Math.floor((y_mm * 150) / 25.4) * width + Math.floor((x_mm * 150) / 25.4)) * 4;
    return [data[at] ?? -1, data[at + 1] ?? -1, data[at + 2] ?? -1];
  });
}

const white: Rgb = [255, 255, 255];
const pink: Rgb = [242, 194, 187];
const nearly = (color: Rgb, wanted: Rgb) =>
  color.every((channel, index) => Math.abs(channel - (wanted[index] ?? 0)) <= 2);

describe('pageToPng', () => {
  it('renders A4 at 150 dpi and records it in the file', async () => {
    const png = Buffer.from(await pageToPng(await makePdf([firstPage()]), 1));
    expect(png.readUInt32BE(16)).toBe(1240);
    expect(png.readUInt32BE(20)).toBe(1754);
    const resolution = png.indexOf('pHYs') + 4;
    expect(Math.round(png.readUInt32BE(resolution) * 0.0254)).toBe(150);
  });

  it('renders the requested page', async () => {
    const pdf = await makePdf([firstPage(), laterPage((page) => page.rectangle(50, 50, 20, 20, '#1d70b8'))]);
    expect(await colorsAt(pdf, 1, [[60, 60]])).toEqual([white]);
    expect(await colorsAt(pdf, 2, [[60, 60]])).toEqual([[29, 112, 184]]);
  });

  it.each([0, 2, -1, 1.5, Number.NaN])('rejects page %d of one', async (page) => {
    await expect(pageToPng(await makePdf([firstPage()]), page)).rejects.toMatchObject({
      name: 'NoSuchPage',
      message: `Letter does not have a page ${page}`,
    });
  });

  it('scales down an extremely large page', async () => {
    const png = Buffer.from(await pageToPng(await makePdf([{ width: 5000, height: 100 }]), 1));
    expect(png.readUInt32BE(16)).toBe(5000);
  });

  it('throws for a file that cannot be read', async () => {
    await expect(pageToPng(new Uint8Array([1, 2, 3]), 1)).rejects.toMatchObject({
      name: 'UnreadablePdf',
      problem: 'broken',
    });
    const secret = await makePdf([firstPage()], { password: 'secret' });
    await expect(pageToPng(secret, 1)).rejects.toMatchObject({ name: 'UnreadablePdf', problem: 'encrypted' });
  });

  it('hides the tag on the first page of a letter only', async () => {
    const tag = firstPage(address, (page) => page.rectangle(3, 2, 8, 3));
    const pdf = await makePdf([tag, tag]);
    expect(await colorsAt(pdf, 1, [[5, 3]])).toEqual([[0, 0, 0]]);
    expect(await colorsAt(pdf, 1, [[5, 3]], { decoration: 'hide-tag', geometry: gbGeometry })).toEqual([white]);
    expect(await colorsAt(pdf, 2, [[5, 3]], { decoration: 'hide-tag', geometry: gbGeometry })).toEqual([[0, 0, 0]]);
    expect(
      await colorsAt(pdf, 1, [[5, 3]], { decoration: 'hide-tag', geometry: gbGeometry, kind: 'attachment' }),
    ).toEqual([[0, 0, 0]]);
  });
});

describe('the red overlay', () => {
  const places: [what: string, x: number, y: number, first: boolean, later: boolean][] = [
    ['in the left margin', 14.5, 150, false, false],
    ['just inside of it', 15.5, 150, true, true],
    ['in the right margin', 195.5, 150, false, false],
    ['just inside of it', 194.5, 150, true, true],
    ['above everything', 100, 4.5, false, false],
    ['below everything', 100, 292.6, false, false],
    ['beside the address', 20, 50, false, true],
    ['in the address window', 100, 50, true, true],
    ['between address and body', 60, 80, false, true],
    ['in the logo’s place', 20, 10, true, true],
    ['in the contact block’s place', 150, 60, true, true],
  ];
  const points = places.map(([, x, y]): [number, number] => [x, y]);
  const blank = { draw: () => {} };
  const verdicts = (colors: Rgb[]) =>
    colors.map((color) => nearly(color, white) || (nearly(color, pink) ? 'red' : color));
  const expected = (later: boolean) => places.map(([, , , first, rest]) => (later ? rest : first) || 'red');

  it('marks exactly the unprintable area in images', async () => {
    const pdf = await makePdf([blank, blank]);
    const options = { decoration: 'red-overlay' as const, geometry: gbGeometry };
    expect(verdicts(await colorsAt(pdf, 1, points, options))).toEqual(expected(false));
    expect(verdicts(await colorsAt(pdf, 2, points, options))).toEqual(expected(true));
    expect(verdicts(await colorsAt(pdf, 1, points, { ...options, kind: 'attachment' }))).toEqual(expected(true));
  });

  it('is the same on every page of the PDF', async () => {
    const pdf = await overlayPdf(await makePdf([blank, blank, blank]), gbGeometry);
    expect(verdicts(await colorsAt(pdf, 1, points))).toEqual(expected(false));
    expect(verdicts(await colorsAt(pdf, 3, points))).toEqual(expected(true));
    const attachment = await overlayPdf(await makePdf([blank]), gbGeometry, 'attachment');
    expect(verdicts(await colorsAt(attachment, 1, points))).toEqual(expected(true));
  });

  it.each([90, 180, 270] as const)('is upright on a page rotated by %i degrees', async (rotate) => {
    const size = rotate === 180 ? {} : { width: 297, height: 210 };
    const pdf = await overlayPdf(await makePdf([{ ...size, rotate }]), gbGeometry);
    expect(verdicts(await colorsAt(pdf, 1, points))).toEqual(expected(false));
  });

  it('is upright on a page with another origin and a scaled drawing', async () => {
    const content = '0.1 0 0 0.1 500 500 cm q';
    const pdf = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [100 -200 695.28 641.89] /Contents 4 0 R >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]);
    expect(verdicts(await colorsAt(await overlayPdf(pdf, gbGeometry), 1, points))).toEqual(expected(false));
  });

  it('keeps text extractable and is deterministic', async () => {
    const pdf = await makePdf([firstPage(), laterPage()]);
    const [once, twice] = [await overlayPdf(pdf, gbGeometry), await overlayPdf(pdf, gbGeometry)];
    expect(Buffer.compare(once, twice)).toBe(0);
    expect((await readPrecompiled(pdf, 'letter', gbGeometry)).address_lines).toEqual(address);
    const lines = await withPdf(once, (file) =>
      file.page(2, (page) => linesIn(page, { left: 0, top: 0, right: 210, bottom: 297 })),
    );
    expect(lines).toEqual(['More of the letter']);
  });
});

describe('encodePng', () => {
  it.each([
    ['one colour', () => [10, 20, 30]],
    ['256 colours', (n: number) => [n % 256, 7, 7]],
    ['257 colours', (n: number) => [n % 257 === 256 ? 0 : n % 256, n % 257 === 256 ? 9 : 7, 7]],
    ['every pixel another', (n: number) => [n % 256, (n >> 8) % 256, (n * 7) % 256]],
  ])('keeps every pixel of an image with %s', (_, color) => {
    const [width, height] = [37, 29];
    const rgba = new Uint8Array(width * height * 4).map((_, at) =>
      at % 4 === 3 ? 255 : (color(at >> 2)[at % 4] ?? 0),
    );
    const read = PNG.sync.read(Buffer.from(encodePng({ width, height, pixels: rgba }, 150)));
    expect([read.width, read.height]).toEqual([width, height]);
    expect(Buffer.compare(read.data, Buffer.from(rgba))).toBe(0);
  });
});
