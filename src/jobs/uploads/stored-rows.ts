import type { Header, SheetCell } from '../../libraries/spreadsheet/sheet.ts';
import type { Db } from '../../platform/db/database.ts';
import { csvLine } from '../../platform/http/csv.ts';
import type { Platform } from '../../platform/platform.ts';
import { simulatedRecipients } from '../../recipients/recipient.ts';
import type { ShownProblem } from '../../recipients/spreadsheet/row-check.ts';
import { type ReadyRow, readReadyRows } from './ready-row.ts';
import { maxDescribedRows } from './sheet-check.ts';
import type { RowProblems } from './sheet-worker.ts';
import {
  selectCheckedRowCount,
  selectChunkOfRow,
  selectNextChunk,
  selectRepeatedLines,
  type UploadRow,
} from './uploads.sql.ts';

export interface StoredRow {
  /** The row number of the spreadsheet, whose header is row 1. */
  row: number;
  /** In the order of the header. */
  cells: { column: string; text: string }[];
  /** Null if the row has a problem. */
  message: ReadyRow | null;
  problems: ShownProblem[];
}

/** Counts the rows that a first check has reached. */
export function countCheckedRows(db: Db, uploadId: string): Promise<number> {
  return selectCheckedRowCount(db, uploadId);
}

type Stored = Pick<UploadRow, 'id' | 'header'>;

/** Finds one row of an upload that was checked. */
export async function findStoredRow(db: Db, upload: Stored, row: number): Promise<StoredRow | undefined> {
  return (await findStoredRows(db, upload, [row]))[0];
}

/** Finds rows of an upload that was checked, in ascending order. Omits those that do not exist. */
export async function findStoredRows(db: Db, { id, header }: Stored, numbers: readonly number[]): Promise<StoredRow[]> {
  const found: StoredRow[] = [];
  let chunk: ReadChunk | undefined;
  for (const row of numbers) {
    const index = row - 2;
    if (index < 0) continue;
    if (!chunk || index >= chunk.first_row + chunk.rows.length) chunk = await readChunkOfRow(db, id, index);
    const offset = index - (chunk?.first_row ?? 0);
    const cells = chunk?.rows[offset];
    if (!chunk || !cells) continue;
    found.push({
      row,
      cells: header.names.map((column, position) => ({ column, text: [cells[position] ?? ''].flat().join(', ') })),
      message: chunk.messages[offset] ?? null,
      problems: chunk.problems.find((one) => one.row === index)?.problems ?? [],
    });
  }
  return found;
}

interface ReadChunk {
  first_row: number;
  rows: SheetCell[][];
  messages: (ReadyRow | null)[];
  problems: RowProblems[];
}

/** Returns undefined if no check has reached the row. */
async function readChunkOfRow(db: Db, uploadId: string, index: number): Promise<ReadChunk | undefined> {
  const chunk = await selectChunkOfRow(db, uploadId, index);
  if (!chunk || chunk.messages === null) return undefined;
  return {
    first_row: chunk.first_row,
    rows: JSON.parse(chunk.cells),
    messages: [...readReadyRows(chunk.messages)],
    problems: JSON.parse(chunk.problems ?? '[]'),
  };
}

/** Returns the messages of the first rows, up to 500. */
export async function sampleMessages(db: Db, uploadId: string): Promise<ReadyRow[]> {
  const chunk = await selectNextChunk(db, uploadId, -1);
  return [...readReadyRows(chunk?.messages ?? '[]')].filter((row) => row !== null);
}

const notDescribed = `Only the first ${maxDescribedRows.toLocaleString('en-GB')} rows with problems say what they are`;

interface RowWithProblems {
  /** From 0. */
  index: number;
  cells: SheetCell[];
  problems: ShownProblem[];
}

/** Yields every row with a problem, chunk by chunk. */
export async function* rowsWithProblems(db: Db, uploadId: string): AsyncGenerator<RowWithProblems[]> {
  for (let after = -1; ; ) {
    const chunk = await selectNextChunk(db, uploadId, after);
    if (!chunk) return;
    after = chunk.first_row;
    if (chunk.problem_count === 0) continue;
    const described = new Map(
      (JSON.parse(chunk.problems ?? '[]') as RowProblems[]).map(({ row, problems }) => [row, problems]),
    );
    const messages: unknown[] = JSON.parse(chunk.messages ?? '[]');
    const rows: SheetCell[][] = JSON.parse(chunk.cells);
    yield rows.flatMap((cells, offset) => {
      if (messages[offset] !== null) return [];
      const index = chunk.first_row + offset;
      return [{ index, cells, problems: described.get(index) ?? [{ column: null, problem: notDescribed }] }];
    });
  }
}

/**
 * As CSV, with all their cells: the rows can be corrected and uploaded again. People open it in a spreadsheet, so formulas become
 * text, unless a program gets back what it has sent.
 */
export async function* problemsFile(
  db: Db,
  { id, header: { names } }: { id: string; header: Header },
  lineOf: (cells: string[]) => string = csvLine,
): AsyncGenerator<string> {
  yield lineOf(['Row number', ...names, 'Problem']);
  for await (const rows of rowsWithProblems(db, id)) {
    const lines = rows.map(({ index, cells, problems }) => {
      const texts = problems.map(({ column, problem }) => (column === null ? problem : `${column}: ${problem}`));
      const named = names.map((_, position) => textOf(cells[position]));
      return lineOf([String(index + 2), ...named, texts.join('; ')]);
    });
    yield lines.join('');
  }
}

/** As CSV: every row whose recipient is in the file more than once, in the order of the file. */
export async function* duplicatesFile(
  { db, country }: Pick<Platform, 'db' | 'country'>,
  { id, header: { names } }: { id: string; header: Header },
): AsyncGenerator<string> {
  const repeated = await selectRepeatedLines(db, id, simulatedRecipients(country));
  const firstOf = new Map(repeated.map(({ line, first }) => [line, first]));
  yield csvLine(['Row number', ...names, 'First row with this recipient']);
  for (let after = -1; ; ) {
    const chunk = await selectNextChunk(db, id, after);
    if (!chunk) return;
    after = chunk.first_row;
    const lines = (JSON.parse(chunk.cells) as SheetCell[][]).map((cells, offset) => {
      const line = chunk.first_row + offset + 2;
      const first = firstOf.get(line);
      if (first === undefined) return '';
      return csvLine([String(line), ...names.map((_, position) => textOf(cells[position])), String(first)]);
    });
    yield lines.join('');
  }
}

function textOf(cell: SheetCell | undefined): string {
  return cell === undefined || typeof cell === 'string' ? (cell ?? '') : cell.join(', ');
}
