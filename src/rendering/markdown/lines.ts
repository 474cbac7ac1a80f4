import { trimEndOf } from '../whitespace.ts';

/** Recognises single lines and pairs of lines of our Markdown. None of these patterns can backtrack. */

/** The first non-blank line from `at` on. */
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

/** Three or more of `-`, `*` and `_`, mixed and spaced in any way, indented by at most three. */
export function isRule(line: string): boolean {
  return /^ {0,3}[-*_]/.test(line) && hasOnlyRuleMarks(line);
}

/** The same without the limit on indentation: a list ends there. */
export function hasOnlyRuleMarks(line: string): boolean {
  return /^[-*_]{3,}$/.test(line.replaceAll(' ', ''));
}

export function isCode(line: string): boolean {
  return line.length > 4 && line.startsWith('    ');
}

/** One to six hashes followed by something; a second hash counts. */
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

/** Only marks: the last character becomes the text. */
function readBareHeading(line: string, level: number): { level: number; text: string } {
  return line.endsWith(' ') ? { level, text: ' ' } : { level: level - 1, text: '#' };
}

export function isUnderlined(lines: readonly string[], at: number): boolean {
  return /^ *[=-]+ *$/.test(lines[at + 1] ?? '');
}

export function isInset(line: string): boolean {
  return /^ *\^./s.test(line);
}

/** A heading row, a row of dashes, and a line after it. */
export function isBareTable(lines: readonly string[], at: number): boolean {
  if (at + 2 >= lines.length || !/^ *[-:]+ *\|[-| :]*$/.test(lines[at + 1] ?? '')) return false;
  const line = lines[at] ?? '';
  return line.indexOf('|', line.search(/\S/) + 1) !== -1;
}

/** The same with every row in pipes. */
export function isPipedTable(lines: readonly string[], at: number): boolean {
  if (at + 2 >= lines.length || !/^ *\| *[-:][-| :]*$/.test(lines[at + 1] ?? '')) return false;
  return /^ *\|./s.test(lines[at] ?? '');
}

/** Directly after a line of text a list marker needs a space. A plus starts no list, but still ends the paragraph. */
export function startsListInText(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  const mark = /^ *(?:[*+-](?:\d+\.)?|\d+\.) /.exec(line);
  return mark !== null && (line.length > mark[0].length || at + 1 < lines.length);
}
