import type { Insertable, Selectable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { UploadChunks, Uploads } from '../../platform/db/schema.ts';
import type { FileSummary } from '../../recipients/spreadsheet/file-problems.ts';
import type { Header } from '../../recipients/spreadsheet/sheet.ts';

export type UploadRow = Omit<Selectable<Uploads>, 'header' | 'summary'> & {
  header: Header;
  /** Null while it is received or checked again. */
  summary: FileSummary | null;
};

type UploadState = UploadRow['state'];

export async function insertUpload(
  db: Db,
  row: Omit<Insertable<Uploads>, 'header'> & { header: Header },
): Promise<void> {
  await db
    .insertInto('uploads')
    .values({ ...row, header: JSON.stringify(row.header) })
    .execute();
}

type NewChunk = Omit<Selectable<UploadChunks>, 'expanded_at'>;

export async function insertChunk(db: Db, chunk: NewChunk): Promise<void> {
  await db.insertInto('upload_chunks').values(chunk).execute();
}

/** The upload is complete. Undefined if it was deleted meanwhile. */
export async function finishReceiving(
  db: Db,
  id: string,
  { summary, ...file }: Pick<UploadRow, 'encoding' | 'row_count' | 'digest'> & { summary: FileSummary },
): Promise<UploadRow | undefined> {
  const row = await db
    .updateTable('uploads')
    .set({ ...file, summary: JSON.stringify(summary), state: 'checked' })
    .where('id', '=', id)
    .where('state', '=', 'receiving')
    .returningAll()
    .executeTakeFirst();
  return row as UploadRow | undefined;
}

/** Its chunks go with it. */
export async function deleteUpload(db: Db | Tx, id: string, state: UploadState): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('uploads')
    .where('id', '=', id)
    .where('state', '=', state)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
