import { create } from 'qrcode';
import type { Geometry } from '../../countries/letter-geometry.ts';
import { fontAscent, fontDescent } from '../pdf/letter-fonts.ts';
import { mm } from '../pdf/letter-geometry.ts';
import { breakLines, type Line, type Measure, type TextStyle } from './lines.ts';
import type { LetterInline, LetterQrCode } from './model.ts';

/** A node of the structure tree for assistive technology. Content is attached as it is drawn. */
export interface StructureNode {
  role: string;
  parent: StructureNode | undefined;
  lang?: string;
  alt?: string;
}

export type PlacedLine = Line & { left: number; baseline: number; size: number };

export type PageItem =
  | { kind: 'text'; node: StructureNode; lines: PlacedLine[] }
  | { kind: 'qr-code'; node: StructureNode; left: number; top: number; drawing: QrDrawing }
  | { kind: 'unfilled-qr-code'; node: StructureNode; left: number; top: number; size: number };

export interface Column {
  left: number;
  width: number;
  listDepth: number;
}

/** The bullet or number of a list item, drawn to the left of its first line on the same page. */
interface Marker {
  node: StructureNode;
  text: string;
  left: number;
}
export type Flow = ReturnType<typeof createFlow>;

/** Fills pages from top to bottom. Adjacent spaces collapse to the larger one and are dropped at the top of a page. */
export function createFlow(measure: Measure, layout: Geometry['layout']) {
  const bottom = mm(layout.bodyBottom);
  const pages: PageItem[][] = [[]];
  let page: PageItem[] = pages[0] ?? [];
  let y = mm(layout.firstPageBodyTop);
  let atTop = true;
  let pendingSpace = 0;

  function nextPage(): void {
    page = [];
    pages.push(page);
    y = mm(layout.laterPageBodyTop);
    atTop = true;
    pendingSpace = 0;
  }

  function settleSpace(): void {
    if (!atTop) y += pendingSpace;
    pendingSpace = 0;
    atTop = false;
  }

  const roomBelow = () => bottom - y - (atTop ? 0 : pendingSpace);

  return {
    pages,

    widthOf: (text: string, style: TextStyle) => measure(text, 'regular', style.size),

    addFixed(item: PageItem | undefined): void {
      if (item) page.push(item);
    },

    space(points: number): void {
      pendingSpace = Math.max(pendingSpace, points);
    },

    /** Replaces the space after the last block: it differs after a nested list and after a paragraph. */
    endSpace(points: number): void {
      pendingSpace = points;
    },

    breakPage(): void {
      if (!atTop) nextPage();
    },

    keepWithNext(
      style: TextStyle,
      inlines: LetterInline[],
      column: Column,
      spaceBetween: number,
      needed: number,
    ): void {
      const own = breakLines(inlines, style, column.width, measure).length * style.leading + spaceBetween;
      if (!atTop && own + needed > roomBelow()) nextPage();
    },

    addText(node: StructureNode, inlines: LetterInline[], style: TextStyle, column: Column, marker?: Marker): void {
      let lines = breakLines(inlines, style, column.width, measure);
      if (lines.length === 0 && marker) lines = [{ runs: [], width: 0 }];
      let pendingMarker = marker;
      while (lines.length > 0) {
        const count = linesForPage(lines.length, Math.floor((roomBelow() + 0.01) / style.leading), atTop);
        if (count === 0) {
          nextPage();
          continue;
        }
        settleSpace();
        if (pendingMarker) {
          const { text, left } = pendingMarker;
          const width = measure(text, 'regular', style.size);
          const line: Line = { runs: [{ text: `${text} `, font: 'regular', x: 0, width }], width };
          page.push({ kind: 'text', node: pendingMarker.node, lines: [place(line, style, left, y, 0)] });
          pendingMarker = undefined;
        }
        const placed = lines.slice(0, count).map((line, index) => place(line, style, column.left, y, index));
        page.push({ kind: 'text', node, lines: placed });
        y += count * style.leading;
        lines = lines.slice(count);
      }
    },

    addQrCode(code: LetterQrCode, node: StructureNode, column: Column): void {
      const drawing = code.unfilled ? undefined : drawQrCode(code.data);
      const size = drawing?.size ?? unfilledQrSize;
      const quiet = drawing ? quietModules * drawing.module : 0;
      pendingSpace = Math.max(pendingSpace, quiet);
      if (size > roomBelow() && !atTop) nextPage();
      settleSpace();
      if (drawing) page.push({ kind: 'qr-code', node, left: column.left, top: y, drawing });
      else page.push({ kind: 'unfilled-qr-code', node, left: column.left, top: y, size });
      y += size;
      pendingSpace = quiet;
    },
  };
}

/** Returns how many lines of a paragraph to put on this page, avoiding widows and orphans. */
function linesForPage(total: number, room: number, atTop: boolean): number {
  if (total <= room) return total;
  const count = total - room < 2 ? room - 1 : room;
  if (count >= 2) return count;
  return atTop ? Math.max(1, room) : 0;
}

export function place(line: Line, style: TextStyle, left: number, top: number, index: number): PlacedLine {
  const halfLeading = (style.leading - style.size * (fontAscent + fontDescent)) / 2;
  const baseline = top + index * style.leading + halfLeading + style.size * fontAscent;
  return { ...line, left, baseline, size: style.size };
}

/** In points, from the code's top left corner. */
interface QrDrawing {
  size: number;
  module: number;
  squares: { x: number; y: number; width: number; height: number }[];
}

// Modules smaller than half a millimetre are hard to scan with old phone cameras. With modules over a millimetre, a short link would fill
// the page.
const minModule = mm(0.5);
const maxModule = mm(1);
const usualSize = mm(36);

/** The standard's quiet zone on each side, in modules. */
const quietModules = 4;

/** Draws a QR code as rectangles in points, joining adjacent modules of a row. Vector shapes stay sharp at any resolution. */
export function drawQrCode(data: string): QrDrawing {
  const { modules } = create(data, { errorCorrectionLevel: 'M' });
  const module = Math.min(maxModule, Math.max(minModule, usualSize / modules.size));
  const squares: QrDrawing['squares'] = [];
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) {
      const start = column;
      while (column < modules.size && modules.get(row, column)) column++;
      if (column > start) {
        squares.push({ x: start * module, y: row * module, width: (column - start) * module, height: module });
      }
    }
  }
  return { size: modules.size * module, module, squares };
}

/** The side of the dashed box drawn for a code with missing data. */
export const unfilledQrSize = usualSize;
