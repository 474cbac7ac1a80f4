import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { FileSummary } from '../../recipients/spreadsheet/file-problems.ts';

/** Selects the next uploads, in the order of their ids. */
export async function selectUploadIds(
  db: Db,
  serviceId: string | undefined,
  after: string,
  limit: number,
): Promise<string[]> {
  const query = db.selectFrom('uploads').select('id').where('id', '>', after).orderBy('id').limit(limit);
  const rows = await (serviceId === undefined ? query : query.where('service_id', '=', serviceId)).execute();
  return rows.map(({ id }) => id);
}

export async function selectChunk(db: Db, upload_id: string, first_row: number) {
  const { rows } = await sql<{
    cells: string;
    service_id: string;
    original_file_name: string;
    is_contact_list: boolean;
    created_at: string;
  }>`
    select c.cells, u.service_id, u.original_file_name, u.is_contact_list, u.created_at
    from upload_chunks c join uploads u on u.id = c.upload_id
    where c.upload_id = ${upload_id} and c.first_row = ${first_row}`.execute(db);
  return rows[0];
}

/** Chunks that may have a row of the recipient: an email address, or digits or letters however they are separated. */
export async function selectChunksWith(
  db: Db,
  uploadIds: string[],
  part: { address: string } | { digits: string } | { letters: string },
): Promise<{ upload_id: string; first_row: number }[]> {
  const only = (kept: string, part: string, cells = sql`cells`) =>
    sql`position(${part} in regexp_replace(${cells}, ${`[^${kept}]`}, '', 'g')) > 0`;
  const matches =
    'address' in part
      ? sql`position(${part.address} in lower(cells || coalesce(messages, ''))) > 0`
      : 'digits' in part
        ? only('0-9', part.digits)
        : only('a-z0-9', part.letters, sql`lower(cells)`);
  const { rows } = await sql<{ upload_id: string; first_row: number }>`
    select upload_id, first_row from upload_chunks where upload_id = any (${uploadIds}::uuid[]) and ${matches}
    order by upload_id, first_row`.execute(db);
  return rows;
}

/** The part is an email address, or digits however they are separated. */
export async function eraseFileNames(
  tx: Tx,
  part: { address: string } | { digits: string },
  serviceId: string | undefined,
): Promise<void> {
  const matches =
    'address' in part
      ? sql`position(${part.address} in lower(original_file_name)) > 0`
      : sql`position(${part.digits} in regexp_replace(original_file_name, '[^0-9]', '', 'g')) > 0`;
  for (const table of ['jobs', 'uploads', 'contact_lists']) {
    await sql`
      update ${sql.table(table)} set original_file_name = 'erased'
      where ${matches} and service_id = coalesce(${serviceId ?? null}, service_id)`.execute(tx);
  }
}

interface LockedChunk {
  cells: string;
  messages: string | null;
  summary: FileSummary | null;
  is_saved: boolean;
  /** Whether the rows are notifications already or will never become any. */
  is_finished: boolean;
}

/** Locks in the order of expanding, checking and deleting: the job first, then the upload, then the chunk. */
export async function lockChunk(tx: Tx, upload_id: string, first_row: number): Promise<LockedChunk | undefined> {
  await sql`select from jobs where id = ${upload_id} for no key update`.execute(tx);
  await sql`select from uploads where id = ${upload_id} for update`.execute(tx);
  const { rows } = await sql<LockedChunk>`
    select c.cells, c.messages, u.summary, u.state = 'saved' as is_saved,
      c.expanded_at is not null or coalesce(j.status in ('cancelled', 'sending limits exceeded'), false) as is_finished
    from upload_chunks c join uploads u on u.id = c.upload_id left join jobs j on j.id = c.upload_id
    where c.upload_id = ${upload_id} and c.first_row = ${first_row}
    for update of c`.execute(tx);
  return rows[0];
}

interface ErasedChunk {
  upload_id: string;
  first_row: number;
  cells: string;
  messages: string | null;
  summary: FileSummary | null;
}

export async function updateErasedChunk(tx: Tx, chunk: ErasedChunk): Promise<void> {
  const { upload_id, first_row, cells, messages } = chunk;
  await tx
    .updateTable('upload_chunks')
    .set({ cells, messages })
    .where('upload_id', '=', upload_id)
    .where('first_row', '=', first_row)
    .execute();
  await updateSummary(tx, chunk);
}

/** Shortens the contact list, and deletes a chunk that has no rows left. */
export async function removeRowsOfList(tx: Tx, chunk: ErasedChunk, removed: number): Promise<void> {
  const { upload_id, first_row, cells, messages } = chunk;
  await sql`
    update upload_chunks set cells = ${cells}, messages = ${messages}, row_count = row_count - ${removed}
    where upload_id = ${upload_id} and first_row = ${first_row}`.execute(tx);
  await sql`delete from upload_chunks where upload_id = ${upload_id} and row_count = 0`.execute(tx);
  await sql`update uploads set row_count = row_count - ${removed} where id = ${upload_id}`.execute(tx);
  await sql`update contact_lists set row_count = row_count - ${removed} where id = ${upload_id}`.execute(tx);
  await updateSummary(tx, chunk);
}

async function updateSummary(tx: Tx, { upload_id, summary }: ErasedChunk): Promise<void> {
  if (summary === null) return;
  await tx
    .updateTable('uploads')
    .set({ summary: JSON.stringify(summary) })
    .where('id', '=', upload_id)
    .execute();
}
