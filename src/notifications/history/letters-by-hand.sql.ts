import { type RawBuilder, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Page, type StoredNotification, selectRows } from './stored-notifications.sql.ts';

/** They have an index of their own. */
function isUploadedByHand(serviceId: string): RawBuilder<unknown> {
  return sql`n.service_id = ${serviceId} and n.notification_type = 'letter' and n.api_key_id is null and n.job_id is null
    and n.status <> 'cancelled'
    and n.template_id in (select id from templates where service_id = ${serviceId} and hidden)`;
}

/** By London day of their print run: those accepted from 17:30 on are printed on the next day. Newest first. */
export async function countByPrintDay(
  db: Db,
  serviceId: string,
  since: { created_at: Timestamp; first_id: string },
): Promise<{ day: string; count: number }[]> {
  const { rows } = await sql<{ day: string; count: number }>`
    select ((n.created_at at time zone 'Europe/London') + interval '6 hours 30 minutes')::date as day,
      count(*)::integer as count
    from notifications n
    where ${isUploadedByHand(serviceId)} and n.id >= ${since.first_id} and n.created_at >= ${since.created_at}
    group by 1 order by 1 desc`.execute(db);
  return rows;
}

export interface Span {
  from: Timestamp;
  to: Timestamp;
  /** Wider than the moments: an id is created within moments of acceptance. */
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

/** Newest first. */
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
