import { mm } from '../pdf/letter-geometry.ts';
import type { Ink } from './ink.ts';

/**
 * Samples of the marks that a printer's machines add: a sheet code in the left margin of every page and a delivery code
 * above the address. They carry no data; on previews they show that these areas are reserved.
 */
export function drawMarks(document: PDFKit.PDFDocument, page: { firstPage: boolean; ink: Ink }): void {
  const sheetCode = [1, 2, 1, 1, 3, 1, 2, 2, 1, 3, 1, 1, 2, 1, 1, 2, 3, 1];
  let y = 120;
  for (const width of sheetCode) {
    document.rect(mm(4), mm(y), mm(6), mm(0.35 * width));
    y += 0.35 * width + 1.05;
  }
  if (page.firstPage) {
    // Four states per bar, as on sorted mail: full, upper, lower and middle.
    for (let bar = 0; bar < 66; bar++) {
      const state = (bar * 7 + (bar >> 2) * 3) % 4;
      const top = state === 1 || state === 0 ? 34 : 35.8;
      const bottom = state === 2 || state === 0 ? 39 : 37.2;
      document.rect(mm(26 + bar * 1.2), mm(top), mm(0.5), mm(bottom - top));
    }
  }
  document.fill(page.ink.grey);
}
