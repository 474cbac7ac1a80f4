import type { Db } from '../../platform/db/database.ts';
import type { ShownProblem } from '../../recipients/spreadsheet/row-check.ts';
import type { SheetCell } from '../../recipients/spreadsheet/sheet.ts';
import type { RowProblems } from './check-rows.ts';
import { type ReadyRow, readReadyRows } from './ready-row.ts';
import { selectCheckedRowCount, selectChunkOfRow, selectNextChunk, type UploadRow } from './uploads.sql.ts';

export interface StoredRow {
  /** As the spreadsheet counts: the header is row 1. */
  row: number;
  /** In the order of the header. */
  cells: { column: string; text: string }[];
  /** Null if the row has a problem. */
  message: ReadyRow | null;
  problems: ShownProblem[];
}

/** Rows that a first check has reached. */
export const countCheckedRows = selectCheckedRowCount;

/** One row of an upload that was checked. */
export async function findStoredRow(
  db: Db,
  { id, header }: Pick<UploadRow, 'id' | 'header'>,
  row: number,
): Promise<StoredRow | undefined> {
  const index = row - 2;
  const chunk = index < 0 ? undefined : await selectChunkOfRow(db, id, index);
  const offset = index - (chunk?.first_row ?? 0);
  if (!chunk || chunk.messages === null || offset >= chunk.row_count) return undefined;
  const cells = (JSON.parse(chunk.cells) as SheetCell[][])[offset] ?? [];
  const problems: RowProblems[] = JSON.parse(chunk.problems ?? '[]');
  return {
    row,
    cells: header.names.map((column, position) => ({ column, text: [cells[position] ?? ''].flat().join(', ') })),
    message: [...readReadyRows(chunk.messages)][offset] ?? null,
    problems: problems.find((one) => one.row === index)?.problems ?? [],
  };
}

/** The messages of the first rows: up to 500. */
export async function sampleMessages(db: Db, uploadId: string): Promise<ReadyRow[]> {
  const chunk = await selectNextChunk(db, uploadId, -1);
  return [...readReadyRows(chunk?.messages ?? '[]')].filter((row) => row !== null);
}
