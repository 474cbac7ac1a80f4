import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';

/**
 * Rows that a writer holds are skipped: folding never waits for messages, and takes them the next time. Only folding
 * writes totals, one at a time, so the lock on a totals table keeps out nothing else.
 */

const spans = sql`(values ('month', date_trunc('month', london_day::timestamp)::date),
  ('pentad', pentad_start(london_day)), ('day', london_day)) as spans (span, first_day)`;

/** Adds to the totals what daily usage before a day counts beyond them. Returns how many rows it took. */
export async function foldUsage(tx: Tx, before: string, limit: number): Promise<number> {
  await sql`lock table service_usage_totals in share row exclusive mode`.execute(tx);
  const { rows } = await sql<{ taken: number }>`
    with pending as (
      select * from daily_usage where not folded and london_day < ${before}
      order by london_day limit ${limit} for update skip locked
    ), marked as (
      update daily_usage u set folded = true, folded_units = u.billable_units, folded_sent = u.notifications_sent
      from pending p
      where u.service_id = p.service_id and u.london_day = p.london_day and u.notification_type = p.notification_type
        and u.template_id = p.template_id and u.provider = p.provider and u.rate_multiplier = p.rate_multiplier
        and u.international = p.international and u.postage = p.postage and u.sheets = p.sheets
    ), by_service as (
      insert into service_usage_totals as total (service_id, span, first_day, notification_type, postage, sheets,
        billable_units, chargeable_units, notifications_sent)
      select service_id, span, first_day, notification_type, postage, sheets, sum(billable_units - folded_units),
        sum((billable_units - folded_units) * rate_multiplier), sum(notifications_sent - folded_sent)
      from pending cross join lateral ${spans}
      where billable_units <> folded_units or notifications_sent <> folded_sent
      group by 1, 2, 3, 4, 5, 6
      on conflict (service_id, span, first_day, notification_type, postage, sheets)
      do update set billable_units = total.billable_units + excluded.billable_units,
        chargeable_units = total.chargeable_units + excluded.chargeable_units,
        notifications_sent = total.notifications_sent + excluded.notifications_sent
    ), by_day as (
      insert into platform_usage_totals as total (london_day, notification_type, provider, rate_multiplier, billable_units,
        notifications_sent)
      select london_day, notification_type, provider, rate_multiplier,
        sum(billable_units - folded_units), sum(notifications_sent - folded_sent)
      from pending
      where billable_units <> folded_units or notifications_sent <> folded_sent
      group by 1, 2, 3, 4
      on conflict (london_day, notification_type, provider, rate_multiplier)
      do update set billable_units = total.billable_units + excluded.billable_units,
        notifications_sent = total.notifications_sent + excluded.notifications_sent
    )
    select count(*) as taken from pending`.execute(tx);
  return rows[0]?.taken ?? 0;
}

/** The same for statuses. Those of test keys are only marked: no total counts them. */
export async function foldStatusCounts(tx: Tx, before: string, limit: number): Promise<number> {
  await sql`lock table service_status_totals in share row exclusive mode`.execute(tx);
  const { rows } = await sql<{ taken: number }>`
    with pending as (
      select * from daily_status_counts where not folded and london_day < ${before}
      order by london_day limit ${limit} for update skip locked
    ), marked as (
      update daily_status_counts c set folded = true, folded_count = c.count
      from pending p
      where c.service_id = p.service_id and c.london_day = p.london_day and c.notification_type = p.notification_type
        and c.key_type = p.key_type and c.status = p.status and c.template_id = p.template_id
    ), by_service as (
      insert into service_status_totals as total (service_id, span, first_day, notification_type, status, count)
      select service_id, span, first_day, notification_type, status, sum(count - folded_count)
      from pending cross join lateral ${spans}
      where key_type <> 'test' and count <> folded_count
      group by 1, 2, 3, 4, 5
      on conflict (service_id, span, first_day, notification_type, status)
      do update set count = total.count + excluded.count
    ), by_day as (
      insert into platform_status_totals as total (london_day, notification_type, status, count)
      select london_day, notification_type, status, sum(count - folded_count)
      from pending
      where key_type <> 'test' and count <> folded_count
      group by 1, 2, 3
      on conflict (london_day, notification_type, status)
      do update set count = total.count + excluded.count
    )
    select count(*) as taken from pending`.execute(tx);
  return rows[0]?.taken ?? 0;
}
