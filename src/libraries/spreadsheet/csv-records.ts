import type { SpreadsheetLimits } from './sheet.ts';
import { SpreadsheetError } from './spreadsheet-error.ts';

export interface SheetRecord {
  /** The cells, without empty ones at the end. */
  cells: string[];
  /** The number of cells, including empty ones at the end. */
  width: number;
  characters: number;
  /** Only whitespace without quotation marks. Such records at the end of a file are not rows. */
  blank: boolean;
  /** The number of cells up to the last one with quotation marks. */
  quotedCells: number;
  /** Where the text after the quotation marks of that cell begins. */
  plainFrom: number;
}

/** Shared, because a file may be full of them. */
export const blankRecord: SheetRecord = {
  cells: [],
  width: 0,
  characters: 0,
  blank: true,
  quotedCells: 0,
  plainFrom: 0,
};

const [atCellStart, inPlainText, inQuotes, afterQuote] = [0, 1, 2, 3];
const [lineFeed, carriageReturn, space, quote] = [10, 13, 32, 34];

/**
 * Splits text into records. A quotation mark opens a quoted cell only at the start of the cell. Text after the closing mark is appended. A
 * cell that is never closed extends to the end of the file.
 */
export class RecordReader {
  private readonly separator: number;
  private readonly limits: SpreadsheetLimits;
  private state = atCellStart;
  private skipLineFeed = false;
  private recordCount = 0;

  private cells: string[] = [];
  /** Empty cells since the last one with text, as a count, so that a million separators cost nothing. */
  private emptyCells = 0;
  private cell = '';
  private characters = 0;
  private quotedCells = 0;
  private plainFrom = 0;

  constructor(separator: string, limits: SpreadsheetLimits) {
    this.separator = separator.charCodeAt(0);
    this.limits = limits;
  }

  /** Returns the records that are complete. */
  read(text: string): SheetRecord[] {
    const records: SheetRecord[] = [];
    let at = 0;
    while (at < text.length) {
      if (this.skipLineFeed) {
        this.skipLineFeed = false;
        if (text.charCodeAt(at) === lineFeed) {
          at++;
          continue;
        }
      }
      switch (this.state) {
        case atCellStart:
          at = this.startCell(text, at);
          break;
        case inPlainText:
          at = this.readPlainText(text, at, records);
          break;
        case inQuotes:
          at = this.readQuoted(text, at);
          break;
        default:
          at = this.readAfterQuote(text, at);
      }
    }
    return records;
  }

  /** Returns the last record if the text does not end with a line break. */
  end(): SheetRecord | undefined {
    const open = this.state !== atCellStart || this.cells.length > 0 || this.emptyCells > 0;
    if (!open) return undefined;
    if (this.state === inQuotes) this.plainFrom = 0;
    if (this.state === afterQuote) this.plainFrom = this.cell.length;
    return this.endRecord();
  }

  private startCell(text: string, at: number): number {
    const code = text.charCodeAt(at);
    if (code === space) return at + 1;
    if (code !== quote) {
      this.state = inPlainText;
      return at;
    }
    this.state = inQuotes;
    this.quotedCells = this.cells.length + this.emptyCells + 1;
    return at + 1;
  }

  private readPlainText(text: string, at: number, records: SheetRecord[]): number {
    let end = at;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === this.separator || code === lineFeed || code === carriageReturn) break;
    }
    if (end > at) this.append(text.slice(at, end));
    if (end === text.length) return end;
    const code = text.charCodeAt(end);
    if (code === this.separator) {
      this.endCell();
      return end + 1;
    }
    this.skipLineFeed = code === carriageReturn;
    records.push(this.endRecord());
    end++;
    // Otherwise, a hundred megabytes of blank lines take seconds.
    while (!this.skipLineFeed && text.charCodeAt(end) === lineFeed) {
      records.push(blankRecord);
      this.recordCount++;
      end++;
    }
    return end;
  }

  private readQuoted(text: string, at: number): number {
    const end = text.indexOf('"', at);
    this.append(text.slice(at, end === -1 ? text.length : end));
    if (end === -1) return text.length;
    this.state = afterQuote;
    return end + 1;
  }

  private readAfterQuote(text: string, at: number): number {
    if (text.charCodeAt(at) === quote) {
      this.append('"');
      this.state = inQuotes;
      return at + 1;
    }
    this.plainFrom = this.cell.length;
    this.state = inPlainText;
    return at;
  }

  private append(text: string): void {
    this.characters += text.length;
    const limit = this.limits.rowCharacters;
    if (this.characters > limit) throw new SpreadsheetError('row-too-long', { row: this.recordCount + 1, limit });
    this.cell += text;
  }

  private endCell(): void {
    if (this.cell === '') {
      this.emptyCells++;
    } else {
      const limit = this.limits.textColumns;
      if (this.cells.length + this.emptyCells >= limit) throw new SpreadsheetError('too-many-columns', { limit });
      while (this.emptyCells > 0) {
        this.cells.push('');
        this.emptyCells--;
      }
      this.cells.push(this.cell);
    }
    this.cell = '';
    this.state = atCellStart;
  }

  private endRecord(): SheetRecord {
    if (this.cell === '' && this.cells.length === 0 && this.emptyCells === 0 && this.quotedCells === 0) {
      this.state = atCellStart;
      this.recordCount++;
      return blankRecord;
    }
    this.endCell();
    const { cells, characters } = this;
    const record = {
      cells,
      width: cells.length + this.emptyCells,
      characters,
      blank: this.quotedCells === 0 && cells.every(isBlank),
      quotedCells: this.quotedCells,
      plainFrom: this.plainFrom,
    };
    this.recordCount++;
    this.cells = [];
    this.emptyCells = 0;
    this.characters = 0;
    this.quotedCells = 0;
    this.plainFrom = 0;
    return record;
  }
}

/** Drops whitespace and blank cells at the end of a file, except those before or within quotation marks. */
export function withoutBlankTail(record: SheetRecord): SheetRecord {
  const { quotedCells, plainFrom } = record;
  const cells = [...record.cells];
  while (cells.length > quotedCells && isBlank(cells.at(-1) ?? '')) cells.pop();
  if (cells.length > 0 && cells.length >= quotedCells) {
    const last = withoutBlankEnd(cells.pop() ?? '', cells.length + 1 === quotedCells ? plainFrom : 0);
    if (last !== '') cells.push(last);
  }
  return { ...record, cells, width: Math.max(cells.length, quotedCells) };
}

// Unicode whitespace (\s lacks U+0085 and the separators U+001C to U+001F) and zero-width characters.
const blankCharacters = '\\s\\x1c-\\x1f\\x85\\u180e\\u200b-\\u200d\\u2060';
const blankOnly = new RegExp(`^[${blankCharacters}]*$`, 'u');
const blankStart = new RegExp(`^[${blankCharacters}]+`, 'u');
const blankOrComma = new RegExp(`[,${blankCharacters}]`, 'u');

export function isBlank(text: string): boolean {
  return blankOnly.test(text);
}

export function withoutBlankStart(text: string): string {
  return text.replace(blankStart, '');
}

/** Also removes commas, which are empty cells at the end of a file. Characters before `from` stay. */
function withoutBlankEnd(text: string, from: number): string {
  let end = text.length;
  while (end > from && blankOrComma.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
