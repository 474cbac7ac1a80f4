import { sql } from 'kysely';
import type { Days } from '../countries/calendar.ts';
import type { Db } from '../platform/db/database.ts';
import type { Channel } from '../protocol/channels.ts';

/** Reads the daily totals, never the messages themselves. Excludes messages of test keys. */

interface StatusOfTemplate {
  count: number;
  status: string;
  template_id: string;
  template_name: string;
  template_type: Channel;
  hidden: boolean;
}

export async function selectStatusCounts(
  db: Db,
  serviceId: string,
  sinceLondonDay: string,
): Promise<StatusOfTemplate[]> {
  const { rows } = await sql<StatusOfTemplate>`
    select total(counts.count) as count, counts.status, t.id as template_id, t.name as template_name, t.template_type,
      t.hidden
    from status_counts counts join templates t on t.id = counts.template_id
    where counts.service_id = ${serviceId} and counts.london_day >= ${sinceLondonDay} and counts.key_type <> 'test'
    group by t.id, counts.status
    having total(counts.count) > 0
    order by t.name, t.id, counts.status`.execute(db);
  return rows;
}

/** Finds the last day within the newest month of the totals; counts not yet folded into the totals may be newer. */
export async function selectLastUsedDay(db: Db, serviceId: string, templateId: string): Promise<string | null> {
  const used = sql`service_id = ${serviceId} and template_id = ${templateId} and key_type <> 'test' and count > 0`;
  const { rows } = await sql<{ day: string | null }>`
    with newest as (
      select month from template_status_totals
      where service_id = ${serviceId} and template_id = ${templateId}
      group by month
      having total(count) > 0
      order by month desc limit 1
    )
    select max(london_day) as day from (
      select used.london_day from newest cross join lateral (
        select london_day from status_counts
        where london_day >= month and london_day < month + interval '1 month' and ${used}
        order by london_day desc limit 1
      ) as used
      union all
      select london_day from status_counts where not folded and ${used}
    ) as days`.execute(db);
  return rows[0]?.day ?? null;
}

interface MonthOfTemplate {
  count: number;
  year: number;
  month: number;
  template_id: string;
  name: string;
  template_type: Channel;
  hidden: boolean;
}

/** Excludes cancelled letters. A month is named by the calendar month in which it begins. */
export async function selectMonthlyUsage(db: Db, serviceId: string, months: Days[]): Promise<MonthOfTemplate[]> {
  const [first, last] = [months[0]?.first_day ?? '', months.at(-1)?.last_day ?? ''];
  const ofCalendarMonths = sql`
      select template_id, month as day, status, count from template_status_totals
      where service_id = ${serviceId} and month between ${first} and ${last}
      union all
      select template_id, london_day, status, count - folded_count from status_counts
      where not folded and service_id = ${serviceId} and key_type <> 'test'
        and london_day between ${first} and ${last}`;
  // Totals are kept by calendar month, so months that begin on other days are added up from days.
  const ofDays = sql`
      select template_id, first_day, status, count
      from status_counts join json_to_recordset(${JSON.stringify(months)}::json) as months (first_day date, last_day date)
        on london_day between first_day and last_day
      where service_id = ${serviceId} and key_type <> 'test'`;
  const { rows } = await sql<MonthOfTemplate>`
    select total(count) as count, extract(year from day)::integer as year, extract(month from day)::integer as month,
      t.id as template_id, t.name, t.template_type, t.hidden
    from (${first.endsWith('-01') ? ofCalendarMonths : ofDays}) as counted (template_id, day, status, count)
    join templates t on t.id = counted.template_id
    where status <> 'cancelled'
    group by t.id, 2, 3
    having total(count) > 0
    order by 2, 3, t.name, t.id`.execute(db);
  return rows;
}

/** Selects the last day on which each template was used, since `sinceLondonDay`. */
export async function selectUsedDays(
  db: Db,
  serviceId: string,
  sinceLondonDay: string,
): Promise<{ template_id: string; day: string }[]> {
  const { rows } = await sql<{ template_id: string; day: string }>`
    select template_id, max(london_day) as day from status_counts
    where service_id = ${serviceId} and london_day >= ${sinceLondonDay} and key_type <> 'test' and count > 0
    group by template_id`.execute(db);
  return rows;
}
