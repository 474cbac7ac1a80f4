import { sql } from 'kysely';
import type { Status } from '../../notifications/notification.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { KeyType } from '../../protocol/key-types.ts';
import type { JobRow } from '../jobs.sql.ts';

type BulkRow = JobRow & { service_name: string; template_name: string; api_key_name: string };

/** Selects the sends that were made with keys of one type. */
interface Owner {
  service_id: string;
  key_type: KeyType;
}

const columns = sql`
  j.*, s.name as service_name, t.name as template_name, k.name as api_key_name
  from jobs j
  join services s on s.id = j.service_id
  join templates t on t.id = j.template_id
  join api_keys k on k.id = j.api_key_id`;

export async function selectBulkSend(db: Db | Tx, owner: Owner, id: string): Promise<BulkRow | undefined> {
  const { rows } = await sql<BulkRow>`
    select ${columns}
    where j.id = ${id} and j.service_id = ${owner.service_id} and j.key_type = ${owner.key_type}
      and j.api_key_id is not null`.execute(db);
  return rows[0];
}

/** Selects the newest sends first. */
export async function selectBulkSends(
  db: Db,
  owner: Owner,
  { older_than, size }: { older_than: string | undefined; size: number },
): Promise<BulkRow[]> {
  const { rows } = await sql<BulkRow>`
    select ${columns}
    where j.service_id = ${owner.service_id} and j.key_type = ${owner.key_type} and j.api_key_id is not null
      and ${older_than === undefined ? sql`true` : sql`j.id < ${older_than}`}
    order by j.id desc limit ${size}`.execute(db);
  return rows;
}

interface ResultRow {
  job_row_number: number;
  id: string;
  recipient: string;
  client_reference: string | null;
  status: Status;
  updated_at: Timestamp | null;
  sent_at: Timestamp | null;
}

const pageSize = 1_000;

/** Yields the messages of a job in the order of its rows, page by page. Holds no connection between two pages. */
export async function* pagesOfResults(db: Db, jobId: string, firstId: string): AsyncGenerator<ResultRow[]> {
  for (let after = -1; ; ) {
    const { rows } = await sql<ResultRow>`
      select job_row_number, id, recipient, client_reference, status, updated_at, sent_at from notifications
      where job_id = ${jobId} and job_row_number > ${after} and id >= ${firstId}
      order by job_row_number limit ${pageSize}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.job_row_number;
  }
}
