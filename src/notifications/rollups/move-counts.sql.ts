import { type RawBuilder, sql } from 'kysely';
import type { Calendar } from '../../countries/calendar.ts';
import { postageSlots } from '../../countries/postage.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { letterKinds } from '../notification.ts';
import { isBillable, rollupDay, usageKey } from '../status-change.shared.sql.ts';

/** Sums of the counts of all days. */
export interface RollupSums {
  messages: number;
  billable_units: number;
  notifications_sent: number;
}

export async function selectRollupSums(tx: Tx): Promise<RollupSums | undefined> {
  const { rows } = await sql<RollupSums>`
    select (select coalesce(sum(count), 0) from status_counts)::float8 as messages,
      (select coalesce(sum(billable_units), 0) from usage_counts)::float8 as billable_units,
      (select coalesce(sum(notifications_sent), 0) from usage_counts)::float8 as notifications_sent`.execute(tx);
  return rows[0];
}

/** The first day counted in the current time zone, if the zone has changed. */
export async function selectZoneChange(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ first_day: string | null }>`
    select max(first_day)::text as first_day from zone_changes`.execute(db);
  return rows[0]?.first_day ?? undefined;
}

/** Blocks accepting, delivering and folding until the transaction ends. */
export async function lockRollups(tx: Tx): Promise<void> {
  await sql`lock table notifications, status_count_changes, usage_changes, daily_status_counts, daily_usage
    in share row exclusive mode`.execute(tx);
}

/**
 * Moves each stored message from its day in one calendar to its day in another. It adds exactly what it subtracts, so sums do not change,
 * and counts of deleted messages stay on their day.
 */
export async function moveStatusCounts(tx: Tx, before: Calendar, after: Calendar): Promise<void> {
  await sql`
    with moved as (
      select ${rollupDay(before)} as old_day, ${rollupDay(after)} as new_day, service_id, template_id, notification_type, key_type,
        status, count(*) as count
      from notifications
      where ${rollupDay(before)} <> ${rollupDay(after)}
      group by 1, 2, 3, 4, 5, 6, 7
    ), side as (
      select new_day as london_day, service_id, template_id, notification_type, key_type, status, count as change from moved
      union all
      select old_day, service_id, template_id, notification_type, key_type, status, -count from moved
    )
    insert into daily_status_counts as counts (london_day, service_id, template_id, notification_type, key_type, status, count)
    select london_day, service_id, template_id, notification_type, key_type, status, sum(change) from side
    group by 1, 2, 3, 4, 5, 6
    having sum(change) <> 0
    on conflict (service_id, london_day, notification_type, key_type, status, template_id)
    do update set count = counts.count + excluded.count, folded = false`.execute(tx);
}

export async function moveUsage(tx: Tx, before: Calendar, after: Calendar): Promise<void> {
  const sideOf = (calendar: Calendar, sign: 1 | -1) => sql`
    select ${usageKey(calendar)}, ${sql.lit(sign)} * case when notification_type = 'email' then 0 else billable_units end as units,
      ${sql.lit(sign)} as sent
    from notifications
    where ${isBillable} and ${rollupDay(before)} <> ${rollupDay(after)}`;
  await sql`
    with side as (${sideOf(after, 1)} union all ${sideOf(before, -1)})
    insert into daily_usage as usage (london_day, service_id, template_id, notification_type, provider, rate_multiplier,
      international, postage, sheets, billable_units, notifications_sent)
    select london_day, service_id, template_id, notification_type, provider, rate_multiplier, international, postage, sheets,
      sum(units), sum(sent)
    from side
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    having sum(units) <> 0 or sum(sent) <> 0
    on conflict (service_id, london_day, notification_type, template_id, provider, rate_multiplier, international, postage,
      sheets)
    do update set billable_units = usage.billable_units + excluded.billable_units,
      notifications_sent = usage.notifications_sent + excluded.notifications_sent, folded = false`.execute(tx);
}

/** Selects the postage classes with counted letters, or with stored letters that may still be counted. */
export async function selectUsedClasses(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ postage: string }>`
    select postage from usage_counts where notification_type = 'letter'
    union
    select postage from notifications where notification_type = 'letter' and postage is not null
    order by 1`.execute(tx);
  return rows.map(({ postage }) => postage);
}

const slotCount = sql.lit(postageSlots);

/** Counts letters of all services by class and sheets, as usage reads them: from the totals, and from changes not folded into them yet. */
export async function selectLettersByClass(
  tx: Tx,
  slots: Readonly<Record<string, number>>,
): Promise<{ postage: string | null; sheets: number; letters: number }[]> {
  const { rows } = await sql<{ postage: string | null; sheets: number; letters: number }>`
    with classes as (
      select key as postage, value::integer as place from jsonb_each_text(${JSON.stringify(slots)}::jsonb)
    ), counted as (
      select of_kind.* from service_usage_spans
      cross join lateral unnest(letter_kinds, letter_counts) as of_kind (kind, number) where span = 'day'
      union all
      select of_kind.* from usage_not_folded
      cross join lateral unnest(letter_kinds, letter_counts) as of_kind (kind, number)
    )
    select postage, (kind - 1) / ${slotCount} as sheets, sum(number)::float8 as letters
    from counted left join classes on place = (kind - 1) % ${slotCount} + 1
    group by 1, 2
    having sum(number) <> 0
    order by 1, 2`.execute(tx);
  return rows;
}

/** Moves the letters of each slot to another: `from[slot]` is their current slot, null if the slot ends up empty. */
export async function moveSlots(tx: Tx, from: ReadonlyMap<number, number>): Promise<void> {
  const places = letterKinds.map((kind): RawBuilder<unknown> => {
    const slot = ((kind - 1) % postageSlots) + 1;
    const source = from.get(slot);
    return source === undefined ? sql`0` : sql`letters[${sql.lit(kind - slot + source)}]`;
  });
  await sql`lock table service_usage_spans in share row exclusive mode`.execute(tx);
  await sql`
    update service_usage_spans set letters = array[${sql.join(places)}]::integer[]
    where cardinality(letter_kinds) > 0`.execute(tx);
}
