import type { Db } from '../../platform/db/database.ts';
import { csvLine } from '../../platform/http/csv.ts';
import type { SheetCell } from '../../recipients/spreadsheet/sheet.ts';
import type { RowProblems } from './check-rows.ts';
import { maxDescribedRows } from './sheet-check.ts';
import { selectNextChunk, type UploadRow } from './uploads.sql.ts';

const notDescribed = `Only the first ${maxDescribedRows.toLocaleString('en-GB')} rows with problems say what they are`;

/** Every row with a problem as CSV, with all its cells: it can be corrected and uploaded again. */
export async function* problemsFile(db: Db, { id, header }: UploadRow): AsyncGenerator<string> {
  yield csvLine(['Row number', ...header.names, 'Problem']);
  for (let chunk = await selectNextChunk(db, id, -1); chunk; chunk = await selectNextChunk(db, id, chunk.first_row)) {
    if (chunk.problem_count === 0) continue;
    const described = new Map(
      (JSON.parse(chunk.problems ?? '[]') as RowProblems[]).map(({ row, problems }) => [row, problems]),
    );
    const messages: unknown[] = JSON.parse(chunk.messages ?? '[]');
    const rows: SheetCell[][] = JSON.parse(chunk.cells);
    const lines = rows.flatMap((cells, offset) => {
      const row = chunk.first_row + offset;
      const problems = described.get(row);
      if (messages[offset] !== null) return [];
      const text = problems
        ?.map(({ column, problem }) => (column === null ? problem : `${column}: ${problem}`))
        .join('; ');
      const named = header.names.map((_, position) => textOf(cells[position]));
      return csvLine([String(row + 2), ...named, text ?? notDescribed]);
    });
    yield lines.join('');
  }
}

function textOf(cell: SheetCell | undefined): string {
  return cell === undefined || typeof cell === 'string' ? (cell ?? '') : cell.join(', ');
}
