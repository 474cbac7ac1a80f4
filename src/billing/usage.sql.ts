import { type RawBuilder, sql } from 'kysely';
import { letterKinds, type Postage, postages } from '../notifications/notification.ts';
import type { Db } from '../platform/db/database.ts';

/** Days in a row on which every price stays the same: in this unit usage is priced and the allowance eaten. */
export interface Slot {
  slot: number;
  month: string;
  first_day: string;
  last_day: string;
  /** Whether it belongs to the answer, or only eats allowance before it. */
  counted: boolean;
}

export interface Price {
  slot: number;
  /** `none` and 0 for text messages. */
  postage: string;
  sheets: number;
  rate: string;
}

export interface UsageQuestion {
  /** In the order of time. */
  slots: Slot[];
  spans: { slot: number; span: 'month' | 'pentad' | 'day'; first_day: string }[];
  prices: Price[];
  /** Free fragments: those stored for the year, and those of services that have nothing stored. */
  allowances: { year: number | null; implied: { service_id: string; free_sms_fragment_limit: number }[] };
  which: { service_id: string } | { organisation_id: string } | 'all services';
}

const kinds = letterKinds.map((kind) => sql.lit(kind));
const postageNames = sql.join(postages.map((postage) => sql.lit(postage)));
const postageCount = sql.lit(postages.length);

/**
 * `charged`: usage by service, slot and price, with what is free and what it costs. Totals, plus what none of them holds
 * yet: exact in one snapshot. All text messages of a slot have one rate, so the order in which they eat the allowance
 * inside it shows nowhere.
 */
function charged(question: UsageQuestion): RawBuilder<unknown> {
  const { which } = question;
  const ofService =
    which === 'all services'
      ? sql`true`
      : 'service_id' in which
        ? sql`service_id = ${which.service_id}`
        : sql`service_id in (select id from services where organisation_id = ${which.organisation_id})`;
  const records = (rows: object[]) => sql`json_to_recordset(${JSON.stringify(rows)}::json)`;
  return sql`
    slots as (
      select * from ${records(question.slots)}
        as slot (slot integer, month date, first_day date, last_day date, counted boolean)
    ), spans as (
      select * from ${records(question.spans)} as span (slot integer, span text, first_day date)
    ), prices as (
      select * from ${records(question.prices)} as price (slot integer, postage text, sheets integer, rate numeric)
    ), implied as (
      select * from ${records(question.allowances.implied)} as allowance (service_id uuid, free_sms_fragment_limit integer)
    ), used as materialized (
      select slot, service_id, sum(sms_sent)::bigint as sms_sent, sum(sms_chargeable_units)::bigint as sms_chargeable_units,
        sum(emails_sent)::bigint as emails_sent, array[${sql.join(kinds.map((kind) => sql`sum(letters[${kind}])`))}] as letters
      from (
        select s.slot, service_id, sms_sent, sms_chargeable_units, emails_sent, letters
        from spans s join service_usage_spans t on t.span = s.span and t.first_day = s.first_day
        where ${ofService}
        union all
        select s.slot, service_id, sms_sent, sms_chargeable_units, emails_sent, letters
        from slots s join usage_not_folded u on u.london_day between s.first_day and s.last_day
        where ${ofService}
      ) as facts
      group by slot, service_id
    ), freed as (
      select used.slot, used.service_id, used.sms_sent, used.sms_chargeable_units,
        greatest(0, least(used.sms_chargeable_units,
          coalesce(stored.free_sms_fragment_limit, implied.free_sms_fragment_limit, 0)
            - (sum(used.sms_chargeable_units) over (partition by used.service_id order by used.slot)::bigint
              - used.sms_chargeable_units)
        )) as free_allowance_used
      from used
      left join annual_allowances stored on stored.service_id = used.service_id
        and stored.financial_year_start = ${question.allowances.year}
      left join implied on implied.service_id = used.service_id
      where used.sms_sent <> 0
    ), messages as (
      select slot, service_id, 'sms' as notification_type, 'none' as postage, 0 as sheets, sms_sent as notifications_sent,
        sms_chargeable_units as chargeable_units, free_allowance_used
      from freed
      union all
      select slot, service_id, 'email', 'none', -1, emails_sent, 0, 0 from used where emails_sent <> 0
      union all
      select slot, service_id, 'letter', (array[${postageNames}])[(kind - 1) % ${postageCount} + 1],
        ((kind - 1) / ${postageCount})::integer, of_kind.letters, of_kind.letters, 0
      from used cross join unnest(used.letters) with ordinality as of_kind (letters, kind)
      where of_kind.letters <> 0
    ), charged as (
      select slots.month, m.*, coalesce(prices.rate, 0) as rate, m.chargeable_units - m.free_allowance_used as charged_units,
        (m.chargeable_units - m.free_allowance_used) * coalesce(prices.rate, 0) as cost
      from messages m join slots on slots.slot = m.slot and slots.counted
      left join prices on prices.slot = m.slot and prices.postage = m.postage and prices.sheets = m.sheets
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
  /** By postage and rate, where that was asked for. */
  letters: { postage: string; rate: string; letters: number }[];
}

/** Letters are summed up by price first: there are few prices. */
const lettersByPrice = sql`
  select service_id, sum(letters)::bigint as letters_sent, sum(letter_sheets)::bigint as letter_sheets,
    sum(letters * rate)::float8 as letter_cost,
    json_agg(json_build_object('postage', postage, 'rate', rate::text, 'letters', letters)) as letters
  from (
    select service_id, postage, rate, sum(notifications_sent)::bigint as letters,
      sum(notifications_sent * sheets)::bigint as letter_sheets
    from charged
    where notification_type = 'letter'
    group by service_id, postage, rate
  ) as line
  group by service_id`;

const lettersAltogether = sql`
  select service_id, sum(notifications_sent)::bigint as letters_sent,
    sum(notifications_sent * sheets)::bigint as letter_sheets, sum(cost)::float8 as letter_cost, '[]'::json as letters
  from charged
  where notification_type = 'letter'
  group by service_id`;

/** One row per service that used anything. */
export async function selectUsageByService(
  db: Db,
  question: UsageQuestion,
  letters: 'by price' | 'altogether',
): Promise<ServiceCosts[]> {
  const { rows } = await sql<ServiceCosts>`
    with ${charged(question)}, letters as (
      ${letters === 'by price' ? lettersByPrice : lettersAltogether}
    ), others as (
      select service_id,
        coalesce(sum(notifications_sent) filter (where notification_type = 'sms'), 0)::bigint as sms_sent,
        sum(chargeable_units)::bigint as sms_chargeable_units,
        sum(charged_units)::bigint as sms_charged_units,
        sum(cost)::float8 as sms_cost,
        coalesce(sum(notifications_sent) filter (where notification_type = 'email'), 0)::bigint as emails_sent
      from charged
      where notification_type <> 'letter'
      group by service_id
    )
    select coalesce(others.service_id, letters.service_id) as service_id, coalesce(sms_sent, 0) as sms_sent,
      coalesce(sms_chargeable_units, 0) as sms_chargeable_units, coalesce(sms_charged_units, 0) as sms_charged_units,
      coalesce(sms_cost, 0) as sms_cost, coalesce(emails_sent, 0) as emails_sent, coalesce(letters_sent, 0) as letters_sent,
      coalesce(letter_sheets, 0) as letter_sheets, coalesce(letter_cost, 0) as letter_cost,
      coalesce(letters.letters, '[]') as letters
    from others full join letters on letters.service_id = others.service_id`.execute(db);
  return rows;
}
