import { type RawBuilder, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Page, type StoredNotification, selectRows } from './stored-notifications.sql.ts';

/** These letters have a separate index. */
function isUploadedByHand(serviceId: string): RawBuilder<unknown> {
  return sql`n.service_id = ${serviceId} and n.notification_type = 'letter' and n.api_key_id is null and n.job_id is null
    and n.status <> 'cancelled'
    and n.template_id in (select id from templates where service_id = ${serviceId} and hidden)`;
}

/** Counts letters by the index of the next print run in a list of start times, oldest first. Returns the newest run first. */
export async function countByPrintRun(
  db: Db,
  serviceId: string,
  runs: Timestamp[],
  since: { created_at: Timestamp; first_id: string },
): Promise<{ run: number; count: number }[]> {
  const { rows } = await sql<{ run: number; count: number }>`
    select width_bucket(n.created_at, ${runs}::timestamptz[]) as run, count(*)::integer as count
    from notifications n
    where ${isUploadedByHand(serviceId)} and n.id >= ${since.first_id} and n.created_at >= ${since.created_at}
    group by 1 order by 1 desc`.execute(db);
  return rows;
}

export interface Span {
  from: Timestamp;
  to: Timestamp;
  /** The id range is wider than the times, because an id is created within moments of acceptance. */
  first_id: string;
  end_id: string;
}

const within = ({ from, to, first_id, end_id }: Span) =>
  sql`n.id >= ${first_id} and n.id < ${end_id} and n.created_at >= ${from} and n.created_at < ${to}`;

export async function countByHand(db: Db, serviceId: string, span: Span): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from notifications n
    where ${isUploadedByHand(serviceId)} and ${within(span)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Selects the newest first. */
export async function selectByHand(
  db: Db,
  serviceId: string,
  span: Span,
  page: Required<Page>,
): Promise<StoredNotification[]> {
  const found = sql`(select * from notifications n where ${isUploadedByHand(serviceId)} and ${within(span)}
    order by n.id desc limit ${page.size} offset ${page.skip})`;
  const { rows } = await selectRows(found, sql`n.id desc`).execute(db);
  return rows;
}
