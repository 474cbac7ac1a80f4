import { sql } from 'kysely';
import type { Days } from '../countries/calendar.ts';
import type { Db } from '../platform/db/database.ts';
import type { Span } from '../platform/spans.ts';
import type { Channel } from '../protocol/channels.ts';

export interface Counters {
  total: number;
  requested: number;
  delivered: number;
  failed: number;
  'technical-failure': number;
  'temporary-failure': number;
  'permanent-failure': number;
}

/** Counts statuses of all services by day and type: the totals, plus rows that are not folded into them yet. Excludes test keys. */
export const statuses = (days: Days) => sql`
  select london_day, notification_type, status, count from platform_status_totals
  where london_day between ${days.first_day} and ${days.last_day}
  union all
  select london_day, notification_type, status, count - folded_count from status_counts
  where not folded and key_type <> 'test' and london_day between ${days.first_day} and ${days.last_day}`;

export async function selectCounters(db: Db, days: Days): Promise<(Counters & { notification_type: Channel })[]> {
  const { rows } = await sql<Counters & { notification_type: Channel }>`
    select notification_type,
      total(count) as total,
      total(count) filter (where status <> 'cancelled') as requested,
      total(count) filter (where status in ('sent', 'delivered')) as delivered,
      total(count) filter (where status in ('failed', 'technical-failure', 'temporary-failure',
        'permanent-failure', 'validation-failed', 'virus-scan-failed')) as failed,
      total(count) filter (where status = 'technical-failure') as "technical-failure",
      total(count) filter (where status = 'temporary-failure') as "temporary-failure",
      total(count) filter (where status = 'permanent-failure') as "permanent-failure"
    from (${statuses(days)}) as counted
    group by notification_type`.execute(db);
  return rows;
}

/** Sums billable usage of all services by day: the totals, plus rows that are not folded into them yet. */
const usage = (days: Days) => sql`
  select london_day, notification_type, provider, rate_multiplier, billable_units, notifications_sent
  from platform_usage_totals
  where london_day between ${days.first_day} and ${days.last_day}
  union all
  select london_day, notification_type, provider, rate_multiplier, billable_units - folded_units,
    notifications_sent - folded_sent
  from usage_counts
  where not folded and london_day between ${days.first_day} and ${days.last_day}`;

interface DailyVolumes {
  day: string;
  sms_totals: number;
  sms_fragment_totals: number;
  sms_chargeable_units: number;
  email_totals: number;
  letter_totals: number;
  letter_sheet_totals: number;
}

/** Only includes days with billable messages. */
export async function selectDailyVolumes(db: Db, days: Days): Promise<DailyVolumes[]> {
  const { rows } = await sql<DailyVolumes>`
    select london_day as day,
      total(notifications_sent) filter (where notification_type = 'sms') as sms_totals,
      total(billable_units) filter (where notification_type = 'sms') as sms_fragment_totals,
      total(billable_units * rate_multiplier) filter (where notification_type = 'sms')
        as sms_chargeable_units,
      total(notifications_sent) filter (where notification_type = 'email') as email_totals,
      total(notifications_sent) filter (where notification_type = 'letter') as letter_totals,
      total(billable_units) filter (where notification_type = 'letter') as letter_sheet_totals
    from (${usage(days)}) as used
    group by london_day
    having total(notifications_sent) <> 0
    order by london_day`.execute(db);
  return rows;
}

interface DailyProviderVolumes {
  day: string;
  provider: string;
  sms_totals: number;
  sms_fragment_totals: number;
  sms_chargeable_units: number;
  sms_cost: number;
}

/** Prices every chargeable unit, because providers grant no free allowance. */
export async function selectDailyProviderVolumes(
  db: Db,
  days: Days,
  rates: (Days & { rate: string })[],
): Promise<DailyProviderVolumes[]> {
  const { rows } = await sql<DailyProviderVolumes>`
    select london_day as day, provider, sms_totals, sms_fragment_totals, sms_chargeable_units,
      (sms_chargeable_units * rates.rate)::float8 as sms_cost
    from (
      select london_day, provider, total(notifications_sent) as sms_totals,
        total(billable_units) as sms_fragment_totals,
        total(billable_units * rate_multiplier) as sms_chargeable_units
      from (${usage(days)}) as used
      where notification_type = 'sms'
      group by london_day, provider
      having total(notifications_sent) <> 0
    ) as daily
    join json_to_recordset(${JSON.stringify(rates)}::json) as rates (first_day date, last_day date, rate numeric)
      on london_day between rates.first_day and rates.last_day
    order by london_day, provider collate "C"`.execute(db);
  return rows;
}

/**
 * Builds JSON in the database, because the application passes thousands of rows on without reading them. No value needs escaping, so
 * `concat` builds it, in half the time of `json_build_object`.
 */
export async function selectDespatchedLetters(
  db: Db,
  periods: (Days & { period: number })[],
  rates: { period: number; postage: string; sheets: number; rate: string }[],
): Promise<string> {
  const { rows } = await sql<{ lines: string }>`
    with periods as (
      select * from json_to_recordset(${JSON.stringify(periods)}::json)
        as period (period integer, first_day date, last_day date)
    ), rates as (
      select period, postage, sheets, trim_scale(rate) as rate
      from json_to_recordset(${JSON.stringify(rates)}::json)
        as rate (period integer, postage text, sheets integer, rate numeric)
    ), lines as (
      select despatched_on, counted.postage, cost_threshold, counted.sheets, coalesce(rate, 0) as rate, letters
      from periods join daily_despatches counted on despatched_on between first_day and last_day
      left join rates on rates.period = periods.period and rates.postage = counted.postage
        and rates.sheets = counted.sheets
    )
    select concat('[', string_agg(
      concat('{"date":"', despatched_on, '","postage":"', postage, '","cost_threshold":"', cost_threshold,
        '","sheets":', sheets, ',"rate":', rate, ',"letters":', letters, ',"cost":', trim_scale(rate * letters), '}'),
      ',' order by despatched_on, postage collate "C", cost_threshold, rate, sheets), ']') as lines
    from lines`.execute(db);
  return rows[0]?.lines ?? '[]';
}

/** Groups of statuses in the response. `other` is not returned, but a service that has nothing else still gets a line. */
const groups = {
  sending: sql`sending + pending`,
  delivered: sql`delivered + returned_letter`,
  technical_failure: sql`technical_failure + failed`,
  temporary_failure: sql`temporary_failure`,
  permanent_failure: sql`permanent_failure`,
  sent: sql`sent`,
  other: sql`cancelled + pending_virus_check + validation_failed + virus_scan_failed`,
};
const columns = sql.join(Object.entries(groups).map(([name, statuses]) => sql`${statuses} as ${sql.ref(name)}`));
const totals = sql.join(Object.keys(groups).map((name) => sql`total(${sql.ref(name)}) as ${sql.ref(name)}`));
const anyTotal = sql.join(
  Object.keys(groups).map((name) => sql`total(${sql.ref(name)})`),
  sql` + `,
);

/**
 * Includes only live services; excludes test keys and messages not yet sent. Builds the JSON in the database, because parsing and
 * serialising thousands of lines would take longer than counting them. Only names may need escaping; for the rest `concat` produces the
 * same text as `json_build_array`, in half the time.
 */
export async function selectMonthsOfServices(db: Db, days: Days, spans: Span[]): Promise<string> {
  const { rows } = await sql<{ lines: string }>`
    with spans as (
      select * from json_to_recordset(${JSON.stringify(spans)}::json) as span (span text, first_day date)
    ), counted as (
      select t.first_day as day, t.service_id, t.notification_type, ${columns}
      from spans s join service_status_spans t on t.span = s.span and t.first_day = s.first_day
      where not t.of_test_keys
      union all
      select london_day, service_id, notification_type, ${columns} from status_counts_not_folded
      where not of_test_keys and london_day between ${days.first_day} and ${days.last_day}
    ), months as (
      select date_trunc('month', day::timestamp)::date as month, s.id as service_id, s.name, notification_type, ${totals}
      from counted join services s on s.id = counted.service_id
      where s.active and not s.restricted
      group by 1, s.id, notification_type
      having ${anyTotal} <> 0
    )
    select concat('[', string_agg(
      concat('["', month, '","', service_id, '",', to_json(name), ',"', notification_type, '",',
        concat_ws(',', sending, delivered, technical_failure, temporary_failure, permanent_failure, sent), ']'),
      ',' order by month, service_id, notification_type), ']') as lines
    from months`.execute(db);
  return rows[0]?.lines ?? '[]';
}

export interface LiveService {
  service_id: string;
  service_name: string;
  organisation_name: string | null;
  organisation_type: string | null;
  consent_to_research: boolean | null;
  contact_name: string | null;
  contact_email: string | null;
  contact_mobile: string | null;
  live_date: string | null;
  sms_volume_intent: number | null;
  email_volume_intent: number | null;
  letter_volume_intent: number | null;
  sms_totals: number;
  email_totals: number;
  letter_totals: number;
  free_sms_fragment_limit: number | null;
}

/** Counts the messages of a financial year. Sorts services by when they went live. */
export async function selectLiveServicesOfYear(
  db: Db,
  { year, ...days }: Days & { year: number },
  spans: Span[],
): Promise<LiveService[]> {
  const { rows } = await sql<LiveService>`
    with spans as (
      select * from json_to_recordset(${JSON.stringify(spans)}::json) as span (span text, first_day date)
    ), counted as (
      select service_id, sms_sent, emails_sent, letters
      from spans s join service_usage_spans t on t.span = s.span and t.first_day = s.first_day
      union all
      select service_id, sms_sent, emails_sent, letters from usage_not_folded
      where london_day between ${days.first_day} and ${days.last_day}
    ), used as (
      select service_id, total(sms_sent) as sms_totals, total(emails_sent) as email_totals,
        total((select sum(kind) from unnest(letters) as kind)) as letter_totals
      from counted
      group by service_id
    )
    select s.id as service_id, s.name as service_name, o.name as organisation_name,
      coalesce(o.organisation_type, s.organisation_type) as organisation_type, s.consent_to_research,
      u.name as contact_name, u.email_address as contact_email, u.mobile_number as contact_mobile,
      s.go_live_at as live_date, s.volume_sms as sms_volume_intent, s.volume_email as email_volume_intent,
      s.volume_letter as letter_volume_intent, coalesce(used.sms_totals, 0) as sms_totals,
      coalesce(used.email_totals, 0) as email_totals, coalesce(used.letter_totals, 0) as letter_totals,
      a.free_sms_fragment_limit
    from services s
    left join organisations o on o.id = s.organisation_id
    left join users u on u.id = s.go_live_user_id
    left join annual_allowances a on a.service_id = s.id and a.financial_year_start = ${year}
    left join used on used.service_id = s.id
    where s.active and not s.restricted and s.count_as_live
    order by s.go_live_at nulls last, s.name`.execute(db);
  return rows;
}
