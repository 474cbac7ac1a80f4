import { decodeEntities } from '../escape.ts';
import { parseMarkdown } from '../markdown/markdown.ts';
import type { MarkdownBlock, MarkdownInline, MarkdownListItem } from '../markdown/tree.ts';
import { type OpenPlaceholder, printOpening, splitAtMarks, unmark } from '../placeholders.ts';
import { applyTypographyToPieces } from '../typography.ts';
import type { LetterBlock, LetterInline, LetterListItem } from './model.ts';

/** Parses the message of a letter. Paper has no links and no insets; a rule starts a new page. */
export function readLetterBlocks(text: string, open: readonly OpenPlaceholder[]): LetterBlock[] {
  return parseMarkdown(text, { links: false, open }).flatMap((block) => readBlock(block, open));
}

/** Parses a single line of text with its unfilled placeholders. */
export function readLetterLine(
  text: string,
  open: readonly OpenPlaceholder[],
  style: 'typography' | 'as-written',
): LetterInline[] {
  const inlines = splitAtMarks(text, open).map(
    (part): LetterInline => (typeof part === 'string' ? { kind: 'text', text: printable(part) } : placeholder(part)),
  );
  return style === 'typography' ? withTypography(inlines) : inlines;
}

const qrCode = /^[^\S\n]*qr[^\S\n]*:[^\S\n]*(\S.*)$/i;

function readBlock(block: MarkdownBlock, open: readonly OpenPlaceholder[]): LetterBlock[] {
  switch (block.kind) {
    case 'heading': {
      const inlines = readInlines(block.inlines);
      return block.level === 1 ? [{ kind: 'heading', inlines }] : paragraph(inlines);
    }
    case 'paragraph': {
      const data = qrCode.exec(block.source)?.[1]?.trim();
      if (data === undefined) return paragraph(readInlines(block.inlines));
      const printed = unmark(data, open);
      return [{ kind: 'qr-code', data: decodeEntities(printed), unfilled: printed !== data }];
    }
    case 'list':
      return [{ kind: 'list', ordered: block.ordered, items: block.items.map((item) => readItem(item, open)) }];
    case 'inset':
    case 'tagged':
      return block.blocks.flatMap((inside) => readBlock(inside, open));
    case 'rule':
      return [{ kind: 'page-break' }];
    case 'code':
      return paragraph(linesOf(block.text.trimEnd()));
    case 'gap':
      return [];
  }
}

function paragraph(inlines: LetterInline[]): LetterBlock[] {
  const isBlank = inlines.every((inline) => inline.kind === 'text' && inline.text.trim() === '');
  return isBlank ? [] : [{ kind: 'paragraph', inlines }];
}

/** Page breaks inside a list are ignored, and a QR code becomes its own block. */
function readItem({ blocks }: MarkdownListItem, open: readonly OpenPlaceholder[]): LetterListItem {
  const [first, ...rest] = blocks.filter((block) => block.kind !== 'gap' && block.kind !== 'rule');
  const inItem = (block: MarkdownBlock) =>
    block.kind === 'paragraph' ? paragraph(readInlines(block.inlines)) : readBlock(block, open);
  if (first?.kind === 'paragraph') return { inlines: readInlines(first.inlines), blocks: rest.flatMap(inItem) };
  return { inlines: [], blocks: first ? [first, ...rest].flatMap(inItem) : [] };
}

function linesOf(text: string): LetterInline[] {
  return text.split('\n').flatMap((line, index): LetterInline[] => {
    const piece: LetterInline = { kind: 'text', text: printable(decodeEntities(line)) };
    return index === 0 ? [piece] : [{ kind: 'line-break' }, piece];
  });
}

function readInlines(inlines: readonly MarkdownInline[]): LetterInline[] {
  const [first, ...rest] = withTypography(inlines.flatMap(readInline)).map(withLastingHyphens);
  if (first?.kind !== 'text') return first ? [first, ...rest] : [];
  return [{ kind: 'text', text: first.text.trimStart() }, ...rest];
}

function readInline(inline: MarkdownInline): LetterInline[] {
  switch (inline.kind) {
    case 'text':
      return [{ kind: 'text', text: printable(decodeEntities(inline.text)) }];
    case 'line-break':
      return [{ kind: 'line-break' }];
    case 'placeholder':
      return [placeholder(inline.open)];
    case 'url':
      return [{ kind: 'bold', text: printable(decodeEntities(inline.url.replace(/^https?:\/\//, ''))) }];
    case 'link':
    case 'strong':
    case 'emphasis':
      return inline.inlines.flatMap(readInline);
  }
}

function placeholder(open: OpenPlaceholder): LetterInline {
  const text = open.style === 'redacted' ? 'hidden' : printOpening(open);
  return { kind: 'placeholder', style: open.style, text };
}

function withTypography(inlines: readonly LetterInline[]): LetterInline[] {
  const pieces = applyTypographyToPieces(inlines.flatMap((inline) => (inline.kind === 'text' ? [inline.text] : [])));
  const nextPiece = pieces.values();
  return inlines.map((inline) =>
    inline.kind === 'text' ? { kind: 'text', text: nextPiece.next().value ?? '' } : inline,
  );
}

/** Uses non-breaking hyphens: a reference number must not be split across lines. */
function withLastingHyphens(inline: LetterInline): LetterInline {
  if (inline.kind !== 'text' && inline.kind !== 'bold') return inline;
  return { kind: inline.kind, text: inline.text.replaceAll('-', '\u2011') };
}

/** Control characters have no glyph. */
function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}
