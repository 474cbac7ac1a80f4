import { sql } from 'kysely';
import type { Days } from '../countries/calendar.ts';
import type { Db } from '../platform/db/database.ts';
import { statuses } from './platform-stats.sql.ts';

interface DayOfMessages {
  date: string;
  emails: number;
  sms: number;
  letters: number;
}

const counts = sql`total(count) filter (where notification_type = 'email') as emails,
  total(count) filter (where notification_type = 'sms') as sms,
  total(count) filter (where notification_type = 'letter') as letters`;

export async function selectMessagesByDay(db: Db, days: Days): Promise<DayOfMessages[]> {
  const { rows } = await sql<DayOfMessages>`
    select london_day as date, ${counts}
    from (${statuses(days)}) as counted
    group by london_day
    having total(count) <> 0
    order by london_day`.execute(db);
  return rows;
}

export async function countMessages(db: Db, days: Days): Promise<Omit<DayOfMessages, 'date'>> {
  const { rows } = await sql<Omit<DayOfMessages, 'date'>>`
    select ${counts} from (${statuses(days)}) as counted`.execute(db);
  return rows[0] ?? { emails: 0, sms: 0, letters: 0 };
}

/** A day without messages counts as 100%. */
export async function selectProcessingTimes(
  db: Db,
  days: Days,
): Promise<{ date: string; percentage_under_10_seconds: number }[]> {
  const { rows } = await sql<{ date: string; percentage_under_10_seconds: number }>`
    select london_day as date,
      coalesce(round(100.0 * within_ten_seconds / nullif(messages, 0), 2), 100)::float8 as percentage_under_10_seconds
    from daily_processing_time
    where london_day between ${days.first_day} and ${days.last_day}
    order by london_day`.execute(db);
  return rows;
}

/** Counts messages accepted between two ids. Excludes scheduled messages and those of jobs, which wait on purpose. */
export async function upsertProcessingTime(
  db: Db,
  day: { london_day: string; first_id: string; end_id: string },
): Promise<void> {
  await sql`
    insert into daily_processing_time (london_day, messages, within_ten_seconds)
    select ${day.london_day}, count(*), count(*) filter (where sent_at - created_at <= interval '10 seconds')
    from notifications
    where id >= ${day.first_id} and id < ${day.end_id} and notification_type in ('sms', 'email') and key_type <> 'test'
      and api_key_id is not null and scheduled_for is null and job_id is null
    on conflict (london_day)
    do update set messages = excluded.messages, within_ten_seconds = excluded.within_ten_seconds`.execute(db);
}

export async function selectLiveServiceNames(db: Db) {
  return db
    .selectFrom('services')
    .leftJoin('organisations', 'organisations.id', 'services.organisation_id')
    .select([
      'organisations.id as organisation_id',
      'organisations.name as organisation_name',
      'services.id as service_id',
      'services.name as service_name',
    ])
    .where('services.active', '=', true)
    .where('services.restricted', '=', false)
    .where('services.count_as_live', '=', true)
    .orderBy('organisations.name', (order) => order.asc().nullsLast())
    .orderBy('services.name')
    .execute();
}

export async function countLive(db: Db): Promise<{ services: number; organisations: number }> {
  const { rows } = await sql<{ services: number; organisations: number }>`
    select count(*) as services, count(distinct o.id) as organisations
    from services s left join organisations o on o.id = s.organisation_id and o.active
    where s.active and not s.restricted and s.count_as_live`.execute(db);
  return rows[0] ?? { services: 0, organisations: 0 };
}
