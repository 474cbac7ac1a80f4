import type { Box, Geometry } from '../../countries/letter-geometry.ts';
import { inkFor } from '../letter/ink.ts';
import { mm } from './letter-geometry.ts';
import type { PageCharacter, PdfPage } from './pdfium-page.ts';

/** Returns the lines of text in a part of a page from top to bottom, regardless of drawing order. */
export function linesIn(page: PdfPage, box: Box): string[] {
  const inside = page.characters().filter(({ left, right, baseline }) => {
    const middle = (left + right) / 2;
    return middle >= box.left && middle <= box.right && baseline >= box.top && baseline <= box.bottom;
  });
  const lines: PageCharacter[][] = [];
  for (const character of inside.sort((a, b) => a.baseline - b.baseline)) {
    const line = lines.at(-1);
    if (line?.[0] && character.baseline - line[0].baseline < sameLine_mm) line.push(character);
    else lines.push([character]);
  }
  return lines.map((line) => textOf(line.sort((a, b) => a.left - b.left))).filter((line) => line !== '');
}

// Lines of the smallest text in use (6 pt) are two millimetres apart; a raised full stop is far less.
const sameLine_mm = 1;
const wordGap_mm = 0.4;

function textOf(line: PageCharacter[]): string {
  let text = '';
  let end = Number.POSITIVE_INFINITY;
  for (const { character, left, right } of line) {
    if (left - end > wordGap_mm) text += ' ';
    text += character;
    end = right;
  }
  // NFKD splits ligatures, so that `ﬁ` is found as `fi`; NFC recombines accents.
  return text.normalize('NFKD').normalize('NFC').replace(/\s+/g, ' ').trim();
}

/** Draws the tag in white on white: only the printer's machine reads it, to find where a letter starts in a stack of pages. */
export function drawTag(document: PDFKit.PDFDocument, { tag }: Geometry): void {
  document.font('regular').fontSize(6).fillColor(inkFor('print').white);
  document.text(tag.word, mm(tag.left), mm(tag.baseline), { lineBreak: false, baseline: 'alphabetic' });
}

export function hasTag(page: PdfPage, { tag }: Geometry): boolean {
  return tag.word !== '' && linesIn(page, tag.area).join('').includes(tag.word);
}
