import type { Geometry } from '../../countries/letter-geometry.ts';
import { fontAscent, fontDescent } from '../pdf/letter-fonts.ts';
import { mm } from '../pdf/letter-geometry.ts';
import { drawTag } from '../pdf/pdf-text.ts';
import { openDocument } from '../pdf/pdfkit-document.ts';
import type { PageItem, PlacedLine, StructureNode } from './flow.ts';
import { type Ink, inkFor, type LetterPurpose } from './ink.ts';
import { type LaidOutPart, languageTags, layOutPart } from './layout.ts';
import type { LineRun, Measure } from './lines.ts';
import { drawLogo } from './logo.ts';
import type { LetterDocument, LetterInline, LetterLanguage, LetterPart } from './model.ts';

export interface DrawLetterOptions {
  purpose: LetterPurpose;
  geometry: Geometry;
  logo?: { svg: string; name: string };
  /** The date in the file's metadata. The default is a fixed date, so that the same letter always gives the same bytes. */
  created_at?: Date;
}

interface DrawnLetter {
  pdf: Uint8Array;
  page_count: number;
  welsh_page_count: number;
}

/** Draws a letter as a tagged PDF. Does not limit the number of pages; the caller does. */
export async function drawLetter(letter: LetterDocument, options: DrawLetterOptions): Promise<DrawnLetter> {
  const first = letter.parts[0];
  if (!first) throw new Error('a letter has at least one part');
  const { geometry } = options;
  const { document, bytes } = openDocument(
    {
      size: [mm(geometry.paper.width_mm), mm(geometry.paper.height_mm)],
      tagged: true,
      displayTitle: true,
      lang: first.words?.tag ?? languageTags[first.language],
      info: { Title: plainText(first.subject) },
    },
    options.created_at,
  );
  const ink = inkFor(options.purpose);
  const structure = createStructure(document);
  const root: StructureNode = { role: 'Document', parent: undefined };
  const measure: Measure = (text, font, size) => document.font(font).fontSize(size).widthOfString(text);
  const parts = letter.parts.map((part) => ({
    language: part.language,
    words: part.words,
    ...layOutPart(part, root, measure, geometry.layout),
  }));

  parts.forEach((part, partIndex) => {
    part.pages.forEach((items, pageIndex) => {
      document.addPage();
      const firstPage = pageIndex === 0;
      if (firstPage && options.logo) {
        const { svg, name } = options.logo;
        structure.mark({ role: 'Figure', parent: part.node, alt: name }, () =>
          drawLogo(document, svg, ink, geometry.layout.logo),
        );
      }
      for (const item of items) structure.mark(item.node, () => drawItem(document, item, ink));
      structure.artifact(() => {
        drawPageNumber(document, part, pageIndex, { ink, layout: geometry.layout });
        if (partIndex > 0) return;
        if (options.purpose === 'preview') drawMarks(document, { firstPage, ink, geometry });
        else if (firstPage) drawTag(document, geometry);
      });
    });
  });
  structure.end();
  document.end();
  return {
    pdf: await bytes,
    page_count: parts.reduce((sum, part) => sum + part.pages.length, 0),
    welsh_page_count: parts.filter((part) => part.language === 'welsh').reduce((sum, p) => sum + p.pages.length, 0),
  };
}

const plainText = (inlines: LetterInline[]) => inlines.map((i) => (i.kind === 'line-break' ? ' ' : i.text)).join('');

function createStructure(document: PDFKit.PDFDocument) {
  const elements = new Map<StructureNode, PDFKit.PDFStructureElement>();
  const roots: PDFKit.PDFStructureElement[] = [];

  function elementOf(node: StructureNode): PDFKit.PDFStructureElement {
    let element = elements.get(node);
    if (!element) {
      element = document.struct(node.role, { lang: node.lang, alt: node.alt });
      elements.set(node, element);
      if (node.parent) elementOf(node.parent).add(element);
      else {
        document.addStructure(element);
        roots.push(element);
      }
    }
    return element;
  }

  return {
    mark(node: StructureNode, draw: () => void): void {
      const element = elementOf(node);
      element.add(document.markStructureContent(node.role));
      draw();
      document.endMarkedContent();
    },
    artifact(draw: () => void): void {
      document.markContent('Artifact', { type: 'Pagination' });
      draw();
      document.endMarkedContent();
    },
    end(): void {
      for (const root of roots) root.end();
    },
  };
}

function drawItem(document: PDFKit.PDFDocument, item: PageItem, ink: Ink): void {
  if (item.kind === 'text') {
    for (const line of item.lines) {
      for (const run of line.runs) drawRun(document, line, run, ink);
    }
  } else if (item.kind === 'qr-code') {
    for (const { x, y, width, height } of item.drawing.squares) {
      document.rect(item.left + x, item.top + y, width, height);
    }
    document.fill(ink.black);
  } else {
    document
      .lineWidth(1)
      .dash(4, { space: 3 })
      .rect(item.left, item.top, item.size, item.size)
      .stroke(ink.black)
      .undash();
  }
}

function drawRun(document: PDFKit.PDFDocument, line: PlacedLine, run: LineRun, ink: Ink): void {
  const left = line.left + run.x;
  if (run.placeholder) {
    const top = line.baseline - line.size * fontAscent;
    const height = line.size * (fontAscent + fontDescent);
    document.rect(left, top, run.width, height).fill(run.placeholder === 'redacted' ? ink.grey : ink.highlight);
  }
  writeText(document, run.text, { left, baseline: line.baseline, size: line.size, font: run.font, color: ink.black });
}

interface TextPlace {
  left: number;
  baseline: number;
  size: number;
  font: LineRun['font'];
  color: Ink['black'];
}

function writeText(document: PDFKit.PDFDocument, text: string, place: TextPlace): void {
  document
    .font(place.font)
    .fontSize(place.size)
    .fillColor(place.color)
    .text(text, place.left, place.baseline, { lineBreak: false, baseline: 'alphabetic' });
}

const pageNumber: Record<LetterLanguage, (page: number, pages: number) => string> = {
  english: (page, pages) => `Page ${page} of ${pages}`,
  welsh: (page, pages) => `Tudalen ${page} o ${pages}`,
};

function drawPageNumber(
  document: PDFKit.PDFDocument,
  part: LaidOutPart & Pick<LetterPart, 'language' | 'words'>,
  pageIndex: number,
  { ink, layout }: { ink: Ink; layout: Geometry['layout'] },
): void {
  const [page, pages] = [pageIndex + 1, part.pages.length];
  const text =
    part.words?.page_number.replace('{page}', String(page)).replace('{pages}', String(pages)) ??
    pageNumber[part.language](page, pages);
  const size = 8;
  const left = mm(layout.footerRight) - document.font('regular').fontSize(size).widthOfString(text);
  writeText(document, text, {
    left,
    baseline: mm(layout.footerBaseline),
    size,
    font: 'regular',
    color: ink.black,
  });
}

/**
 * Draws where the printer's machines fold and punch, and samples of the marks that they add, to show on previews that these areas are
 * reserved.
 */
function drawMarks(
  document: PDFKit.PDFDocument,
  { firstPage, ink, geometry }: { firstPage: boolean; ink: Ink; geometry: Geometry },
): void {
  const { codes, folds, holes } = geometry.marks;
  if (codes) addSampleCodes(document, firstPage);
  if (firstPage) for (const y of folds) document.rect(mm(4), mm(y), mm(4), mm(0.2));
  for (const y of holes) document.rect(mm(4), mm(y), mm(6), mm(0.2));
  document.fill(ink.grey);
}

/** Draws a sheet code in the left margin of every page and a delivery code above the address. They encode no data. */
function addSampleCodes(document: PDFKit.PDFDocument, firstPage: boolean): void {
  const sheetCode = [1, 2, 1, 1, 3, 1, 2, 2, 1, 3, 1, 1, 2, 1, 1, 2, 3, 1];
  let y = 120;
  for (const width of sheetCode) {
    document.rect(mm(4), mm(y), mm(6), mm(0.35 * width));
    y += 0.35 * width + 1.05;
  }
  if (firstPage) {
    // Bars have four states, as on sorted mail: full, upper, lower and middle.
    for (let bar = 0; bar < 66; bar++) {
      const state = (bar * 7 + (bar >> 2) * 3) % 4;
      const top = state === 1 || state === 0 ? 34 : 35.8;
      const bottom = state === 2 || state === 0 ? 39 : 37.2;
      document.rect(mm(26 + bar * 1.2), mm(top), mm(0.5), mm(bottom - top));
    }
  }
}
