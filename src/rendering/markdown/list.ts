import { hasOnlyRuleMarks, nextWithText } from './lines.ts';

interface ListLines {
  ordered: boolean;
  items: { loose: boolean; lines: string[] }[];
  /** The line after the list and its blank lines. */
  next: number;
}

const markPattern = /^( *)([•*-]|\d+\.)/;
const markHere = /([•*-]|\d+\.)/y;

/** A list marker needs no space after it, but it needs something: text, or another line. */
export function isListStart(lines: readonly string[], at: number): boolean {
  const mark = markPattern.exec(lines[at] ?? '');
  return mark !== null && ((lines[at] ?? '').length > mark[0].length || at + 1 < lines.length);
}

export function splitList(lines: readonly string[], start: number): ListLines {
  const [, indent = '', mark = ''] = markPattern.exec(lines[start] ?? '') ?? [];
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
 * A list ends at two blank lines, at one unless an indented line or another item follows, and at a rule. A marker alone
 * on its line takes the following line break as its text.
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
  return line[markHere.lastIndex] === ' ';
}

/** Leaves the end of the marker in `lastIndex`. */
function isItem(line: string, indent: string): boolean {
  markHere.lastIndex = indent.length;
  return line.startsWith(indent) && markHere.test(line);
}

function splitItems(lines: readonly string[], indent: string): string[][] {
  const items: string[][] = [];
  for (const line of lines) {
    if (items.length === 0 || isItem(line, indent)) items.push([]);
    items.at(-1)?.push(line);
  }
  return items;
}

/** Removes the marker, and from every line as much indentation as the marker took, if any line is indented. */
function outdent(lines: readonly string[]): string[] {
  const [first = '', ...rest] = lines;
  const width = markPattern.exec(first)?.[0].length ?? 0;
  const withoutMark = [first.slice(width), ...rest];
  if (!rest.some((line) => line.startsWith(' '))) return withoutMark;
  return withoutMark.map((line) => line.slice(Math.min(width, line.search(/[^ ]|$/))));
}

/** A blank line with text somewhere after it. */
function hasBlankInside(lines: readonly string[]): boolean {
  const blank = lines.indexOf('', 1);
  return blank !== -1 && lines.slice(blank).some((line) => line.trim() !== '');
}
