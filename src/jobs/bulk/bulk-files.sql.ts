import { sql } from 'kysely';
import type { Status } from '../../notifications/notification.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';

export interface ResultRow {
  job_row_number: number;
  id: string;
  recipient: string;
  client_reference: string | null;
  status: Status;
  updated_at: Timestamp | null;
}

const pageSize = 1_000;

/** The messages of a job in the order of its rows, one page after the other, without a connection in between. */
export async function* pagesOfResults(db: Db, jobId: string, firstId: string): AsyncGenerator<ResultRow[]> {
  for (let after = -1; ; ) {
    const { rows } = await sql<ResultRow>`
      select job_row_number, id, recipient, client_reference, status, updated_at from notifications
      where job_id = ${jobId} and job_row_number > ${after} and id >= ${firstId}
      order by job_row_number limit ${pageSize}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.job_row_number;
  }
}
