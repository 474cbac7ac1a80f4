import { type Insertable, type Selectable, sql } from 'kysely';
import type { Header } from '../../libraries/spreadsheet/sheet.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import type { DB } from '../../platform/db/schema.ts';
import { invalidField } from '../../platform/failure.ts';
import type { FileSummary } from '../../recipients/spreadsheet/file-problems.ts';

export type UploadRow = Omit<Selectable<DB['uploads']>, 'header' | 'summary'> & {
  header: Header;
  /** Null while the file is being received or checked again. */
  summary: FileSummary | null;
};

type UploadState = UploadRow['state'];

export async function insertUpload(
  db: Db,
  row: Omit<Insertable<DB['uploads']>, 'header'> & { header: Header },
): Promise<void> {
  const insert = db.insertInto('uploads').values({ ...row, header: JSON.stringify(row.header) });
  await withConstraints({ uploads_pkey: usedId }, () => insert.execute());
}

export const usedId = () => invalidField('id', 'This id is already in use. Use another UUID.');

/** Checks an id that the caller chose. A job has the id of its upload, and is kept for longer. */
export async function refuseUsedId(db: Db | Tx, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const { rows } = await sql<{ used: boolean }>`
    select exists (select from uploads where id = ${id}) or exists (select from jobs where id = ${id}) as used`.execute(
    db,
  );
  if (rows[0]?.used) throw usedId();
}

type NewChunk = Omit<Selectable<DB['upload_chunks']>, 'expanded_at'>;

export async function insertChunk(db: Db, chunk: NewChunk): Promise<void> {
  await db.insertInto('upload_chunks').values(chunk).execute();
}

type Checked = Pick<DB['uploads'], 'template_id' | 'template_version' | 'sender_id'> & {
  check_id: string;
  summary: FileSummary;
};

/** Marks the upload as complete. Returns undefined if it was deleted meanwhile. */
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

export async function selectUpload(db: Db | Tx, serviceId: string, id: string): Promise<UploadRow | undefined> {
  const row = await db
    .selectFrom('uploads')
    .selectAll()
    .where('id', '=', id)
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  return row as UploadRow | undefined;
}

/** Returns where the recipients of a file are; undefined for letters. */
export async function selectPlaces(db: Db, id: string): Promise<FileSummary['places']> {
  const { rows } = await sql<{ places: FileSummary['places'] | null }>`
    select summary -> 'places' as places from uploads where id = ${id}`.execute(db);
  return rows[0]?.places ?? undefined;
}

export async function lockUpload(tx: Tx, serviceId: string, id: string): Promise<UploadRow | undefined> {
  const row = await tx
    .selectFrom('uploads')
    .selectAll()
    .where('id', '=', id)
    .where('service_id', '=', serviceId)
    .forUpdate()
    .executeTakeFirst();
  return row as UploadRow | undefined;
}

/** Also deletes the chunks of the upload. */
export async function deleteUpload(db: Db | Tx, id: string, state: UploadState): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('uploads')
    .where('id', '=', id)
    .where('state', '=', state)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Selects the chunk that begins after a row; after -1 for the first chunk. */
export function selectNextChunk(db: Db, uploadId: string, afterRow: number) {
  return db
    .selectFrom('upload_chunks')
    .select(['first_row', 'row_count', 'cells', 'messages', 'problems', 'problem_count'])
    .where('upload_id', '=', uploadId)
    .where('first_row', '>', afterRow)
    .orderBy('first_row')
    .limit(1)
    .executeTakeFirst();
}

/** Selects the chunk that contains a row. Rows are counted from 0. */
export function selectChunkOfRow(db: Db, uploadId: string, row: number) {
  return db
    .selectFrom('upload_chunks')
    .select(['first_row', 'cells', 'messages', 'problems'])
    .where('upload_id', '=', uploadId)
    .where('first_row', '<=', row)
    .orderBy('first_row', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Counts the rows that a first check has reached. */
export async function selectCheckedRowCount(db: Db, uploadId: string): Promise<number> {
  const found = await db
    .selectFrom('upload_chunks')
    .select((chunk) => chunk.fn.sum<number>('row_count').as('rows'))
    .where('upload_id', '=', uploadId)
    .where('messages', 'is not', null)
    .executeTakeFirst();
  return Number(found?.rows ?? 0);
}

const maxRepeatedShown = 20;
/** One more than a page names, so that the page knows whether there are more. */
const maxRowsOfRepeated = 11;

/** Selects the line and the recipient of every row that can be sent, without simulated recipients. */
const linesOfRecipients = (uploadId: string, simulated: readonly string[]) => sql`
  select recipient, line from (
    select coalesce(message ->> 'normalised_recipient', message ->> 'recipient') as recipient,
      (c.first_row + place + 1)::integer as line
    from upload_chunks c, json_array_elements(c.messages::json) with ordinality as item (message, place)
    where c.upload_id = ${uploadId} and c.messages is not null and message ->> 'recipient' is not null
  ) as sent
  where recipient <> all (${simulated}::text[])`;

/**
 * How many recipients get more than one message of a file, in how many rows, and the rows of the first of them, as the spreadsheet
 * counts. It reads all rows: a second for 100,000.
 */
export async function findRepeatedRecipients(
  db: Db,
  uploadId: string,
  simulated: readonly string[],
): Promise<{ repeated_recipients: number; repeated_row_count: number; repeated_rows: number[][] }> {
  const { rows } = await sql<{ rows: number[]; recipients: number; row_count: number }>`
    select (array_agg(line order by line))[1:${maxRowsOfRepeated}::int] as rows,
      (count(*) over ())::integer as recipients, (sum(count(*)) over ())::integer as row_count
    from (${linesOfRecipients(uploadId, simulated)}) as sent
    group by recipient having count(*) > 1
    order by min(line) limit ${maxRepeatedShown}`.execute(db);
  return {
    repeated_recipients: rows[0]?.recipients ?? 0,
    repeated_row_count: rows[0]?.row_count ?? 0,
    repeated_rows: rows.map((found) => found.rows),
  };
}

/** Selects every row whose recipient is also in another row, with the first row of that recipient. */
export async function selectRepeatedLines(
  db: Db,
  uploadId: string,
  simulated: readonly string[],
): Promise<{ line: number; first: number }[]> {
  const { rows } = await sql<{ line: number; first: number }>`
    select line, first from (
      select line, min(line) over of_recipient as first, count(*) over of_recipient as count
      from (${linesOfRecipients(uploadId, simulated)}) as sent
      window of_recipient as (partition by recipient)
    ) as counted
    where count > 1`.execute(db);
  return rows;
}

/** Replaces the id of an older check of the same upload, which stops when it no longer finds its id. */
export async function beginCheck(db: Db, id: string, check_id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('uploads')
    .set({ check_id, summary: null })
    .where('id', '=', id)
    .where('state', '=', 'checked')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * False if another check has begun, or the upload was sent or deleted. Its row is locked first, because the upload may be sent in
 * this moment: rows of a send are never replaced.
 */
export async function updateChunk(
  db: Db,
  check_id: string,
  {
    upload_id,
    first_row,
    messages,
    problems,
    problem_count,
    abroad_count,
    part_count,
  }: Omit<NewChunk, 'cells' | 'row_count'>,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with locked as (
      select id from uploads where id = ${upload_id} and check_id = ${check_id} and state = 'checked' for share
    )
    update upload_chunks c set messages = ${messages}, problems = ${problems},
      problem_count = ${problem_count}, abroad_count = ${abroad_count}, part_count = ${part_count}
    from locked where c.upload_id = locked.id and c.first_row = ${first_row}
  `.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}

export async function finishCheck(
  db: Db,
  id: string,
  { check_id, summary, ...checked }: Checked,
): Promise<UploadRow | undefined> {
  const row = await db
    .updateTable('uploads')
    .set({ ...checked, summary: JSON.stringify(summary) })
    .where('id', '=', id)
    .where('check_id', '=', check_id)
    .where('state', '=', 'checked')
    .returningAll()
    .executeTakeFirst();
  return row as UploadRow | undefined;
}

/** Whether a job with the same version of the template had the same bytes, or was made since with the same file name. */
export async function selectSentBefore(
  db: Db,
  { id, service_id, template_id, template_version, original_file_name, digest }: UploadRow,
  since: Timestamp,
): Promise<boolean> {
  const { rows } = await sql`
    select from jobs j left join uploads u on u.id = j.id
    where j.service_id = ${service_id} and j.template_id = ${template_id} and j.template_version = ${template_version}
      and j.id <> ${id} and j.status not in ('cancelled', 'sending limits exceeded')
      and (u.digest = ${digest} or (j.original_file_name = ${original_file_name} and j.created_at >= ${since}))
    limit 1
  `.execute(db);
  return rows.length > 0;
}

export async function deleteUploadsBefore(
  db: Db,
  before: { receiving: Timestamp; checked: Timestamp },
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from uploads where id in (
      select id from uploads
      where (state = 'receiving' and created_at < ${before.receiving})
         or (state = 'checked' and created_at <= ${before.checked})
      limit ${limit}
    )
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}
