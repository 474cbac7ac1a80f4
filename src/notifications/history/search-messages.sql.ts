import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { likeContains } from '../../platform/db/expressions.ts';
import type { MessageFilter } from './message-rows.sql.ts';

/** More than any page can show: a search for one letter must not become a statement with a million ids. */
const maxIds = 1_000;

/** Archived templates, too: their messages are still there. */
export async function selectTemplateIdsByName(db: Db, serviceId: string, text: string): Promise<string[]> {
  const rows = await db
    .selectFrom('templates')
    .select('id')
    .where('service_id', '=', serviceId)
    .where('name', 'ilike', likeContains(text))
    .limit(maxIds)
    .execute();
  return rows.map(({ id }) => id);
}

/** The newest files whose name contains the text. */
export async function selectJobIdsByFileName(db: Db, serviceId: string, text: string): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where('service_id', '=', serviceId)
    .where('archived', '=', false)
    .where('original_file_name', 'ilike', likeContains(text))
    .orderBy('created_at', 'desc')
    .limit(maxIds)
    .execute();
  return rows.map(({ id }) => id);
}

/** Longer than any letter is in transit: an unfinished message outlives the retention of its service. */
const maxLifetimeDays = 90;

export interface DayCount {
  london_day: string;
  count: number;
}

/** Days on which messages of these statuses, types and key types were accepted, newest first, from the statistics. */
export async function selectMatchingDays(
  db: Db | Tx,
  serviceId: string,
  { statuses, types, key_types }: MessageFilter,
): Promise<DayCount[]> {
  const oneOf = (column: string, values: readonly string[] | undefined) =>
    values ? sql`c.${sql.ref(column)} = any (${[...values]}::text[])` : sql`true`;
  const { rows } = await sql<DayCount>`
    with last as (
      select max(london_day) as day from status_counts where service_id = ${serviceId}
    ), kept as (
      select coalesce(max(days_of_retention), 0) + ${maxLifetimeDays}::integer as days
      from service_data_retention where service_id = ${serviceId}
    )
    select c.london_day, sum(c.count)::integer as count
    from last cross join kept join status_counts c on c.service_id = ${serviceId} and c.london_day >= last.day - kept.days
    where ${oneOf('status', statuses)} and ${oneOf('notification_type', types)} and ${oneOf('key_type', key_types)}
    group by c.london_day having sum(c.count) > 0
    order by c.london_day desc`.execute(db);
  return rows;
}
