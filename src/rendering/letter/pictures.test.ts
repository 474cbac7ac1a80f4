import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { sampleLetters } from '../../../test/kit/samples/letter-samples.ts';
import { pageToPng } from '../pdf/pdf-image.ts';
import { drawLetter } from './pdf.ts';

/**
 * Compares with the reviewed images in golden/. Rendering is the same on every machine; the tolerance is for a newer
 * PDFium or font: a pixel counts as different above a tenth of the range from black to white, anti-aliasing is ignored,
 * and 150 pixels (of two million; a short word has about 400) may differ. After an intended change: UPDATE_GOLDEN=1 npx
 * vitest run src/rendering/letter/pictures.test.ts, then review the images.
 */
describe('pictures of sample letters', () => {
  const tolerance_px = 150;

  it.each(sampleLetters)('%s', async (name, document, options) => {
    const { pdf, page_count } = await drawLetter(document, options);
    for (let page = 1; page <= page_count; page++) {
      const file = new URL(`./golden/${name}-${page}.golden.png`, import.meta.url);
      const png = await pageToPng(pdf, page);
      if (process.env.UPDATE_GOLDEN) writeFileSync(file, png);
      const drawn = PNG.sync.read(Buffer.from(png));
      const golden = PNG.sync.read(readFileSync(file));
      expect([drawn.width, drawn.height]).toEqual([golden.width, golden.height]);
      const different = pixelmatch(drawn.data, golden.data, undefined, drawn.width, drawn.height, { threshold: 0.1 });
      expect(different, `${name}, page ${page}`).toBeLessThanOrEqual(tolerance_px);
    }
    expect(existsSync(new URL(`./golden/${name}-${page_count + 1}.golden.png`, import.meta.url))).toBe(false);
  });
});
