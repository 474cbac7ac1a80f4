import { isBlank, type SheetRecord } from './csv-records.ts';
import { openSheet, RowBatches } from './row-batches.ts';
import type { RowBatch, Sheet, SpreadsheetLimits } from './sheet.ts';
import { SpreadsheetError } from './spreadsheet-error.ts';

type Limits = Pick<SpreadsheetLimits, 'textRows' | 'textColumns'>;

/** Reads lists of cells, beginning with the header, as if they had been written as CSV. */
export function openJsonRows(rows: readonly (readonly unknown[])[], limits: Limits): Promise<Sheet> {
  const batches = new RowBatches(limits.textRows);

  async function* read(): AsyncGenerator<RowBatch> {
    for (const row of rows) {
      batches.add(recordOf(row, limits.textColumns));
      yield* batches.full();
    }
    yield* batches.end();
  }

  return openSheet(
    read(),
    () => batches.header,
    () => null,
  );
}

function recordOf(row: readonly unknown[], maxColumns: number): SheetRecord {
  if (row.length > maxColumns) throw new SpreadsheetError('too-many-columns', { limit: maxColumns });
  const all = row.map(textOf);
  const cells = all.slice(0, all.findLastIndex((cell) => cell !== '') + 1);
  return {
    cells,
    width: all.length,
    characters: cells.reduce((sum, cell) => sum + cell.length, 0),
    blank: cells.every(isBlank),
    // Nothing is stripped from the last cell, because CSV would have quoted it.
    quotedCells: cells.length,
    plainFrom: cells.at(-1)?.length ?? 0,
  };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
