import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makePdf } from '../../../test/kit/samples/pdf-samples.ts';
import { withPdf } from '../pdf/pdfium.ts';
import { type Cmyk, pressColor } from './press-color.ts';

/** How PDFium, which models coated paper, displays CMYK colours. */
async function shown(inks: Cmyk[]): Promise<number[][]> {
  const pdf = await makePdf([
    {
      width: 10 * inks.length,
      height: 10,
      draw: ({ document }) => {
        for (const [index, ink] of inks.entries()) document.rect((index * 720) / 25.4, 0, 30, 30).fill(ink);
      },
    },
  ]);
  const { pixels } = await withPdf(pdf, (file) => file.page(1, (page) => page.render(25.4)));
  return inks.map((_, index) => [...pixels.slice((index * 10 + 5) * 4, (index * 10 + 5) * 4 + 3)]);
}

const brands: [name: string, rgb: [number, number, number]][] = [
  ['dark green', [0, 112, 60]],
  ['blue', [29, 112, 184]],
  ['red', [212, 53, 28]],
  ['purple', [76, 44, 146]],
  ['pink', [213, 56, 128]],
  ['orange', [244, 119, 56]],
  ['brown', [181, 136, 64]],
  ['turquoise', [40, 161, 151]],
  ['navy', [0, 48, 120]],
];

describe('pressColor', () => {
  it.each<[number, number, number, Cmyk]>([
    [0, 0, 0, [0, 0, 0, 100]],
    [11, 12, 12, [0, 0, 0, 100]],
    [255, 255, 255, [0, 0, 0, 0]],
    [144, 144, 144, [0, 0, 0, 50]],
    [255, 0, 0, [0, 100, 100, 0]],
    [255, 241, 1, [0, 0, 100, 0]],
  ])('%i %i %i', (red, green, blue, inks) => {
    expect(pressColor(red, green, blue)).toEqual(inks);
  });

  it('looks on paper as on a screen, as far as possible with inks', async () => {
    const printed = await shown(brands.map(([, rgb]) => pressColor(...rgb)));
    const off = brands.map(([name, rgb], index) => {
      const distance = Math.hypot(...rgb.map((channel, n) => channel - (printed[index]?.[n] ?? 0)));
      return [name, Math.round(distance)] as const;
    });
    expect(off.filter(([, distance]) => distance > 45)).toEqual([]);
  });

  it('uses between 0 and 100 % of each ink for any colour', () => {
    const channel = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(channel, channel, channel, (red, green, blue) => {
        for (const ink of pressColor(red, green, blue)) {
          expect(ink).toBeGreaterThanOrEqual(0);
          expect(ink).toBeLessThanOrEqual(100);
        }
      }),
    );
  });
});
