import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { gbGeometry, geometryOf } from '../../../test/kit/samples/geometries.ts';
import { letter, longLetter, paragraph, plainLetter, sampleLogo } from '../../../test/kit/samples/letter-samples.ts';
import { address, makePdf } from '../../../test/kit/samples/pdf-samples.ts';
import type { Geometry } from '../../countries/letter-geometry.ts';
import { printableBoxes } from '../pdf/letter-geometry.ts';
import { readPrecompiled } from '../pdf/pdf-check.ts';
import { overlayPdf, pageToPng } from '../pdf/pdf-image.ts';
import { linesIn } from '../pdf/pdf-text.ts';
import { withPdf } from '../pdf/pdfium.ts';
import { drawLetter } from './pdf.ts';
import { rewritePrecompiled } from './rewrite.ts';

const own = geometryOf({
  logo: { left: 10, top: 10, right: 100, bottom: 40 },
  address: { left: 110, top: 45, right: 200, bottom: 75 },
  contactBlock: { left: 110, top: 10, right: 200, bottom: 40 },
  body: { left: 20, top: 100, right: 190, bottom: 280 },
});

const geometries: [string, Geometry][] = [
  ['nl-c5', geometryOf('nl-c5')],
  ['din-5008-a', geometryOf('din-5008-a')],
  ['din-5008-b', geometryOf('din-5008-b')],
  ['us-10', geometryOf('us-10', 'letter')],
  ['gb-c5 on US Letter', geometryOf('gb-c5', 'letter')],
  ['a window of its own', own],
];

/** An uploaded letter with its address in the window. */
function upload({ paper, firstPage }: Geometry, lines = address, extra?: [string, number, number]) {
  const { left, top } = firstPage.address;
  const size = { width: paper.width_mm, height: paper.height_mm };
  return makePdf([
    {
      ...size,
      draw(page) {
        for (const [index, line] of lines.entries()) page.text(line, left + 1, top + 3.5 + index * 3.2, { size: 8 });
        page.text('Dear Ms Penny', firstPage.body.left + 5, firstPage.body.top + 10);
        if (extra) page.text(...extra);
      },
    },
    { ...size, draw: (page) => page.text('More of the letter', firstPage.body.left + 5, 30) },
  ]);
}

describe.each(geometries)('a letter for %s', (_, geometry) => {
  const { paper, firstPage } = geometry;
  const crowded = letter({
    ...plainLetter.parts[0],
    contact_block: Array.from({ length: 9 }, (_, n) => [{ kind: 'text' as const, text: `Line ${n} of the sender` }]),
    blocks: Array.from({ length: 40 }, () => paragraph('All of this is printed. '.repeat(12))),
  });

  it('has the size of the paper on every page', async () => {
    const { pdf, page_count } = await drawLetter(longLetter, { purpose: 'print', geometry });
    const sizes = await withPdf(pdf, (file) =>
      Array.from({ length: page_count }, (_, index) => file.page(index + 1, (page) => [page.width_mm, page.height_mm])),
    );
    expect(page_count).toBeGreaterThan(1);
    for (const [width, height] of sizes) {
      expect(width).toBeCloseTo(paper.width_mm, 1);
      expect(height).toBeCloseTo(paper.height_mm, 1);
    }
  });

  it('passes the check of uploaded letters, and its address is in the window', async () => {
    const options = { purpose: 'print', geometry, logo: sampleLogo } as const;
    const { pdf, page_count } = await drawLetter(crowded, options);
    expect(await readPrecompiled(pdf, 'letter', geometry)).toEqual({
      page_count,
      message: null,
      invalid_pages: null,
      address_lines: ['MS ANGHARAD PENNY', '12 POST OFFICE LANE', 'LLANFAIR PWLLGWYNGYLL', 'YNYS MÔN', 'LL61 5UJ'],
    });
    const inWindow = await withPdf(pdf, (file) => file.page(1, (page) => linesIn(page, firstPage.address)));
    expect(inWindow).toHaveLength(5);
  });

  it('has every character inside the printable boxes', async () => {
    const { pdf, page_count } = await drawLetter(crowded, { purpose: 'print', geometry });
    const outside = await withPdf(pdf, (file) =>
      Array.from({ length: page_count }, (_, index) =>
        file.page(index + 1, (page) => {
          const boxes = printableBoxes(geometry, { first_of_letter: index === 0 });
          return page.characters().filter(({ character, left, right, baseline }) => {
            const inside = boxes.some(
              (box) =>
                left >= box.left - 0.2 && right <= box.right + 0.2 && baseline > box.top && baseline < box.bottom,
            );
            const isTag = baseline < 5 && left < 15;
            return character !== ' ' && !inside && !isTag;
          });
        }),
      ).flat(),
    );
    expect(outside).toEqual([]);
  });

  it('is read and rewritten if somebody else made it', async () => {
    const pdf = await upload(geometry);
    expect(await readPrecompiled(pdf, 'letter', geometry)).toMatchObject({ message: null, address_lines: address });
    const seven = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'SW1A 1AA'];
    const rewritten = await rewritePrecompiled(pdf, seven, geometry);
    expect(await readPrecompiled(rewritten, 'letter', geometry)).toMatchObject({ message: null, address_lines: seven });
    const inWindow = await withPdf(rewritten, (file) => file.page(1, (page) => linesIn(page, firstPage.address)));
    expect(inWindow).toEqual(seven);
  });

  it('is refused with text outside, which the preview shows in red', async () => {
    const beside: [string, number, number] = ['Text in the gap', firstPage.body.left + 5, firstPage.body.top - 3];
    const pdf = await upload(geometry, address, beside);
    expect(await readPrecompiled(pdf, 'letter', geometry)).toMatchObject({
      message: 'content-outside-printable-area',
      invalid_pages: [1],
    });
    const options = { decoration: 'red-overlay', geometry } as const;
    const { width, data } = PNG.sync.read(Buffer.from(await pageToPng(await upload(geometry), 1, options)));
    const redAt = (x_mm: number, y_mm: number) => {
      const at = (Math.round((y_mm * 150) / 25.4) * width + Math.round((x_mm * 150) / 25.4)) * 4;
      return data[at] !== data[at + 1];
    };
    expect(redAt(firstPage.address.left + 40, firstPage.address.bottom - 1)).toBe(false);
    expect(redAt(firstPage.body.right - 5, firstPage.body.bottom - 5)).toBe(false);
    expect(redAt(paper.width_mm - 2, paper.height_mm - 2)).toBe(true);
    expect((await overlayPdf(pdf, geometry)).length).toBeGreaterThan(pdf.length);
  });
});

describe('the size of the paper', () => {
  const us = geometryOf('us-10', 'letter');

  it('must be that of the country', async () => {
    const [american, european] = [await upload(us), await upload(geometryOf('nl-c5'))];
    const refused = { message: 'letter-not-a4-portrait-oriented', invalid_pages: [1, 2] };
    expect(await readPrecompiled(american, 'letter', gbGeometry)).toMatchObject(refused);
    expect(await readPrecompiled(european, 'letter', us)).toMatchObject(refused);
    expect(await readPrecompiled(european, 'attachment', us)).toMatchObject(refused);
    expect(await readPrecompiled(american, 'letter', us)).toMatchObject({ message: null });
  });

  it('must be upright', async () => {
    const { width_mm: height, height_mm: width } = us.paper;
    const lying = await makePdf([{ width, height }]);
    expect(await readPrecompiled(lying, 'attachment', us)).toMatchObject({
      message: 'letter-not-a4-portrait-oriented',
    });
  });
});

describe('the field of DIN 5008', () => {
  it('may have a line of the sender above the address, which is not part of it', async () => {
    const geometry = geometryOf('din-5008-b');
    const sender: [string, number, number] = ['Amt Musterstadt, Postfach 1, 12345 Musterstadt', 25, 61.5];
    expect(await readPrecompiled(await upload(geometry, address, sender), 'letter', geometry)).toMatchObject({
      message: null,
      address_lines: address,
    });
  });

  it('may have marks for folding at the left edge', async () => {
    const geometry = geometryOf('din-5008-b');
    const pdf = await makePdf([
      {
        draw(page) {
          for (const [index, line] of address.entries()) page.text(line, 25, 66 + index * 4, { size: 9 });
          for (const y of [105, 148.5, 210]) page.rectangle(4, y, 5, 0.2);
        },
      },
    ]);
    expect(await readPrecompiled(pdf, 'letter', geometry)).toMatchObject({ message: null });
  });

  it('shows on previews where the sheet is folded', async () => {
    const geometry = geometryOf('din-5008-b');
    const { pdf } = await drawLetter(plainLetter, { purpose: 'preview', geometry });
    const { width, data } = PNG.sync.read(Buffer.from(await pageToPng(pdf, 1)));
    const isWhite = (x_mm: number, y_mm: number) =>
      data[(Math.round((y_mm * 150) / 25.4) * width + Math.round((x_mm * 150) / 25.4)) * 4] === 255;
    expect([isWhite(6, 105.1), isWhite(6, 107), isWhite(6, 148.6), isWhite(6, 210.1)]).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });
});
