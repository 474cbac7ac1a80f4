import { hasOnlyRuleMarks, nextWithText } from './lines.ts';

type ListLines = {
  ordered: boolean;
  items: { loose: boolean; lines: string[] }[];
  /** The line after the list and its blank lines. */
  next: number;
};

const MARK = /^( *)([•*-]|\d+\.)/;
const MARK_HERE = /([•*-]|\d+\.)/y;

/** A mark needs no space after it, but it does need something: text, or another line. */
export function isListStart(lines: readonly string[], at: number): boolean {
  const mark = MARK.exec(lines[at] ?? '');
  return mark !== null && ((lines[at] ?? '').length > mark[0].length || at + 1 < lines.length);
}

export function splitList(lines: readonly string[], start: number): ListLines {
  const [, indent = '', mark = ''] = MARK.exec(lines[start] ?? '') ?? [];
  const next = findEnd(lines, start, indent, mark);
  const items = splitItems(lines.slice(start, next), indent);
  let blankBefore = false;
  return {
    ordered: mark.endsWith('.'),
    next,
    items: items.map((itemLines, index) => {
      const outdented = outdent(itemLines);
      let loose = blankBefore || hasBlankInside(outdented);
      if (index < items.length - 1 && (outdented.length > 1 || outdented[0] !== '')) {
        blankBefore = outdented.length > 1 && outdented.at(-1) === '';
        loose ||= blankBefore;
      }
      return { loose, lines: outdented };
    }),
  };
}

/**
 * Two blank lines end a list, one does unless what follows is indented or another item, and so does a rule. A mark
 * alone on its line takes the line break that follows for its text.
 */
function findEnd(lines: readonly string[], start: number, indent: string, mark: string): number {
  let at = start;
  let taken = lines[start] === indent + mark ? 1 : 0;
  for (;;) {
    const next = nextWithText(lines, at + 1);
    if (next >= lines.length) return next;
    const line = lines[next] ?? '';
    const lineBreaks = next - at - taken;
    if (lineBreaks > 0 && endsWithRule(line, indent)) return next;
    if (lineBreaks > 2 || (lineBreaks === 2 && !line.startsWith(' ') && !isSpacedItem(line, indent))) return next;
    at = next;
    taken = 0;
  }
}

function endsWithRule(line: string, indent: string): boolean {
  if (!hasOnlyRuleMarks(line)) return false;
  return !line.startsWith(' ') || (line.startsWith(indent) && line[indent.length] !== ' ');
}

function isSpacedItem(line: string, indent: string): boolean {
  if (!isItem(line, indent)) return false;
  return line[MARK_HERE.lastIndex] === ' ';
}

/** Leaves the end of the mark in `MARK_HERE.lastIndex`. */
function isItem(line: string, indent: string): boolean {
  MARK_HERE.lastIndex = indent.length;
  return line.startsWith(indent) && MARK_HERE.test(line);
}

function splitItems(lines: readonly string[], indent: string): string[][] {
  const items: string[][] = [];
  for (const line of lines) {
    if (items.length === 0 || isItem(line, indent)) items.push([]);
    items.at(-1)?.push(line);
  }
  return items;
}

/** Without the mark, and without as much space before every line as the mark took, if any line has space before it. */
function outdent(lines: readonly string[]): string[] {
  const [first = '', ...rest] = lines;
  const width = MARK.exec(first)?.[0].length ?? 0;
  const withoutMark = [first.slice(width), ...rest];
  if (!rest.some((line) => line.startsWith(' '))) return withoutMark;
  return withoutMark.map((line) => line.slice(Math.min(width, line.search(/[^ ]|$/))));
}

/** A blank line with text somewhere after it. */
function hasBlankInside(lines: readonly string[]): boolean {
  const blank = lines.indexOf('', 1);
  return blank !== -1 && lines.slice(blank).some((line) => line.trim() !== '');
}
