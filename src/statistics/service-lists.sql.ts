import { sql } from 'kysely';
import type { Days } from '../platform/calendar.ts';
import type { Db } from '../platform/db/database.ts';
import type { Span } from '../platform/spans.ts';

/** Groups of statuses in the response. `other` is not returned, but a service with nothing else still gets a line. */
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
 * Only live services; excludes test keys and messages not yet sent. Builds the JSON in the database: parsing and
 * serializing thousands of lines would take longer than counting them. Only names may need escaping; for the rest
 * `concat` produces the same text as `json_build_array`, in half the time.
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

/** Counts messages since the start of a month. Orders services by when they went live. */
export async function selectLiveServicesSince(db: Db, month: string, year: number): Promise<LiveService[]> {
  const { rows } = await sql<LiveService>`
    with used as (
      select service_id, total(sms_sent) as sms_totals, total(emails_sent) as email_totals,
        total(letters_sent) as letter_totals
      from service_months where month >= ${month}
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
