import type { SheetCell } from '../../libraries/spreadsheet/sheet.ts';
import { invisibleCharacters } from '../../protocol/whitespace.ts';
import type { Columns } from './columns.ts';

export type CellValue = string | string[] | null;

export interface Row {
  /** For each of `Columns.columns`; of several cells, the list of those with a value. */
  values: CellValue[];
  /** Cells without a column, as in the file: shown, never used. */
  surplus: string[];
}

const untidy = /[^\x20-\x7e]|^ | $/;
// A database cannot store NUL.
const removed = new RegExp(`[\\0${invisibleCharacters}]`, 'gu');
const noBreakSpaces = /[\u00a0\u202f]/g;
const asciiSpaces = ' \t\n\r\v\f';

/** Null for a cell without text. Spaces of other scripts are part of the value. */
function cleanCell(text: string): string | null {
  if (!untidy.test(text)) return text === '' ? null : text;
  const cleaned = trimAscii(wellFormed(text).replace(removed, '').replace(noBreakSpaces, ' '));
  return cleaned === '' ? null : cleaned;
}

/** A list stays one, whatever number of values it has. */
function cleanValue(cell: SheetCell): CellValue {
  if (typeof cell === 'string') return cleanCell(cell);
  return cell.map(cleanCell).filter((value) => value !== null);
}

// A database cannot store half a character either. Workbooks and JSON can spell one.
const halfCharacter = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function wellFormed(text: string): string {
  return text.replace(halfCharacter, '\ufffd');
}

// Not a regular expression: one for the end takes quadratic time on a long run of spaces inside the text.
function trimAscii(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && asciiSpaces.includes(text.charAt(start))) start++;
  while (end > start && asciiSpaces.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Puts the cells of a row under their columns. */
export function buildRow({ columns, positions, width }: Columns, cells: readonly SheetCell[]): Row {
  const values: CellValue[] = new Array(columns.length).fill(null);
  const nameless = positions.at(-1) ?? 0;
  const count = Math.min(cells.length, width);
  for (let position = 0; position < count; position++) {
    const value = cleanValue(cells[position] ?? '');
    const index = positions[position] ?? nameless;
    const earlier = values[index] ?? null;
    if (columns[index]?.recipient) values[index] = value;
    else if (value !== null) values[index] = earlier === null ? value : appended(earlier, value);
  }
  return { values, surplus: cells.slice(width).map(String) };
}

function appended(earlier: string | string[], value: string | string[]): string[] {
  const list = typeof earlier === 'string' ? [earlier] : earlier;
  if (typeof value === 'string') list.push(value);
  else for (const item of value) list.push(item);
  return list;
}
