import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { letterKinds, type Status, statuses } from '../notification.ts';

// An arbitrary advisory lock key, different from the other ones of this application.
const rollupLock = 7_294_003;

/** Returns false, without waiting, if another process holds the lock. */
export async function tryLockRollups(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(rollupLock)}) as locked`.execute(tx);
  return rows[0]?.locked ?? false;
}

/**
 * Moves appended changes into the rollups of days and jobs. Each change is always counted exactly once: as an appended row or in a rollup.
 */
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

/**
 * Folding skips rows locked by writers, so that it never waits for messages; the next run folds them. Only folding writes totals, one
 * process at a time, so the lock on a totals table blocks nothing else.
 */

const spans = sql`(values ('month', date_trunc('month', london_day::timestamp)::date),
  ('five_days', five_days_start(london_day)), ('day', london_day)) as spans (span, first_day)`;

const kinds = letterKinds.map((kind) => sql.lit(kind));
const sentOf = (condition: RawBuilder<unknown>) =>
  sql`total(notifications_sent - folded_sent) filter (where ${condition})`;

/** Each status has its own column in the totals of a service. */
const columns = statuses.map((status) => sql.raw(status.replaceAll('-', '_')));
const countOf = (status: Status) => sql`total(count - folded_count) filter (where status = ${sql.lit(status)})`;

export async function countNotFolded(db: Db): Promise<{ usage: number; statuses: number }> {
  const { rows } = await sql<{ usage: number; statuses: number }>`
    select (select count(*) from daily_usage where not folded) as usage,
      (select count(*) from daily_status_counts where not folded) as statuses`.execute(db);
  return rows[0] ?? { usage: 0, statuses: 0 };
}

/** Adds changes of daily usage to the totals. Returns the number of folded rows. */
export async function foldUsage(tx: Tx, limit: number): Promise<number> {
  await sql`lock table service_usage_spans in share row exclusive mode`.execute(tx);
  const { rows } = await sql<{ taken: number }>`
    with pending as (
      select * from daily_usage where not folded
      order by london_day limit ${limit} for update skip locked
    ), marked as (
      update daily_usage u set folded = true, folded_units = u.billable_units, folded_sent = u.notifications_sent
      from pending p
      where u.service_id = p.service_id and u.london_day = p.london_day and u.notification_type = p.notification_type
        and u.template_id = p.template_id and u.provider = p.provider and u.rate_multiplier = p.rate_multiplier
        and u.international = p.international and u.postage = p.postage and u.sheets = p.sheets
    ), by_service as (
      insert into service_usage_spans as total (service_id, span, first_day, sms_sent, sms_chargeable_units, emails_sent,
        letters)
      select service_id, span, first_day, ${sentOf(sql`notification_type = 'sms'`)},
        total((billable_units - folded_units) * rate_multiplier) filter (where notification_type = 'sms'),
        ${sentOf(sql`notification_type = 'email'`)},
        array[${sql.join(kinds.map((kind) => sentOf(sql`case when notification_type = 'letter' then letter_kind(postage, sheets) = ${kind} end`)))}]::integer[]
      from pending cross join lateral ${spans}
      where billable_units <> folded_units or notifications_sent <> folded_sent
      group by 1, 2, 3
      on conflict (service_id, span, first_day)
      do update set sms_sent = total.sms_sent + excluded.sms_sent,
        sms_chargeable_units = total.sms_chargeable_units + excluded.sms_chargeable_units,
        emails_sent = total.emails_sent + excluded.emails_sent,
        letters = array[${sql.join(kinds.map((kind) => sql`total.letters[${kind}] + excluded.letters[${kind}]`))}]
    ), by_day as (
      insert into platform_usage_totals as total (london_day, notification_type, provider, rate_multiplier, billable_units,
        notifications_sent)
      select london_day, notification_type, provider, rate_multiplier,
        total(billable_units - folded_units), total(notifications_sent - folded_sent)
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

/** Adds changes of status counts to the totals. Test keys are counted separately, and only in the totals of their service. */
export async function foldStatusCounts(tx: Tx, limit: number): Promise<number> {
  await sql`lock table service_status_spans in share row exclusive mode`.execute(tx);
  const { rows } = await sql<{ taken: number }>`
    with pending as (
      select * from daily_status_counts where not folded
      order by london_day limit ${limit} for update skip locked
    ), marked as (
      update daily_status_counts c set folded = true, folded_count = c.count
      from pending p
      where c.service_id = p.service_id and c.london_day = p.london_day and c.notification_type = p.notification_type
        and c.key_type = p.key_type and c.status = p.status and c.template_id = p.template_id
    ), by_service as (
      insert into service_status_spans as total (service_id, span, first_day, notification_type, of_test_keys,
        ${sql.join(columns)})
      select service_id, span, first_day, notification_type, key_type = 'test',
        ${sql.join(statuses.map((status) => countOf(status)))}
      from pending cross join lateral ${spans}
      where count <> folded_count
      group by 1, 2, 3, 4, 5
      on conflict (service_id, span, first_day, notification_type, of_test_keys)
      do update set ${sql.join(columns.map((column) => sql`${column} = total.${column} + excluded.${column}`))}
    ), by_template as (
      insert into template_status_totals as total (service_id, template_id, month, status, count)
      select service_id, template_id, date_trunc('month', london_day::timestamp)::date, status, total(count - folded_count)
      from pending
      where key_type <> 'test' and count <> folded_count
      group by 1, 2, 3, 4
      on conflict (service_id, template_id, month, status)
      do update set count = total.count + excluded.count
    ), by_day as (
      insert into platform_status_totals as total (london_day, notification_type, status, count)
      select london_day, notification_type, status, total(count - folded_count)
      from pending
      where key_type <> 'test' and count <> folded_count
      group by 1, 2, 3
      on conflict (london_day, notification_type, status)
      do update set count = total.count + excluded.count
    )
    select count(*) as taken from pending`.execute(tx);
  return rows[0]?.taken ?? 0;
}
