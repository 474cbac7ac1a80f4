import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** A worker that was not seen for longer counts as dead, and others take over its tasks. */
const deadAfter_s = 8;

interface DatabaseFacts {
  workers: number;
  connections: number;
  max_connections: number;
}

export async function selectDatabaseFacts(db: Db): Promise<DatabaseFacts> {
  const { rows } = await sql<DatabaseFacts>`
    select (select count(*) from queue_workers where seen_at > now() - ${deadAfter_s} * interval '1 second') as workers,
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
      current_setting('max_connections')::int as max_connections`.execute(db);
  return rows[0] ?? { workers: 0, connections: 0, max_connections: 0 };
}

export async function countGoLiveRequests(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from services where has_active_go_live_request and restricted and active`.execute(db);
  return rows[0]?.count ?? 0;
}

interface UnfinishedLetters {
  not_printed: number;
  not_despatched: number;
  first_day: string | null;
}

/** Counts letters of past days by their current status, from the rollups. Letters of test keys are not printed. */
export async function selectUnfinishedLetters(
  db: Db,
  days: { first_day: string; printed_before: string; despatched_before: string },
): Promise<UnfinishedLetters> {
  const { rows } = await sql<UnfinishedLetters>`
    with late as (
      select london_day, status, total(count) as count from (
        select london_day, status, count from platform_status_totals
        where notification_type = 'letter' and london_day between ${days.first_day} and ${days.printed_before}
        union all
        select london_day, status, count - folded_count from status_counts
        where not folded and key_type <> 'test' and notification_type = 'letter'
          and london_day between ${days.first_day} and ${days.printed_before}
      ) as counted
      where status = 'created' or status = 'sending' and london_day <= ${days.despatched_before}
      group by 1, 2 having total(count) > 0
    )
    select coalesce(sum(count) filter (where status = 'created'), 0)::float8 as not_printed,
      coalesce(sum(count) filter (where status = 'sending'), 0)::float8 as not_despatched,
      min(london_day)::text as first_day
    from late`.execute(db);
  return rows[0] ?? { not_printed: 0, not_despatched: 0, first_day: null };
}

interface TopSender {
  id: string;
  name: string;
}

export async function selectServiceNames(db: Db, ids: string[]): Promise<TopSender[]> {
  const { rows } = await sql<TopSender>`select id, name from services where id = any (${ids}::uuid[])`.execute(db);
  return rows;
}
