import { trimEndOf } from '../typography.ts';

/** Recognises single lines and pairs of lines of the Markdown dialect. None of these patterns can backtrack. */

/** Returns the index of the first non-blank line from `at` on. */
export function nextWithText(lines: readonly string[], at: number): number {
  let next = at;
  while (next < lines.length && lines[next] === '') next++;
  return next;
}

/** Expands tabs to columns of four. */
export function expandTabs(text: string): string {
  if (!text.includes('\t')) return text;
  return text
    .split('\n')
    .map((line) => {
      const [first = '', ...cells] = line.split('\t');
      let column = first.length;
      const parts = [first];
      for (const cell of cells) {
        const width = 4 - (column % 4);
        parts.push(' '.repeat(width), cell);
        column += width + cell.length;
      }
      return parts.join('');
    })
    .join('\n');
}

/** Whether a line has three or more of `-`, `*` and `_`, mixed and spaced in any way, indented by at most three. */
export function isRule(line: string): boolean {
  return /^ {0,3}[-*_]/.test(line) && hasOnlyRuleMarks(line);
}

/** Recognises a rule with any indentation: it ends a list. */
function hasOnlyRuleMarks(line: string): boolean {
  return /^[-*_]{3,}$/.test(line.replaceAll(' ', ''));
}

export function isCode(line: string): boolean {
  return line.length > 4 && line.startsWith('    ');
}

/** Whether a line is one to six hashes followed by something, which may be another hash. */
export function isHeading(line: string): boolean {
  return /^ *#./s.test(line);
}

export function readHeading(line: string): { level: number; text: string } {
  const marks = /^ *(#{1,6}) */.exec(line);
  const text = line.slice(marks?.[0].length ?? 0);
  const level = marks?.[1]?.length ?? 1;
  if (text === '') return readBareHeading(line, level);
  const closed = trimEndOf(' ', trimEndOf('#', trimEndOf(' ', text)));
  return { level, text: closed === '' ? text.slice(0, 1) : closed };
}

/** For a heading of hashes only: the last hash becomes its text. */
function readBareHeading(line: string, level: number): { level: number; text: string } {
  return line.endsWith(' ') ? { level, text: ' ' } : { level: level - 1, text: '#' };
}

export function isUnderlined(lines: readonly string[], at: number): boolean {
  return /^ *[=-]+ *$/.test(lines[at + 1] ?? '');
}

export function isInset(line: string): boolean {
  return /^ *\^./s.test(line);
}

/** Recognises a heading row, a row of dashes, and a line after it. */
export function isBareTable(lines: readonly string[], at: number): boolean {
  if (at + 2 >= lines.length || !/^ *[-:]+ *\|[-| :]*$/.test(lines[at + 1] ?? '')) return false;
  const line = lines[at] ?? '';
  return line.indexOf('|', line.search(/\S/) + 1) !== -1;
}

/** Recognises a table with every row in pipes. */
export function isPipedTable(lines: readonly string[], at: number): boolean {
  if (at + 2 >= lines.length || !/^ *\| *[-:][-| :]*$/.test(lines[at + 1] ?? '')) return false;
  return /^ *\|./s.test(lines[at] ?? '');
}

/** Directly after a line of text, a list marker needs a space. A plus sign starts no list, but still ends the paragraph. */
export function startsListInText(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  const mark = /^ *(?:[*+-](?:\d+\.)?|\d+\.) /.exec(line);
  return mark !== null && (line.length > mark[0].length || at + 1 < lines.length);
}

interface ListLines {
  ordered: boolean;
  items: { loose: boolean; lines: string[] }[];
  /** The index of the line after the list and its blank lines. */
  next: number;
}

const markPattern = /^( *)([•*-]|\d+\.)/;
const markHere = /([•*-]|\d+\.)/y;

/** A list marker needs no space after it, but must be followed by text or another line. */
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
 * A list ends at a rule, at two blank lines, and at one blank line unless an indented line or another item follows. A marker alone on its
 * line takes the following line break as its text.
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

/** Sets `lastIndex` to the end of the marker. */
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

/** Removes the marker. If any line is indented, also removes as much indentation from each line as the marker took. */
function outdent(lines: readonly string[]): string[] {
  const [first = '', ...rest] = lines;
  const width = markPattern.exec(first)?.[0].length ?? 0;
  const withoutMark = [first.slice(width), ...rest];
  if (!rest.some((line) => line.startsWith(' '))) return withoutMark;
  return withoutMark.map((line) => line.slice(Math.min(width, line.search(/[^ ]|$/))));
}

/** Whether there is a blank line with text somewhere after it. */
function hasBlankInside(lines: readonly string[]): boolean {
  const blank = lines.indexOf('', 1);
  return blank !== -1 && lines.slice(blank).some((line) => line.trim() !== '');
}
