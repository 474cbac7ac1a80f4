import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';

// An arbitrary advisory lock key, different from the other ones of this application.
const addingUpLock = 7_294_003;

/** Returns false, without waiting, if another process holds the lock. */
export async function lockAddingUp(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(addingUpLock)}) as locked`.execute(tx);
  return rows[0]?.locked ?? false;
}

/** Moves appended changes into the rollups of days and jobs. Each change is always counted either as an appended one or in them. */
export async function addUpStatusCounts(tx: Tx): Promise<void> {
  await sql`/* prepared: add-up-status-counts */
    with taken as (
      delete from status_count_changes returning *
    ), side as (
      select london_day, service_id, template_id, notification_type, key_type, status, job_id, change from taken
      union all
      select london_day, service_id, template_id, notification_type, key_type, previous_status, job_id, -change from taken
      where previous_status is not null
    ), of_jobs as (
      insert into job_status_counts as counts (job_id, status, count)
      select job_id, status, sum(change) from side where job_id is not null
      group by 1, 2
      having sum(change) <> 0
      order by 1, 2
      on conflict (job_id, status) do update set count = counts.count + excluded.count
    )
    insert into daily_status_counts as counts
      (london_day, service_id, template_id, notification_type, key_type, status, count)
    select london_day, service_id, template_id, notification_type, key_type, status, sum(change)
    from side
    group by 1, 2, 3, 4, 5, 6
    having sum(change) <> 0
    order by 2, 1, 4, 5, 6, 3
    on conflict (service_id, london_day, notification_type, key_type, status, template_id)
    do update set count = counts.count + excluded.count, folded = false`.execute(tx);
}

export async function addUpUsage(tx: Tx): Promise<void> {
  await sql`/* prepared: add-up-usage */
    with taken as (delete from usage_changes returning *)
    insert into daily_usage as usage (london_day, service_id, template_id, notification_type, provider, rate_multiplier,
      international, postage, sheets, billable_units, notifications_sent)
    select london_day, service_id, template_id, notification_type, provider, rate_multiplier, international, postage,
      sheets, sum(billable_units), sum(notifications_sent)
    from taken
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    having sum(billable_units) <> 0 or sum(notifications_sent) <> 0
    order by 2, 1, 4, 3, 5, 6, 7, 8, 9
    on conflict (service_id, london_day, notification_type, template_id, provider, rate_multiplier, international, postage,
      sheets)
    do update set billable_units = usage.billable_units + excluded.billable_units,
      notifications_sent = usage.notifications_sent + excluded.notifications_sent, folded = false`.execute(tx);
}
