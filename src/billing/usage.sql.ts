import { type RawBuilder, sql } from 'kysely';
import type { Postage } from '../notifications/notification.ts';
import type { Db } from '../platform/db/database.ts';

/** Days in a row on which messages of a type have one price: in this unit usage is priced and the allowance eaten. */
export interface Slot {
  slot: number;
  notification_type: 'sms' | 'email' | 'letter';
  month: string;
  first_day: string;
  last_day: string;
  /** Whether it belongs to the answer, or only eats allowance before it. */
  counted: boolean;
}

export interface Price {
  slot: number;
  postage: string;
  sheets: number;
  rate: string;
}

export interface UsageQuestion {
  /** Those of a type in the order of time. */
  slots: Slot[];
  spans: { slot: number; notification_type: string; span: 'month' | 'pentad' | 'day'; first_day: string }[];
  prices: Price[];
  /** Free fragments: those stored for the year, and those of services that have nothing stored. */
  allowances: { year: number | null; implied: { service_id: string; free_sms_fragment_limit: number }[] };
  which: { service_id: string } | { organisation_id: string } | 'all services';
}

/**
 * `charged`: usage by service, slot and price, with what is free and what it costs. Totals, plus what none of them holds
 * yet: exact in one snapshot. All text messages of a slot have one rate, so the order in which they eat the allowance
 * inside it shows nowhere.
 */
function charged(question: UsageQuestion): RawBuilder<unknown> {
  const { which } = question;
  const ofService = (alias: string) =>
    which === 'all services'
      ? sql`true`
      : 'service_id' in which
        ? sql`${sql.ref(`${alias}.service_id`)} = ${which.service_id}`
        : sql`${sql.ref(`${alias}.service_id`)} in (select id from services where organisation_id = ${which.organisation_id})`;
  const records = (rows: object[]) => sql`json_to_recordset(${JSON.stringify(rows)}::json)`;
  return sql`
    slots as (
      select * from ${records(question.slots)}
        as slot (slot integer, notification_type text, month date, first_day date, last_day date, counted boolean)
    ), spans as (
      select * from ${records(question.spans)} as span (slot integer, notification_type text, span text, first_day date)
    ), prices as (
      select * from ${records(question.prices)} as price (slot integer, postage text, sheets integer, rate numeric)
    ), implied as (
      select * from ${records(question.allowances.implied)} as allowance (service_id uuid, free_sms_fragment_limit integer)
    ), facts as (
      select s.slot, t.service_id, t.notification_type, t.postage, t.sheets, t.billable_units, t.chargeable_units,
        t.notifications_sent
      from spans s
      join service_usage_totals t on t.span = s.span and t.first_day = s.first_day
        and t.notification_type = s.notification_type
      where ${ofService('t')}
      union all
      select s.slot, u.service_id, u.notification_type, u.postage, u.sheets, u.billable_units - u.folded_units,
        (u.billable_units - u.folded_units) * u.rate_multiplier, u.notifications_sent - u.folded_sent
      from slots s
      join daily_usage u on u.notification_type = s.notification_type and u.london_day between s.first_day and s.last_day
      where not u.folded and ${ofService('u')}
    ), used as (
      select slot, service_id, notification_type, postage, sheets, sum(billable_units) as billable_units,
        sum(notifications_sent) as notifications_sent,
        case notification_type
          when 'sms' then sum(chargeable_units)
          when 'letter' then sum(notifications_sent)
          else 0
        end as chargeable_units
      from facts
      group by slot, service_id, notification_type, postage, sheets
      having sum(notifications_sent) <> 0
    ), freed as (
      select used.*,
        case when used.notification_type = 'sms' then
          greatest(0, least(used.chargeable_units, coalesce(stored.free_sms_fragment_limit, implied.free_sms_fragment_limit, 0)
            - (sum(used.chargeable_units) over (partition by used.service_id, used.notification_type order by used.slot)
              - used.chargeable_units)))
        else 0 end as free_allowance_used
      from used
      left join annual_allowances stored on stored.service_id = used.service_id
        and stored.financial_year_start = ${question.allowances.year}
      left join implied on implied.service_id = used.service_id
    ), charged as (
      select slots.month, freed.*, coalesce(prices.rate, 0) as rate,
        freed.chargeable_units - freed.free_allowance_used as charged_units,
        (freed.chargeable_units - freed.free_allowance_used) * coalesce(prices.rate, 0) as cost
      from freed join slots on slots.slot = freed.slot and slots.counted
      left join prices on prices.slot = freed.slot and prices.postage = freed.postage and prices.sheets = freed.sheets
    )`;
}

export interface UsageRow {
  notification_type: 'sms' | 'email' | 'letter';
  chargeable_units: number;
  notifications_sent: number;
  rate: number;
  cost: number;
  free_allowance_used: number;
  charged_units: number;
}

/** What every grouping of charged rows shows. Decimals become numbers here, at the very end. */
const sums = sql`
  sum(chargeable_units)::bigint as chargeable_units,
  sum(notifications_sent)::bigint as notifications_sent,
  sum(cost)::float8 as cost,
  sum(free_allowance_used)::bigint as free_allowance_used,
  sum(charged_units)::bigint as charged_units`;

export interface MonthRow extends UsageRow {
  month: string;
  notification_type: 'sms' | 'letter';
  postage: Postage | null;
}

export async function selectUsageByMonth(db: Db, question: UsageQuestion): Promise<MonthRow[]> {
  const { rows } = await sql<MonthRow>`
    with ${charged(question)}
    select to_char(charged.month, 'FMMonth') as month, notification_type, rate::float8 as rate,
      nullif(postage, 'none') as postage, ${sums}
    from charged
    where notification_type <> 'email'
    group by charged.month, notification_type, charged.rate, postage
    order by charged.month, notification_type, charged.rate, postage`.execute(db);
  return rows;
}

/** One row per type; its rate is the average over chargeable units. */
export async function selectUsageByType(db: Db, question: UsageQuestion): Promise<UsageRow[]> {
  const { rows } = await sql<UsageRow>`
    with ${charged(question)}
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
  /** By postage and rate. */
  letters: { postage: string; rate: string; letters: number }[];
}

/** One row per service that used anything. */
export async function selectUsageByService(db: Db, question: UsageQuestion): Promise<ServiceCosts[]> {
  const { rows } = await sql<ServiceCosts>`
    with ${charged(question)}, letters as (
      select service_id, json_agg(json_build_object('postage', postage, 'rate', rate::text, 'letters', letters)) as letters
      from (
        select service_id, postage, rate, sum(notifications_sent)::bigint as letters from charged
        where notification_type = 'letter'
        group by service_id, postage, rate
      ) as line
      group by service_id
    ), totals as (
      select service_id,
        coalesce(sum(notifications_sent) filter (where notification_type = 'sms'), 0)::bigint as sms_sent,
        coalesce(sum(chargeable_units) filter (where notification_type = 'sms'), 0)::bigint as sms_chargeable_units,
        coalesce(sum(charged_units) filter (where notification_type = 'sms'), 0)::bigint as sms_charged_units,
        coalesce(sum(cost) filter (where notification_type = 'sms'), 0)::float8 as sms_cost,
        coalesce(sum(notifications_sent) filter (where notification_type = 'email'), 0)::bigint as emails_sent,
        coalesce(sum(notifications_sent) filter (where notification_type = 'letter'), 0)::bigint as letters_sent,
        coalesce(sum(billable_units) filter (where notification_type = 'letter'), 0)::bigint as letter_sheets,
        coalesce(sum(cost) filter (where notification_type = 'letter'), 0)::float8 as letter_cost
      from charged
      group by service_id
    )
    select totals.*, coalesce(letters.letters, '[]') as letters
    from totals left join letters on letters.service_id = totals.service_id`.execute(db);
  return rows;
}
