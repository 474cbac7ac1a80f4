import { type Box, printableBoxes, tagArea } from './letter-geometry.ts';
import type { PrecompiledKind } from './pdf-verdict.ts';
import { withPdf } from './pdfium.ts';
import type { PageImage } from './pdfium-page.ts';
import { encodePng } from './png.ts';

/** How to decorate a page of an uploaded PDF. `red-overlay`: marks where nothing may be printed. */
export type PageDecoration = 'none' | 'hide-tag' | 'red-overlay';

export class NoSuchPage extends Error {
  override readonly name = 'NoSuchPage';

  constructor(page: number) {
    super(`Letter does not have a page ${page}`);
  }
}

const resolution_dpi = 150;
// A page may claim to be ten metres wide; limit its image.
const maxSide_px = 5000;
const red = { red: 212, green: 53, blue: 28, alpha: 0.3 };

export interface PageToPngOptions {
  decoration?: PageDecoration;
  kind?: PrecompiledKind;
}

/** One page, numbered from 1, as a PNG at 150 dpi. */
export function pageToPng(pdf: Uint8Array, page: number, options: PageToPngOptions = {}): Promise<Uint8Array> {
  const { decoration = 'none', kind = 'letter' } = options;
  return withPdf(pdf, (file) => {
    if (!Number.isInteger(page) || page < 1 || page > file.page_count) throw new NoSuchPage(page);
    return file.page(page, (shown) => {
      const longest_mm = Math.max(shown.width_mm, shown.height_mm);
      const dpi = Math.min(resolution_dpi, (maxSide_px / longest_mm) * 25.4);
      const image = shown.render(dpi);
      const first = kind === 'letter' && page === 1;
      if (decoration === 'hide-tag' && first) fill(image, dpi, tagArea);
      if (decoration === 'red-overlay') tint(image, dpi, printableBoxes({ first_of_letter: first }));
      return encodePng(image, dpi);
    });
  });
}

/** The same PDF with the unprintable areas in red, on every page. */
export function overlayPdf(pdf: Uint8Array, kind: PrecompiledKind = 'letter'): Promise<Uint8Array> {
  return withPdf(pdf, (file) => {
    for (let number = 1; number <= file.page_count; number++) {
      const boxes = printableBoxes({ first_of_letter: kind === 'letter' && number === 1 });
      const color: [number, number, number, number] = [red.red, red.green, red.blue, Math.round(red.alpha * 255)];
      file.page(number, (page) => page.coverOutside(boxes, color));
    }
    return file.save();
  });
}

function fill(image: PageImage, dpi: number, box: Box): void {
  forEachRow(image, dpi, [box], (inside, start, end) => {
    if (inside) image.pixels.fill(255, start * 4, end * 4);
  });
}

function tint(image: PageImage, dpi: number, allowed: Box[]): void {
  const keep = 1 - red.alpha;
  forEachRow(image, dpi, allowed, (inside, start, end) => {
    if (inside) return;
    for (let at = start * 4; at < end * 4; at += 4) {
      image.pixels[at] = (image.pixels[at] ?? 0) * keep + red.red * red.alpha;
      image.pixels[at + 1] = (image.pixels[at + 1] ?? 0) * keep + red.green * red.alpha;
      image.pixels[at + 2] = (image.pixels[at + 2] ?? 0) * keep + red.blue * red.alpha;
    }
  });
}

/** Splits every row of pixels into stretches inside and outside of non-overlapping boxes. */
function forEachRow(
  image: PageImage,
  dpi: number,
  boxes: Box[],
  use: (inside: boolean, start: number, end: number) => void,
): void {
  const column = (x_mm: number) => Math.min(image.width, Math.max(0, Math.round((x_mm * dpi) / 25.4)));
  for (let y = 0; y < image.height; y++) {
    const y_mm = ((y + 0.5) * 25.4) / dpi;
    const row = y * image.width;
    let at = 0;
    for (const box of boxes.filter((b) => b.top <= y_mm && y_mm < b.bottom).sort((a, b) => a.left - b.left)) {
      const [start, end] = [column(box.left), column(box.right)];
      if (start > at) use(false, row + at, row + start);
      if (end > start) use(true, row + start, row + end);
      at = end;
    }
    if (at < image.width) use(false, row + at, row + image.width);
  }
}
