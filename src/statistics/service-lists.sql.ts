import { sql } from 'kysely';
import type { Span } from '../notifications/spans.ts';
import type { Db } from '../platform/db/database.ts';

export interface MonthOfService {
  month: string;
  service_id: string;
  service_name: string;
  notification_type: string;
  sending: number;
  delivered: number;
  technical_failure: number;
  temporary_failure: number;
  permanent_failure: number;
  sent: number;
}

/** Live services only, never test keys, and nothing that has not left yet. */
export async function selectMonthsOfServices(
  db: Db,
  days: { first_day: string; last_day: string },
  spans: Span[],
): Promise<MonthOfService[]> {
  const { rows } = await sql<MonthOfService>`
    with spans as (
      select * from json_to_recordset(${JSON.stringify(spans)}::json) as span (span text, first_day date)
    ), counted as (
      select t.first_day as day, t.service_id, t.notification_type, t.status, t.count
      from spans s join service_status_totals t on t.span = s.span and t.first_day = s.first_day
      union all
      select london_day, service_id, notification_type, status, count - folded_count from daily_status_counts
      where not folded and key_type <> 'test' and london_day between ${days.first_day} and ${days.last_day}
    )
    select date_trunc('month', c.day::timestamp)::date as month, s.id as service_id, s.name as service_name,
      c.notification_type,
      coalesce(sum(c.count) filter (where c.status in ('sending', 'pending')), 0)::bigint as sending,
      coalesce(sum(c.count) filter (where c.status in ('delivered', 'returned-letter')), 0)::bigint as delivered,
      coalesce(sum(c.count) filter (where c.status in ('technical-failure', 'failed')), 0)::bigint as technical_failure,
      coalesce(sum(c.count) filter (where c.status = 'temporary-failure'), 0)::bigint as temporary_failure,
      coalesce(sum(c.count) filter (where c.status = 'permanent-failure'), 0)::bigint as permanent_failure,
      coalesce(sum(c.count) filter (where c.status = 'sent'), 0)::bigint as sent
    from counted c join services s on s.id = c.service_id
    where s.active and not s.restricted and c.status <> 'created'
    group by 1, 2, 3, 4
    having sum(c.count) <> 0
    order by 1, 2, 4`.execute(db);
  return rows;
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

/** What each sent since a month began; first to go live first. */
export async function selectLiveServicesSince(db: Db, month: string, year: number): Promise<LiveService[]> {
  const { rows } = await sql<LiveService>`
    with used as (
      select service_id,
        coalesce(sum(notifications_sent) filter (where notification_type = 'sms'), 0)::bigint as sms_totals,
        coalesce(sum(notifications_sent) filter (where notification_type = 'email'), 0)::bigint as email_totals,
        coalesce(sum(notifications_sent) filter (where notification_type = 'letter'), 0)::bigint as letter_totals
      from monthly_usage where month >= ${month}
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
