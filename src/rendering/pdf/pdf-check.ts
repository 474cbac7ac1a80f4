import type { Box, Geometry } from '../../countries/letter-geometry.ts';
import { addressReadingArea, maxPages, printableBoxes } from './letter-geometry.ts';
import { hasTag, linesIn } from './pdf-text.ts';
import {
  type PageProblem,
  type PrecompiledKind,
  type PrecompiledReading,
  unreadablePrecompiled,
} from './pdf-verdict.ts';
import { type PdfFile, UnreadablePdf, withPdf } from './pdfium.ts';
import type { PageImage, PdfPage } from './pdfium-page.ts';

const sizeTolerance_mm = 2;
const areaTolerance_mm = 1;
// At 150 dpi a tenth of a millimetre of grey is still a non-white pixel, and a page takes a quarter of a second.
const checkResolution_dpi = 150;

/** Reads an untrusted file. Each check runs only if the previous ones passed. Never throws because of the file. */
export async function readPrecompiled(
  pdf: Uint8Array,
  kind: PrecompiledKind,
  geometry: Geometry,
): Promise<PrecompiledReading> {
  try {
    return await withPdf(pdf, (file) => readPages(file, kind, geometry));
  } catch (error) {
    if (error instanceof UnreadablePdf || isPdfiumFault(error)) return unreadablePrecompiled;
    throw error;
  }
}

/** `RuntimeError`: PDFium failed (out of memory, or a fault). `RangeError`: nested too deeply for the stack. */
function isPdfiumFault(error: unknown): boolean {
  return error instanceof Error && ['RuntimeError', 'RangeError'].includes(error.name);
}

function readPages(file: PdfFile, kind: PrecompiledKind, geometry: Geometry): PrecompiledReading {
  const { page_count } = file;
  const problem = (message: PageProblem, invalid_pages: number[] | null): PrecompiledReading => ({
    page_count,
    message,
    invalid_pages,
    address_lines: null,
  });
  const pagesWhere = (test: (page: PdfPage, number: number) => boolean) =>
    Array.from({ length: page_count }, (_, index) => index + 1).filter((n) => file.page(n, (page) => test(page, n)));
  const isFirst = (number: number) => kind === 'letter' && number === 1;

  if (page_count > maxPages) return problem('letter-too-long', null);
  const wrongSize = pagesWhere((page) => !isUpright(page, geometry.paper));
  if (wrongSize.length > 0) return problem('letter-not-a4-portrait-oriented', wrongSize);
  const outside = pagesWhere((page, number) =>
    hasInkOutside(page.render(checkResolution_dpi), printableBoxes(geometry, { first_of_letter: isFirst(number) })),
  );
  if (outside.length > 0) return problem('content-outside-printable-area', outside);
  const tagged = pagesWhere((page, number) => !isFirst(number) && hasTag(page, geometry));
  if (tagged.length > 0) return problem('notify-tag-found-in-content', tagged);
  const address_lines = kind === 'letter' ? file.page(1, (page) => linesIn(page, addressReadingArea(geometry))) : null;
  return { page_count, message: null, invalid_pages: null, address_lines };
}

function isUpright(page: PdfPage, paper: Geometry['paper']): boolean {
  return (
    Math.abs(page.width_mm - paper.width_mm) <= sizeTolerance_mm &&
    Math.abs(page.height_mm - paper.height_mm) <= sizeTolerance_mm
  );
}

function hasInkOutside(image: PageImage, boxes: Box[]): boolean {
  const perMm = checkResolution_dpi / 25.4;
  const allowed = boxes.map((box) => grown(box, areaTolerance_mm));
  const pixels = new Uint32Array(image.pixels.buffer, image.pixels.byteOffset, image.width * image.height);
  const white = 0xffffffff;
  for (let y = 0; y < image.height; y++) {
    // The centre of a pixel determines on which side of an edge it is.
    const y_mm = (y + 0.5) / perMm;
    const spans = allowed.filter((box) => box.top <= y_mm && y_mm <= box.bottom);
    const row = y * image.width;
    for (let x = 0; x < image.width; x++) {
      if (pixels[row + x] === white) continue;
      const x_mm = (x + 0.5) / perMm;
      if (!spans.some((box) => box.left <= x_mm && x_mm <= box.right)) return true;
    }
  }
  return false;
}

function grown(box: Box, by_mm: number): Box {
  return { left: box.left - by_mm, top: box.top - by_mm, right: box.right + by_mm, bottom: box.bottom + by_mm };
}
