import { sql } from 'kysely';
import type { Header, SheetCell } from '../../libraries/spreadsheet/sheet.ts';
import type { Status } from '../../notifications/notification.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';

/** Returns undefined if the rows of the file were deleted. */
export async function selectHeader(db: Db, uploadId: string): Promise<Header | undefined> {
  const row = await db.selectFrom('uploads').select('header').where('id', '=', uploadId).executeTakeFirst();
  return row?.header as Header | undefined;
}

interface Chunk {
  first_row: number;
  row_count: number;
  cells: SheetCell[][];
}

/** Yields chunk by chunk. Holds no connection between two chunks. */
export async function* chunksOf(db: Db, uploadId: string, which: 'all' | 'expanded'): AsyncGenerator<Chunk> {
  for (let after = -1; ; ) {
    let query = db
      .selectFrom('upload_chunks')
      .select(['first_row', 'row_count', 'cells'])
      .where('upload_id', '=', uploadId)
      .where('first_row', '>', after);
    if (which === 'expanded') query = query.where('expanded_at', 'is not', null);
    const chunk = await query.orderBy('first_row').limit(1).executeTakeFirst();
    if (!chunk) return;
    yield { ...chunk, cells: JSON.parse(chunk.cells) };
    after = chunk.first_row;
  }
}

interface MessageOfRow {
  job_row_number: number;
  status: Status;
  created_at: Timestamp;
}

export async function selectMessagesOfRows(
  db: Db,
  jobId: string,
  { first_row, row_count }: Pick<Chunk, 'first_row' | 'row_count'>,
  firstId: string,
): Promise<MessageOfRow[]> {
  const { rows } = await sql<MessageOfRow>`
    select job_row_number, status, created_at from notifications
    where job_id = ${jobId} and job_row_number >= ${first_row} and job_row_number < ${first_row + row_count}
      and id >= ${firstId}
    order by job_row_number`.execute(db);
  return rows;
}

export function selectJobOfService(db: Db, serviceId: string, id: string) {
  return db.selectFrom('jobs').selectAll().where('id', '=', id).where('service_id', '=', serviceId).executeTakeFirst();
}

/** Counts from the statistics, because they are kept for longer than the messages. */
export async function countByStatistics(db: Db, jobId: string, statuses: Status[] | undefined): Promise<number> {
  const counted = statuses ? sql`status = any (${statuses}::text[])` : sql`true`;
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(count), 0)::int as count from job_statuses where job_id = ${jobId} and ${counted}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function countMessages(db: Db, jobId: string, statuses: Status[] | undefined): Promise<number> {
  const counted = statuses ? sql`status = any (${statuses}::text[])` : sql`true`;
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from notifications where job_id = ${jobId} and ${counted}`.execute(db);
  return rows[0]?.count ?? 0;
}
