import { type RawBuilder, sql } from 'kysely';
import type { Calendar, Days } from '../countries/calendar.ts';
import { postageSlots } from '../countries/postage.ts';
import type { Db } from '../platform/db/database.ts';
import { localDay } from '../platform/db/local-day.ts';
import type { Channel } from '../protocol/channels.ts';

/** Consecutive days with constant prices. Usage is priced and the allowance is consumed per slot. */
export interface Slot extends Days {
  slot: number;
  /** The first day of the calendar month after which its month of the financial year is named. */
  month: string;
  sms_rate: string;
  /** False if the slot only consumes allowance before the requested days and is not part of the result. */
  counted: boolean;
}

export interface LetterPrice {
  slot: number;
  postage: string;
  sheets: number;
  rate: string;
}

export interface UsageQuery {
  /** Ordered by time. */
  slots: Slot[];
  spans: { slot: number; span: 'month' | 'five_days' | 'day'; first_day: string }[];
  letterPrices: LetterPrice[];
  /** Free fragments: from the stored rows of `year`, otherwise from `implied`. */
  allowances: { year: number | null; implied: { service_id: string; free_sms_fragment_limit: number }[] };
  which: { service_id: string } | { organisation_id: string } | 'all services';
}

const slotCount = sql.lit(postageSlots);

function servicesOf(which: UsageQuery['which']): RawBuilder<unknown> {
  if (which === 'all services') return sql`true`;
  if ('service_id' in which) return sql`service_id = ${which.service_id}`;
  return sql`service_id in (select id from services where organisation_id = ${which.organisation_id})`;
}

/** Selects the days on which services sent international texts before any rates existed. Such texts were charged as domestic texts. */
export async function selectDaysWithoutRate(
  calendar: Calendar,
  db: Db,
  { first_day, last_day }: Days,
  which: UsageQuery['which'],
): Promise<{ service_id: string; day: string }[]> {
  const { rows } = await sql<{ service_id: string; day: string }>`
    select service_id, london_day::text as day from usage_counts
    where ${servicesOf(which)} and london_day between ${first_day} and ${last_day}
      and notification_type = 'sms' and international
      and london_day < coalesce((select min(${localDay(calendar, 'valid_from')}) from rates_abroad), 'infinity')
    group by service_id, london_day
    having total(notifications_sent) > 0`.execute(db);
  return rows;
}

/**
 * CTEs with costs: `texts` (and emails) by service and slot, `letters` by service, slot and kind. They add the rows that are
 * not yet folded to the totals, so the result is exact within one snapshot. All text messages of a slot have one rate, so
 * the order in which they consume the allowance within a slot does not matter.
 */
function priced(query: UsageQuery): RawBuilder<unknown> {
  const ofService = servicesOf(query.which);
  const records = (rows: object[]) => sql`json_to_recordset(${JSON.stringify(rows)}::json)`;
  return sql`
    slots as (
      select * from ${records(query.slots)}
        as slot (slot integer, month date, first_day date, last_day date, sms_rate numeric, counted boolean)
    ), spans as (
      select * from ${records(query.spans)} as span (slot integer, span text, first_day date)
    ), classes as (
      select class.key as postage, class.value::integer as place
      from installation cross join jsonb_each_text(installation.postage) as class
    ), letter_prices as (
      select slot, letter_kind(postage, sheets) as kind, rate
      from ${records(query.letterPrices)} as price (slot integer, postage text, sheets integer, rate numeric)
      where postage in (select postage from classes)
    ), implied as (
      select * from ${records(query.allowances.implied)} as allowance (service_id uuid, free_sms_fragment_limit integer)
    ), facts as materialized (
      select s.slot, service_id, sms_sent, sms_chargeable_units, emails_sent, letter_kinds, letter_counts
      from spans s join service_usage_spans t on t.span = s.span and t.first_day = s.first_day
      where ${ofService}
      union all
      select s.slot, service_id, sms_sent, sms_chargeable_units, emails_sent, letter_kinds, letter_counts
      from slots s join usage_not_folded u on u.london_day between s.first_day and s.last_day
      where ${ofService}
    ), used as (
      select slot, service_id, total(sms_sent) as sms_sent, total(sms_chargeable_units) as sms_chargeable_units,
        total(emails_sent) as emails_sent
      from facts
      group by slot, service_id
    ), freed as (
      select used.*,
        greatest(0, least(sms_chargeable_units,
          coalesce(stored.free_sms_fragment_limit, implied.free_sms_fragment_limit, 0)
            - (total(sms_chargeable_units) over (partition by used.service_id order by slot) - sms_chargeable_units)
        )) as free_allowance_used
      from used
      left join annual_allowances stored on stored.service_id = used.service_id
        and stored.financial_year_start = ${query.allowances.year}
      left join implied on implied.service_id = used.service_id
    ), texts as (
      select month, sms_rate, freed.*, sms_chargeable_units - free_allowance_used as sms_charged_units,
        (sms_chargeable_units - free_allowance_used) * sms_rate as sms_cost
      from freed join slots on slots.slot = freed.slot and counted
      where sms_sent <> 0 or emails_sent <> 0
    ), posted as (
      select slot, service_id, kind, total(letters) as letters
      from (
        select facts.slot, service_id, unnest(letter_kinds) as kind, unnest(letter_counts) as letters
        from facts join slots on slots.slot = facts.slot and counted
      ) as of_kind
      group by slot, service_id, kind
    ), letters as (
      select posted.slot, service_id, postage,
        (posted.kind - 1) / ${slotCount} as sheets, letters, coalesce(rate, 0) as rate, letters * coalesce(rate, 0) as cost
      from posted left join letter_prices p on p.slot = posted.slot and p.kind = posted.kind
      left join classes on place = (posted.kind - 1) % ${slotCount} + 1
      where letters <> 0
    )`;
}

interface UsageRow {
  notification_type: Channel;
  chargeable_units: number;
  notifications_sent: number;
  rate: number;
  cost: number;
  free_allowance_used: number;
  charged_units: number;
}

/** `charged` has texts, emails and letters in rows of the same shape. */
const charged = sql`charged as (
  select month, 'sms' as notification_type, null as postage, sms_rate as rate, sms_sent as notifications_sent,
    sms_chargeable_units as chargeable_units, free_allowance_used, sms_charged_units as charged_units, sms_cost as cost
  from texts where sms_sent <> 0
  union all
  select month, 'email', null, 0, emails_sent, 0, 0, 0, 0 from texts where emails_sent <> 0
  union all
  select month, 'letter', postage, rate, letters, letters, 0, letters, cost
  from letters join slots on slots.slot = letters.slot
)`;

/** Aggregates `charged`. Decimals become floats only here, after all arithmetic. */
const sums = sql`
  total(chargeable_units) as chargeable_units,
  total(notifications_sent) as notifications_sent,
  sum(cost)::float8 as cost,
  total(free_allowance_used) as free_allowance_used,
  total(charged_units) as charged_units`;

interface MonthRow extends UsageRow {
  month: string;
  notification_type: 'sms' | 'letter';
  postage: string | null;
}

export async function selectUsageByMonth(db: Db, query: UsageQuery): Promise<MonthRow[]> {
  const { rows } = await sql<MonthRow>`
    with ${priced(query)}, ${charged}
    select to_char(charged.month, 'FMMonth') as month, notification_type, rate::float8 as rate, postage, ${sums}
    from charged
    where notification_type <> 'email'
    group by charged.month, notification_type, charged.rate, postage
    order by charged.month, notification_type, charged.rate, postage`.execute(db);
  return rows;
}

/** Returns one row per type. Its rate is the average over chargeable units. */
export async function selectUsageByType(db: Db, query: UsageQuery): Promise<UsageRow[]> {
  const { rows } = await sql<UsageRow>`
    with ${priced(query)}, ${charged}
    select notification_type, ${sums},
      coalesce(round(sum(chargeable_units * rate) / nullif(sum(chargeable_units), 0), 12), 0)::float8 as rate
    from charged
    group by notification_type
    order by notification_type`.execute(db);
  return rows;
}

export interface ServiceCosts {
  service_id: string;
  sms_sent: number;
  sms_chargeable_units: number;
  sms_charged_units: number;
  sms_cost: number;
  emails_sent: number;
  letters_sent: number;
  letter_sheets: number;
  letter_cost: number;
  /** Empty unless requested with `by price`. */
  letters: LettersAtRate[];
}

/** `rate` is in the major currency unit, such as pounds. */
export type LettersAtRate = [postage: string, rate: number, letters: number];

/** Returns one row per service with any usage. */
export async function selectUsageByService(
  db: Db,
  query: UsageQuery,
  letters: 'by price' | 'total only',
): Promise<ServiceCosts[]> {
  const lines = letters === 'by price' ? sql`json_agg(json_build_array(postage, rate, letters))` : sql`'[]'::json`;
  const { rows } = await sql<ServiceCosts>`
    with ${priced(query)}, texts_of_service as (
      select service_id, total(sms_sent) as sms_sent, total(sms_chargeable_units) as sms_chargeable_units,
        total(sms_charged_units) as sms_charged_units, sum(sms_cost)::float8 as sms_cost, total(emails_sent) as emails_sent
      from texts
      group by service_id
    ), letters_of_service as (
      select service_id, total(letters) as letters_sent, total(letters * sheets) as letter_sheets,
        sum(cost)::float8 as letter_cost, ${lines} as letters
      from letters
      group by service_id
    )
    select service_id, coalesce(sms_sent, 0) as sms_sent, coalesce(sms_chargeable_units, 0) as sms_chargeable_units,
      coalesce(sms_charged_units, 0) as sms_charged_units, coalesce(sms_cost, 0) as sms_cost,
      coalesce(emails_sent, 0) as emails_sent, coalesce(letters_sent, 0) as letters_sent,
      coalesce(letter_sheets, 0) as letter_sheets, coalesce(letter_cost, 0) as letter_cost, coalesce(letters, '[]') as letters
    from texts_of_service full join letters_of_service using (service_id)`.execute(db);
  return rows;
}

/** Selects live services including archived ones: active first, then by name. Collation "C" gives the same order everywhere. */
export function selectLiveServicesOf(db: Db, organisationId: string, year: number) {
  return db
    .selectFrom('services')
    .leftJoin('annual_allowances', (join) =>
      join
        .onRef('annual_allowances.service_id', '=', 'services.id')
        .on('annual_allowances.financial_year_start', '=', year),
    )
    .select(['services.id', 'services.name', 'services.active', 'annual_allowances.free_sms_fragment_limit'])
    .where('services.organisation_id', '=', organisationId)
    .where('services.restricted', '=', false)
    .orderBy('services.active', 'desc')
    .orderBy(sql`services.name collate "C"`)
    .execute();
}
