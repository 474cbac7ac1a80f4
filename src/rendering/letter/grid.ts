import type { Box, Geometry } from '../../countries/letter-geometry.ts';
import { mm } from '../pdf/letter-geometry.ts';
import { openDocument } from '../pdf/pdfkit-document.ts';
import { inkFor } from './ink.ts';

const small_pt = 7;

/**
 * Draws a page with the outlines of all areas of the first page, and scales along its edges. Printed at actual size and put into an
 * envelope, it shows whether the address is in the window.
 */
export async function drawGrid({ paper, firstPage, layout, marks }: Geometry): Promise<Uint8Array> {
  const { document, bytes } = openDocument({
    size: [mm(paper.width_mm), mm(paper.height_mm)],
    info: { Title: 'Window of the envelope' },
  });
  const { black, grey } = inkFor('print');
  document.addPage();
  document.lineWidth(0.5).strokeColor(grey);
  for (const box of [firstPage.logo, firstPage.contactBlock, firstPage.body, ...firstPage.more]) outline(document, box);
  document.stroke();
  for (const y of [...marks.folds, ...marks.holes]) document.moveTo(0, mm(y)).lineTo(mm(8), mm(y));
  drawScale(document, paper);
  document.stroke();
  document.lineWidth(1.5).strokeColor(black);
  outline(document, firstPage.address);
  document.stroke();

  document.font('regular').fillColor(black);
  write(document, 'Logo', firstPage.logo);
  write(document, 'Sender', firstPage.contactBlock);
  write(document, 'Text', firstPage.body);
  const { left, top, size_pt, leading_pt } = layout.address;
  const lines = ['FIRST LINE OF THE ADDRESS', ...['SECOND', 'THIRD', 'FOURTH', 'FIFTH'].map((one) => `${one} LINE`)];
  document.fontSize(size_pt);
  for (const [index, line] of lines.entries()) {
    document.text(line, mm(left), mm(top) + index * leading_pt, { lineBreak: false });
  }
  document.fontSize(small_pt);
  const { address } = firstPage;
  const notes = [
    `${paper.name}, ${paper.width_mm} by ${paper.height_mm} mm. Print this page at 100 %, without fitting it to the paper.`,
    `Address: ${address.left} to ${address.right} mm from the left, ${address.top} to ${address.bottom} mm from the top.`,
    'Fold it as the machine does. The whole box of the address must show in the window, wherever the sheet slides, and no other box.',
  ];
  for (const [index, note] of notes.entries()) {
    document.text(note, mm(layout.bodyLeft), mm(firstPage.body.top + 12 + 4 * index), { lineBreak: false });
  }
  document.end();
  return bytes;
}

function outline(document: PDFKit.PDFDocument, { left, top, right, bottom }: Box): void {
  document.rect(mm(left), mm(top), mm(right - left), mm(bottom - top));
}

function write(document: PDFKit.PDFDocument, label: string, { left, top }: Box): void {
  document.fontSize(small_pt).text(label, mm(left + 1), mm(top + 1), { lineBreak: false });
}

/** Draws a line at every centimetre, longer at every fifth. */
function drawScale(document: PDFKit.PDFDocument, { width_mm, height_mm }: Geometry['paper']): void {
  const length = (at: number) => mm(at % 50 === 0 ? 4 : 2);
  for (let x = 10; x < width_mm; x += 10) document.moveTo(mm(x), 0).lineTo(mm(x), length(x));
  for (let y = 10; y < height_mm; y += 10) document.moveTo(0, mm(y)).lineTo(length(y), mm(y));
}
