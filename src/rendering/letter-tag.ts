import { letterLayout, mm, tagArea } from './letter-geometry.ts';
import { inkFor } from './letter-ink.ts';
import { linesIn } from './pdf-text.ts';
import { withPdf } from './pdfium.ts';
import type { PdfPage } from './pdfium-page.ts';
import { openDocument } from './pdfkit-document.ts';

const tag = 'NOTIFY';

/** White on white: only the printer's machine reads it, to know where a letter begins in a stack of pages. */
export function drawTag(document: PDFKit.PDFDocument): void {
  const { left, baseline } = letterLayout.tag;
  document.font('regular').fontSize(6).fillColor(inkFor('print').white);
  document.text(tag, mm(left), mm(baseline), { lineBreak: false, baseline: 'alphabetic' });
}

export function hasTag(page: PdfPage): boolean {
  return linesIn(page, tagArea).join('').includes(tag);
}

let stamp: Promise<Uint8Array> | undefined;

/** An uploaded letter as the printer wants it: with the tag, or unchanged when it has one already. */
export async function addTag(pdf: Uint8Array): Promise<Uint8Array> {
  stamp ??= drawStamp();
  const stampPdf = await stamp;
  return withPdf(pdf, (file) => {
    if (file.page(1, hasTag)) return pdf;
    file.stamp(1, stampPdf);
    return file.save();
  });
}

function drawStamp(): Promise<Uint8Array> {
  const { document, bytes } = openDocument({ size: [mm(tagArea.right), mm(tagArea.bottom)] });
  document.addPage();
  drawTag(document);
  document.end();
  return bytes;
}
