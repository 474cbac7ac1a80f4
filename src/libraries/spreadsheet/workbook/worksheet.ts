import type { SpreadsheetLimits } from '../sheet.ts';
import { SpreadsheetError } from '../spreadsheet-error.ts';
import { isoDateText, type NumberFormat, serialText } from './cell-values.ts';
import type { CellRange, SheetRows } from './sheet-rows.ts';
import { isTrue, readXml, type XmlAttributes, type XmlHandlers } from './xml-reader.ts';

const maxMerges = 100_000;
const maxSheetRow = 1_048_576;
const endOfRows = /<\/((?:[\w.-]+:)?)sheetData\s*>/;
const longestEndOfRows = 200;

/** Returns the merged ranges of a worksheet. They come after its rows, which are skipped without parsing. */
export async function findMerges(texts: AsyncIterable<string>): Promise<CellRange[]> {
  const merges: CellRange[] = [];
  const open: XmlHandlers['open'] = (name, attributes) => {
    if (name !== 'mergeCell') return;
    const [from = '', to = from] = (attributes.ref ?? '').split(':');
    const [first, last] = [readReference(from), readReference(to)];
    if (!first || !last || merges.length >= maxMerges) throw new SpreadsheetError('unreadable');
    merges.push({ top: first.row, left: first.column, bottom: last.row, right: last.column });
  };
  for await (const _ of readXml(afterRows(texts), { open, close() {}, text() {} }));
  return merges;
}

async function* afterRows(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let before: string | undefined = '';
  for await (const text of texts) {
    if (before === undefined) {
      yield text;
      continue;
    }
    const joined: string = before + text;
    const end = endOfRows.exec(joined);
    before = end ? undefined : joined.slice(-longestEndOfRows);
    if (end) yield `<${end[1]}worksheet>${joined.slice(end.index + end[0].length)}`;
  }
  if (before !== undefined) yield '<worksheet/>';
}

interface Context {
  rows: SheetRows;
  strings: SharedStrings;
  formats: readonly NumberFormat[];
  date1904: boolean;
  limits: SpreadsheetLimits;
}

export function worksheetHandlers({ rows, strings, formats, date1904, limits }: Context): XmlHandlers {
  let row = -1;
  let hidden = false;
  let cells: string[] = [];
  let column = -1;
  let characters = 0;
  let cell: XmlAttributes = {};
  let text = '';
  let reading = false;
  let inPhonetic = false;

  return {
    open(name, attributes) {
      switch (name) {
        case 'col':
          if (isHidden(attributes, 'width')) rows.hideColumns(Number(attributes.min) - 1, Number(attributes.max) - 1);
          break;
        case 'row':
          row = attributes.r === undefined ? row + 1 : Number(attributes.r) - 1;
          if (!(row >= 0 && row < maxSheetRow)) throw new SpreadsheetError('unreadable');
          hidden = isHidden(attributes, 'ht');
          cells = [];
          column = -1;
          characters = 0;
          break;
        case 'c': {
          const reference = attributes.r === undefined ? { column: column + 1 } : readReference(attributes.r);
          if (!reference) throw new SpreadsheetError('unreadable');
          column = reference.column;
          cell = attributes;
          text = '';
          break;
        }
        case 'rPh':
          inPhonetic = true;
          break;
        case 'v':
        case 't':
          reading = !inPhonetic;
      }
    },
    close(name) {
      switch (name) {
        case 'rPh':
          inPhonetic = false;
          break;
        case 'v':
        case 't':
          reading = false;
          break;
        case 'c':
          addCell();
          break;
        case 'row':
          rows.addRow(row, cells, { hidden });
      }
    },
    text(value) {
      if (reading) text += value;
    },
  };

  function addCell(): void {
    if (text === '' || column >= rows.columnCount) return;
    const value = cellText();
    characters += value.length;
    const limit = limits.rowCharacters;
    if (characters > limit) throw new SpreadsheetError('row-too-long', { row: row + 1, limit });
    cells[column] = value;
  }

  function cellText(): string {
    switch (cell.t) {
      case 's':
        return strings.get(Number(text));
      case 'b':
        return isTrue(text) ? 'TRUE' : 'FALSE';
      case 'd':
        return isoDateText(text);
      case 'str':
      case 'inlineStr':
        return unescapeText(text);
      case 'e':
        return text;
      default:
        return serialText(text, formats[Number(cell.s ?? 0)] ?? 'number', date1904);
    }
  }
}

/** Rows and columns of size zero count as hidden. */
function isHidden(attributes: XmlAttributes, size: 'ht' | 'width'): boolean {
  return isTrue(attributes.hidden) || Number(attributes[size] ?? 1) === 0;
}

/** Parses `B3` as row 2, column 1. */
function readReference(reference: string): { row: number; column: number } | undefined {
  const match = /^\$?([A-Z]{1,3})\$?([0-9]{1,7})$/.exec(reference);
  if (!match) return undefined;
  const [, letters = '', digits = ''] = match;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return { row: Number(digits) - 1, column: column - 1 };
}

/** Bounds the memory of the table: the characters, and the overhead of each string. */
const maxCharacters = 100_000_000;
const charactersOfEntry = 32;

/** XML cannot contain some characters; they are written as `_x000D_`. */
const escaped = /_x([0-9A-Fa-f]{4})_/g;

function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(escaped, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** The texts that cells refer to by index. */
export class SharedStrings {
  private readonly strings: string[] = [];
  private characters = 0;
  private text = '';
  private inText = false;
  private inPhonetic = false;

  get(index: number): string {
    const text = this.strings[index];
    if (text === undefined) throw new SpreadsheetError('unreadable');
    return text;
  }

  readonly handlers: XmlHandlers = {
    open: (name) => {
      if (name === 'si') this.text = '';
      else if (name === 'rPh') this.inPhonetic = true;
      else if (name === 't') this.inText = !this.inPhonetic;
    },
    close: (name) => {
      if (name === 't') this.inText = false;
      else if (name === 'rPh') this.inPhonetic = false;
      else if (name === 'si') this.add(unescapeText(this.text));
    },
    text: (text) => {
      if (this.inText) this.text += text;
    },
  };

  private add(text: string): void {
    this.characters += text.length + charactersOfEntry;
    if (this.characters > maxCharacters) throw new SpreadsheetError('too-large-unpacked');
    // Copied, because a slice keeps the text it was cut from, here the whole part, in memory.
    this.strings.push(Buffer.from(text).toString());
  }
}
