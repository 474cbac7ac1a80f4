import { sql } from 'kysely';
import type { Calendar, Days } from '../../countries/calendar.ts';
import type { Db } from '../../platform/db/database.ts';
import { localDay } from '../../platform/db/local-day.ts';
import { isBillable, rollupDay, usageKey } from '../status-change.shared.sql.ts';

export interface Recount extends Days {
  calendar: Calendar;
  today: string;
  /** The id range of messages accepted on those days. */
  first_id: string;
  end_id: string;
}

/** A repaired row. */
export interface Repair {
  london_day: string;
  service_id: string;
  notification_type: string;
}

/**
 * Only days whose messages are all stored can be recounted. This excludes days beyond the retention of the service, and days before its
 * last change, because the retention may have been shorter until then.
 */
function isComplete({ calendar, today }: Recount) {
  return sql`not exists (
    select from service_data_retention kept
    where kept.service_id = differences.service_id and kept.notification_type = differences.notification_type
      and (london_day <= ${today}::date - kept.days_of_retention
        or london_day < ${localDay(calendar, 'kept.updated_at')}))`;
}

/** Each statement compares and repairs in one snapshot by adding the difference, so concurrent changes are counted exactly once. */
export async function repairStatusCounts(db: Db, recount: Recount): Promise<Repair[]> {
  const key = sql`london_day, service_id, template_id, notification_type, key_type, status`;
  const { rows } = await sql<Repair>`
    with counted as (
      select ${rollupDay(recount.calendar)} as london_day, service_id, template_id, notification_type, key_type, status, count(*) as count
      from notifications
      where id >= ${recount.first_id} and id < ${recount.end_id}
        and ${rollupDay(recount.calendar)} between ${recount.first_day} and ${recount.last_day}
      group by 1, 2, 3, 4, 5, 6
    ), kept as (
      select ${key}, sum(count) as count from status_counts
      where london_day between ${recount.first_day} and ${recount.last_day}
      group by ${key}
    ), differences as (
      select ${key}, coalesce(counted.count, 0) - coalesce(kept.count, 0) as change
      from counted full join kept using (${key})
    )
    insert into daily_status_counts as counts (${key}, count)
    select ${key}, change from differences where change <> 0 and ${isComplete(recount)}
    order by service_id, london_day, notification_type, key_type, status, template_id
    on conflict (service_id, london_day, notification_type, key_type, status, template_id)
    do update set count = counts.count + excluded.count, folded = false
    returning london_day, service_id, notification_type`.execute(db);
  return rows;
}

export async function repairUsage(db: Db, recount: Recount): Promise<Repair[]> {
  const key = sql`london_day, service_id, template_id, notification_type, provider, rate_multiplier, international,
    postage, sheets`;
  const { rows } = await sql<Repair>`
    with counted as (
      select ${usageKey(recount.calendar)}, sum(case when notification_type = 'email' then 0 else billable_units end) as units, count(*) as sent
      from notifications
      where id >= ${recount.first_id} and id < ${recount.end_id}
        and ${rollupDay(recount.calendar)} between ${recount.first_day} and ${recount.last_day} and ${isBillable}
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    ), kept as (
      select ${key}, sum(billable_units) as units, sum(notifications_sent) as sent from usage_counts
      where london_day between ${recount.first_day} and ${recount.last_day}
      group by ${key}
    ), differences as (
      select ${key}, coalesce(counted.units, 0) - coalesce(kept.units, 0) as units,
        coalesce(counted.sent, 0) - coalesce(kept.sent, 0) as sent
      from counted full join kept using (${key})
    )
    insert into daily_usage as usage (${key}, billable_units, notifications_sent)
    select ${key}, units, sent from differences where (units <> 0 or sent <> 0) and ${isComplete(recount)}
    order by service_id, london_day, notification_type, template_id, provider, rate_multiplier, international, postage, sheets
    on conflict (service_id, london_day, notification_type, template_id, provider, rate_multiplier, international, postage,
      sheets)
    do update set billable_units = usage.billable_units + excluded.billable_units,
      notifications_sent = usage.notifications_sent + excluded.notifications_sent, folded = false
    returning london_day, service_id, notification_type`.execute(db);
  return rows;
}

/** Repairs the counts of jobs that were started on those days. Their messages are found by the index on the job. */
export async function repairJobCounts(db: Db, recount: Recount): Promise<Repair[]> {
  const startedOn = localDay(recount.calendar, 'processing_started');
  const { rows } = await sql<Repair>`
    with started as (
      select id as job_id, service_id, notification_type, ${startedOn} as london_day
      from jobs
      where ${startedOn} between ${recount.first_day} and ${recount.last_day}
    ), counted as (
      select job_id, status, count(*) as count from notifications
      where job_id in (select job_id from started) and id >= ${recount.first_id}
      group by 1, 2
    ), kept as (
      select job_id, status, sum(count) as count from job_statuses
      where job_id in (select job_id from started)
      group by 1, 2
    ), differences as (
      select job_id, london_day, service_id, notification_type, status,
        coalesce(counted.count, 0) - coalesce(kept.count, 0) as change
      from counted full join kept using (job_id, status) join started using (job_id)
    ), repairs as (
      select * from differences where change <> 0 and ${isComplete(recount)}
    ), repaired as (
      insert into job_status_counts as counts (job_id, status, count)
      select job_id, status, change from repairs order by job_id, status
      on conflict (job_id, status) do update set count = counts.count + excluded.count
    )
    select london_day, service_id, notification_type from repairs order by job_id, status`.execute(db);
  return rows;
}
