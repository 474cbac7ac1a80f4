import type { Db } from '../../platform/db/database.ts';
import type { SheetCell } from '../../recipients/spreadsheet/sheet.ts';
import type { RowProblems } from '../uploads/check-rows.ts';

interface ChunkWithProblems {
  first_row: number;
  cells: SheetCell[][];
  problems: RowProblems[];
}

/** One chunk after the other, without a connection in between. */
export async function* chunksWithProblems(db: Db, uploadId: string): AsyncGenerator<ChunkWithProblems> {
  for (let after = -1; ; ) {
    const chunk = await db
      .selectFrom('upload_chunks')
      .select(['first_row', 'cells', 'problems'])
      .where('upload_id', '=', uploadId)
      .where('first_row', '>', after)
      .where('problems', 'is not', null)
      .orderBy('first_row')
      .limit(1)
      .executeTakeFirst();
    if (!chunk) return;
    yield { first_row: chunk.first_row, cells: JSON.parse(chunk.cells), problems: JSON.parse(chunk.problems ?? '[]') };
    after = chunk.first_row;
  }
}
