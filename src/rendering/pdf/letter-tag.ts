import { inkFor } from '../letter/ink.ts';
import { letterLayout, mm, tagArea } from './letter-geometry.ts';
import { linesIn } from './pdf-text.ts';
import type { PdfPage } from './pdfium-page.ts';

const tag = 'NOTIFY';

/** White on white: only the printer's machine reads it, to find where a letter starts in a stack of pages. */
export function drawTag(document: PDFKit.PDFDocument): void {
  const { left, baseline } = letterLayout.tag;
  document.font('regular').fontSize(6).fillColor(inkFor('print').white);
  document.text(tag, mm(left), mm(baseline), { lineBreak: false, baseline: 'alphabetic' });
}

export function hasTag(page: PdfPage): boolean {
  return linesIn(page, tagArea).join('').includes(tag);
}
