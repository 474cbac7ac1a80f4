import { unmark } from '../placeholders.ts';
import { trimEndOf } from '../typography.ts';
import { fencedText, findFences } from './fences.ts';
import { type InlineGrammar, parseInline } from './inline.ts';
import {
  expandTabs,
  isBareTable,
  isCode,
  isHeading,
  isInset,
  isListStart,
  isPipedTable,
  isRule,
  isUnderlined,
  nextWithText,
  readHeading,
  splitList,
  startsListInText,
} from './lines.ts';
import type { MarkdownBlock } from './tree.ts';

/** Deeper lists and insets stay text: they do not occur in practice, and each level parses its lines again. */
const maxDepth = 6;

/**
 * Parses the Markdown of templates: a dialect with few marks, where everything else stays literal. Visits every line a bounded number of
 * times, whatever it contains.
 */
export function parseMarkdown(text: string, grammar: InlineGrammar): MarkdownBlock[] {
  const lines = expandTabs(text.replace(/\r\n?/g, '\n'))
    .split('\n')
    .map((line) => (trimEndOf(' ', line) === '' ? '' : line));
  return parseLines(lines, { ...grammar, place: 'document', lists: 0, insets: 0, fences: /```|~~~/.test(text) });
}

type Context = InlineGrammar & {
  place: 'document' | 'list-item';
  lists: number;
  insets: number;
  /** Whether the text contains fences: few texts do, and otherwise every list item would search for them. */
  fences: boolean;
};

const noFences: ReadonlyMap<number, number> = new Map();

/** A block, and the index of the line after it and its blank lines. The block is null if it has no output. */
interface Taken {
  block: MarkdownBlock | null;
  next: number;
}

interface Page {
  lines: readonly string[];
  fences: ReadonlyMap<number, number>;
  context: Context;
}

function parseLines(allLines: readonly string[], context: Context): MarkdownBlock[] {
  const lines = allLines.slice(0, lastWithText(allLines) + 1);
  const page: Page = { lines, fences: context.fences ? findFences(lines) : noFences, context };
  const take = context.place === 'document' ? takeFromDocument : takeFromListItem;
  const blocks: MarkdownBlock[] = [];
  let at = 0;
  /** A line of text inside a list item does not consume its own line break. */
  let lineBreaks = 0;
  while (at < lines.length) {
    const start = lines[at] === '' ? nextWithText(lines, at) : at;
    if (start - at + lineBreaks > 1) blocks.push({ kind: 'gap' });
    const { block, next } = take(page, start);
    if (block) blocks.push(block);
    lineBreaks = context.place === 'list-item' && block?.kind === 'paragraph' ? 1 : 0;
    at = next;
  }
  return blocks;
}

function lastWithText(lines: readonly string[]): number {
  let last = lines.length - 1;
  while (last >= 0 && lines[last] === '') last--;
  return last;
}

function takeFromDocument(page: Page, at: number): Taken {
  const { lines } = page;
  const line = lines[at] ?? '';
  if (isRule(line)) return { block: { kind: 'rule' }, next: nextWithText(lines, at + 1) };
  if (isCode(line)) return takeCode(page, at);
  if (page.fences.has(at)) return takeFence(page, at);
  if (isHeading(line)) return takeHeading(page, at);
  if (isBareTable(lines, at)) return takeTable(page, at, (row) => row.includes('|'));
  if (isUnderlined(lines, at)) return takeUnderlined(page, at);
  if (canTakeInset(page, line)) return takeInset(page, at);
  if (canTakeList(page, at)) return takeList(page, at);
  if (isPipedTable(lines, at)) return takeTable(page, at, (row) => /^ *\|/.test(row));
  return takeParagraph(page, at);
}

function takeFromListItem(page: Page, at: number): Taken {
  const { lines } = page;
  const line = lines[at] ?? '';
  if (isCode(line)) return takeCode(page, at);
  if (page.fences.has(at)) return takeFence(page, at);
  if (isUnderlined(lines, at)) return takeUnderlined(page, at);
  if (isRule(line)) return { block: { kind: 'rule' }, next: nextWithText(lines, at + 1) };
  if (canTakeInset(page, line)) return takeInset(page, at);
  if (canTakeList(page, at)) return takeList(page, at);
  return takeTextOfItem(page, at);
}

function takeCode({ lines, context }: Page, at: number): Taken {
  let next = at;
  while (next < lines.length && isCode(lines[next] ?? '')) next = nextWithText(lines, next + 1);
  const text = lines
    .slice(at, next)
    .map((line) => line.slice(4))
    .join('\n');
  return { block: { kind: 'code', text: unmark(next < lines.length ? `${text}\n` : text, context.open) }, next };
}

function takeFence({ lines, fences, context }: Page, at: number): Taken {
  const closing = fences.get(at) ?? at;
  return {
    block: { kind: 'code', text: unmark(fencedText(lines, at, closing), context.open) },
    next: nextWithText(lines, closing + 1),
  };
}

function takeHeading({ lines, context }: Page, at: number): Taken {
  const { level, text } = readHeading(lines[at] ?? '');
  const block: MarkdownBlock = { kind: 'heading', level, inlines: parseInline(text, context) };
  return { block, next: nextWithText(lines, at + 1) };
}

function takeUnderlined({ lines, context }: Page, at: number): Taken {
  const level = trimEndOf(' ', lines[at + 1] ?? '').endsWith('=') ? 1 : 2;
  const block: MarkdownBlock = { kind: 'heading', level, inlines: parseInline(lines[at] ?? '', context) };
  return { block, next: nextWithText(lines, at + 2) };
}

function takeTable({ lines }: Page, at: number, isRow: (line: string) => boolean): Taken {
  let next = at + 2;
  while (next < lines.length && isRow(lines[next] ?? '')) next++;
  return { block: null, next: nextWithText(lines, next) };
}

function canTakeInset({ context }: Page, line: string): boolean {
  return context.insets < maxDepth && isInset(line);
}

function takeInset({ lines, context }: Page, at: number): Taken {
  let next = at;
  while (next < lines.length && isInset(lines[next] ?? '')) {
    while (next < lines.length && lines[next] !== '') next++;
    next = nextWithText(lines, next);
  }
  const inside = lines.slice(at, next).map((line) => line.replace(/^ *\^ ?/, ''));
  const blocks = parseLines(inside, { ...context, place: 'document', insets: context.insets + 1 });
  return { block: { kind: 'inset', blocks }, next };
}

function canTakeList({ lines, context }: Page, at: number): boolean {
  if (context.lists >= maxDepth || !isListStart(lines, at)) return false;
  // If marks emphasise, a line that begins with one may be text, so a list marker needs a space.
  return !context.emphasis || /^ *(?:[•*-]|\d+\.) /.test(lines[at] ?? '');
}

function takeList({ lines, context }: Page, at: number): Taken {
  const { ordered, items, next } = splitList(lines, at);
  const inside: Context = { ...context, place: 'list-item', lists: context.lists + 1 };
  const block: MarkdownBlock = {
    kind: 'list',
    ordered,
    items: items.map(({ loose, lines: itemLines }) => ({ loose, blocks: parseLines(itemLines, inside) })),
  };
  return { block, next };
}

function takeParagraph(page: Page, at: number): Taken {
  const { lines } = page;
  let next = at + 1;
  while (next < lines.length && lines[next] !== '' && !interruptsParagraph(page, next)) next++;
  return { block: paragraph(page, at, next), next: nextWithText(lines, next) };
}

/** Fewer constructs end a paragraph than start a block: a list needs a space after its marker, an inset a blank line. */
function interruptsParagraph({ lines, fences }: Page, at: number): boolean {
  const line = lines[at] ?? '';
  return fences.has(at) || startsListInText(lines, at) || isRule(line) || isHeading(line) || isUnderlined(lines, at);
}

function takeTextOfItem(page: Page, at: number): Taken {
  const { lines } = page;
  let next = at + 1;
  while (next < lines.length && lines[next] !== '' && !interruptsTextOfItem(page, next)) next++;
  return { block: paragraph(page, at, next), next };
}

function interruptsTextOfItem(page: Page, at: number): boolean {
  const { lines, fences } = page;
  const line = lines[at] ?? '';
  return (
    isCode(line) ||
    fences.has(at) ||
    isUnderlined(lines, at) ||
    isRule(line) ||
    canTakeInset(page, line) ||
    canTakeList(page, at)
  );
}

function paragraph({ lines, context }: Page, start: number, end: number): MarkdownBlock {
  const source = lines.slice(start, end).join('\n');
  return { kind: 'paragraph', source, inlines: parseInline(source, context) };
}
