import type { Geometry } from '../../countries/letter-geometry.ts';
import { mm } from '../pdf/letter-geometry.ts';
import {
  type Column,
  createFlow,
  drawQrCode,
  type Flow,
  type PageItem,
  place,
  type StructureNode,
  unfilledQrSize,
} from './flow.ts';
import { breakLines, type Line, type Measure, type TextStyle } from './lines.ts';
import type { LetterBlock, LetterInline, LetterLanguage, LetterListItem, LetterPart, LetterQrCode } from './model.ts';

export interface LaidOutPart {
  node: StructureNode;
  pages: PageItem[][];
}

const styles = {
  contactBlock: { size: 10, leading: 12 },
  body: { size: 12.5, leading: 16 },
  subject: { size: 20, leading: 24, bold: true },
  heading: { size: 14, leading: 18, bold: true },
} as const satisfies Record<string, TextStyle>;

const paragraphSpace = 10;
const headingSpaceBefore = 16;
const headingSpaceAfter = 5;
const listItemSpace = 4;
const bulletIndent = 16;
const markerGap = 6;
const bullets = ['•', '◦', '▪'];

export const languageTags: Record<LetterLanguage, string> = { english: 'en-GB', welsh: 'cy' };

export function layOutPart(
  part: LetterPart,
  documentNode: StructureNode,
  measure: Measure,
  layout: Geometry['layout'],
): LaidOutPart {
  const node: StructureNode = {
    role: 'Part',
    parent: documentNode,
    lang: part.words?.tag ?? languageTags[part.language],
  };
  const flow = createFlow(measure, layout);
  const { size_pt, leading_pt } = layout.address;
  const address = { size: size_pt, leading: leading_pt, uppercase: part.address_as_written !== true };
  flow.addFixed(fitBox(part.address, address, layout.address, node, measure));
  flow.addFixed(fitBox(part.contact_block, styles.contactBlock, layout.contactBlock, node, measure));

  const column: Column = { left: mm(layout.bodyLeft), width: mm(layout.bodyWidth), listDepth: 0 };
  const child = (role: string): StructureNode => ({ role, parent: node });
  flow.addText(child('P'), [{ kind: 'text', text: part.date }], styles.body, column);
  flow.space(paragraphSpace);
  flow.addText(child('H1'), part.subject, styles.subject, column);
  flow.space(paragraphSpace);
  addBlocks(flow, part.blocks, node, column);
  return { node, pages: flow.pages.filter((page, index) => index === 0 || page.length > 0) };
}

const emptyLine: Line = { runs: [], width: 0 };

/** Lays out lines for a box of fixed height. Text that overflows is scaled down to half its size at most; the rest is truncated. */
function fitBox(
  printedLines: LetterInline[][],
  style: TextStyle,
  box: { left: number; top: number; width: number; height: number },
  parent: StructureNode,
  measure: Measure,
): PageItem | undefined {
  const [width, height] = [mm(box.width), mm(box.height)];
  for (let scale = 1; ; scale -= 0.05) {
    const scaled = { ...style, size: style.size * scale, leading: style.leading * scale };
    const lines = printedLines.flatMap((inlines) => {
      const broken = breakLines(inlines, scaled, width, measure);
      return broken.length > 0 ? broken : [emptyLine];
    });
    const room = Math.floor(height / scaled.leading);
    if (lines.every((line) => line.runs.length === 0)) return undefined;
    if (lines.length <= room || scale <= 0.55) {
      const placed = lines.slice(0, room).map((line, i) => place(line, scaled, mm(box.left), mm(box.top), i));
      return { kind: 'text', node: { role: 'P', parent }, lines: placed };
    }
  }
}

function addBlocks(flow: Flow, blocks: LetterBlock[], parent: StructureNode, column: Column): void {
  blocks.forEach((block, index) => {
    switch (block.kind) {
      case 'heading':
        flow.space(headingSpaceBefore);
        flow.keepWithNext(styles.heading, block.inlines, column, headingSpaceAfter, leastHeight(blocks[index + 1]));
        flow.addText({ role: 'H2', parent }, block.inlines, styles.heading, column);
        flow.space(headingSpaceAfter);
        break;
      case 'paragraph':
        flow.addText({ role: 'P', parent }, block.inlines, styles.body, column);
        flow.space(paragraphSpace);
        break;
      case 'list':
        addList(flow, block.items, block.ordered, parent, column);
        flow.space(paragraphSpace);
        break;
      case 'page-break':
        flow.breakPage();
        break;
      case 'qr-code':
        flow.addQrCode(block, { role: 'Figure', parent, alt: qrAlternative(block) }, column);
        flow.space(paragraphSpace);
        break;
    }
  });
}

const qrAlternative = (code: LetterQrCode) => (code.unfilled ? 'QR code' : `QR code: ${code.data}`);

/** Returns how much of a block must stay on the same page as the heading above it. */
function leastHeight(block: LetterBlock | undefined): number {
  if (!block || block.kind === 'page-break') return 0;
  if (block.kind === 'qr-code') return block.unfilled ? unfilledQrSize : drawQrCode(block.data).size;
  return 2 * styles.body.leading;
}

function addList(flow: Flow, items: LetterListItem[], ordered: boolean, parent: StructureNode, column: Column): void {
  const list: StructureNode = { role: 'L', parent };
  const bullet = bullets[Math.min(column.listDepth, bullets.length - 1)] ?? '•';
  const markerOf = (index: number) => (ordered ? `${index + 1}.` : bullet);
  const widest = flow.widthOf(markerOf(items.length - 1), styles.body);
  const indent = Math.min(column.width / 3, Math.max(bulletIndent, widest + markerGap));
  const inner = { left: column.left + indent, width: column.width - indent, listDepth: column.listDepth + 1 };
  items.forEach((item, index) => {
    const node: StructureNode = { role: 'LI', parent: list };
    const body: StructureNode = { role: 'LBody', parent: node };
    const [first, ...rest] = item.blocks;
    const borrowed = item.inlines.length === 0 && first?.kind === 'paragraph';
    const inlines = borrowed ? first.inlines : item.inlines;
    if (index > 0) flow.space(listItemSpace);
    flow.addText(body, inlines, styles.body, inner, {
      node: { role: 'Lbl', parent: node },
      text: markerOf(index),
      left: column.left,
    });
    const blocks = borrowed ? rest : item.blocks;
    if (blocks.length > 0) {
      flow.space(listItemSpace);
      addBlocks(flow, blocks, body, inner);
      flow.endSpace(listItemSpace);
    }
  });
}
