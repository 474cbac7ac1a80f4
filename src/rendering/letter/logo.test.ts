import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { plainLetter, sampleLogo } from '../../../test/kit/letter-samples.ts';
import { pageToPng } from '../pdf/pdf-image.ts';
import { checkLogo } from './logo.ts';
import { drawLetter } from './pdf.ts';

describe('logos', () => {
  const withLogo = (svg: string) => drawLetter(plainLetter, { purpose: 'preview', logo: { svg, name: 'Logo' } });
  /** Bounding box of everything drawn in the logo area, in millimetres. */
  const inkBox = async (svg: string) => {
    const { pdf } = await withLogo(svg);
    const { data, width } = PNG.sync.read(Buffer.from(await pageToPng(pdf, 1)));
    const found = { left: 999, top: 999, right: 0, bottom: 0 };
    const perMm = 150 / 25.4;
    for (let y = 0; y < 33 * perMm; y++) {
      for (let x = Math.round(11 * perMm); x < 124 * perMm; x++) {
        if ((data[(Math.floor(y) * width + x) * 4] ?? 255) > 200) continue;
        found.left = Math.min(found.left, x / perMm);
        found.right = Math.max(found.right, (x + 1) / perMm);
        found.top = Math.min(found.top, y / perMm);
        found.bottom = Math.max(found.bottom, (y + 1) / perMm);
      }
    }
    return Object.fromEntries(Object.entries(found).map(([side, mm]) => [side, Math.round(mm)]));
  };
  const box = (attributes: string, w: number, h: number) =>
    `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><rect width="${w}" height="${h}" fill="#000"/></svg>`;

  it.each([
    ['wide', box('viewBox="0 0 700 100"', 700, 100), { left: 15, top: 10, right: 85, bottom: 20 }],
    ['tall', box('viewBox="0 0 100 100"', 100, 100), { left: 15, top: 10, right: 33, bottom: 28 }],
    [
      'sized in pixels, without a viewBox',
      box('width="1400px" height="360px"', 1400, 360),
      { left: 15, top: 10, right: 85, bottom: 28 },
    ],
    [
      'sized in millimetres, without a viewBox',
      box('width="35mm" height="9mm"', 200, 200),
      { left: 15, top: 10, right: 85, bottom: 28 },
    ],
    ['larger than its frame', box('viewBox="0 0 700 180"', 9000, 9000), { left: 15, top: 10, right: 85, bottom: 28 }],
  ])('%s: fill their area from the top left corner', async (_, svg, expected) => {
    expect(await inkBox(svg)).toEqual(expected);
  });

  it('do not load files or URLs referenced by an SVG', async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 70 18"><image href="/etc/passwd" width="70" height="18"/><image href="http://127.0.0.1:9/x.png" width="70" height="18"/><rect width="10" height="10"/></svg>`;
    expect(await inkBox(svg)).toEqual({ left: 15, top: 10, right: 25, bottom: 20 });
  });

  it.each([
    ['a good one', sampleLogo.svg, null],
    ['one that holds a picture', '<svg viewBox="0 0 9 9"><image href="x.png"/></svg>', null],
    ['no text at all', '', 'not-an-svg'],
    ['text', 'not an svg at all', 'not-an-svg'],
    ['a beginning', '<svg', 'not-an-svg'],
    ['no size', '<svg viewBox="0 0 0 0"><path d="M0 0L1 1"/></svg>', 'cannot-be-drawn'],
    ['itself inside itself', '<svg viewBox="0 0 9 9"><g id="a"><use href="#a"/></g></svg>', null],
    ['many beginnings', '<svg '.repeat(199_000), 'not-an-svg'],
    ['too much', `<svg>${' '.repeat(1_000_001)}</svg>`, 'too-large'],
  ])('are validated: %s', async (_, svg, problem) => {
    expect(await checkLogo(svg)).toBe(problem);
  });
});
