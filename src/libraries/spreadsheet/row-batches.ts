import { blankRecord, type SheetRecord, withoutBlankTail } from './csv-records.ts';
import type { Header, RowBatch, Sheet, SheetCell } from './sheet.ts';
import { SpreadsheetError } from './spreadsheet-error.ts';

const maxBatchRows = 500;
/** A cell counts as some additional characters for the memory that it takes. */
const maxBatchCharacters = 1_000_000;
const charactersOfCell = 8;

/** Collects rows into batches. */
export class BatchOfRows {
  private readonly maxRows: number;
  private rows: SheetCell[][] = [];
  private characters = 0;
  private rowCount = 0;

  constructor(maxRows: number) {
    this.maxRows = maxRows;
  }

  /** `characters` is the total of all cells. */
  add(cells: SheetCell[], characters: number): void {
    if (this.rowCount >= this.maxRows) throw new SpreadsheetError('too-many-rows', { limit: this.maxRows });
    this.rowCount++;
    this.rows.push(cells);
    this.characters += characters + charactersOfCell * cells.length;
  }

  /** Yields the batch if it is complete. */
  *full(): Generator<RowBatch> {
    if (this.rows.length >= maxBatchRows || this.characters >= maxBatchCharacters) yield* this.end();
  }

  *end(): Generator<RowBatch> {
    const { rows } = this;
    if (rows.length === 0) return;
    this.rows = [];
    this.characters = 0;
    yield { firstRow: this.rowCount - rows.length, rows };
  }
}

/** Turns records into a header and batches of rows, and drops blank records at the end of the file. */
export class RowBatches {
  header: Header | undefined;
  private readonly batch: BatchOfRows;
  /** The last record that is not blank, and the number of blank ones after it. */
  private last: SheetRecord | undefined;
  private blanks = 0;
  /** Complete records and counts of blank ones, so that a million blank lines cost one number. */
  private ready: (SheetRecord | number)[] = [];

  constructor(maxRows: number) {
    this.batch = new BatchOfRows(maxRows);
  }

  add(record: SheetRecord): void {
    if (this.last && record.blank) {
      this.blanks++;
      return;
    }
    this.release();
    this.last = record;
  }

  addBlanks(count: number): void {
    if (count === 0) return;
    if (this.last) this.blanks += count;
    else {
      this.add(blankRecord);
      this.blanks = count - 1;
    }
  }

  /** Yields the complete batches. */
  *full(): Generator<RowBatch> {
    for (const item of this.ready) {
      if (typeof item !== 'number') {
        if (this.header) this.batch.add(item.cells, item.characters);
        else this.header = { names: item.cells, width: item.width };
        yield* this.batch.full();
      } else {
        for (let count = item; count > 0; count--) {
          this.batch.add(blankRecord.cells, 0);
          yield* this.batch.full();
        }
      }
    }
    this.ready = [];
  }

  *end(): Generator<RowBatch> {
    // `last` is blank only if it is the first record and no other follows: then the file has no text.
    if (this.last && !this.last.blank) this.ready.push(withoutBlankTail(this.last));
    this.last = undefined;
    yield* this.full();
    this.header ??= { names: [], width: 0 };
    yield* this.batch.end();
  }

  private release(): void {
    if (this.last) this.ready.push(this.last);
    if (this.blanks > 0) this.ready.push(this.blanks);
    this.blanks = 0;
  }
}

/** Reads until the header is known, which is before the first batch is complete. */
export async function openSheet(
  batches: AsyncGenerator<RowBatch>,
  getHeader: () => Header | undefined,
  encoding: Sheet['encoding'],
): Promise<Sheet> {
  const first = await batches.next();
  const header = getHeader() ?? { names: [], width: 0 };
  return { header, batches: continued(first, batches), encoding };
}

async function* continued(first: IteratorResult<RowBatch>, rest: AsyncGenerator<RowBatch>): AsyncGenerator<RowBatch> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
