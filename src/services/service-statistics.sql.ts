import { sql } from 'kysely';
import type { Days } from '../countries/calendar.ts';
import type { Db } from '../platform/db/database.ts';
import type { Span } from '../platform/spans.ts';
import type { Channel } from '../protocol/channels.ts';

interface Counted {
  notification_type: Channel;
  requested: number;
  delivered: number;
  failed: number;
}

const columns = sql`created, sending, pending, pending_virus_check, returned_letter, sent, delivered, failed,
  technical_failure, temporary_failure, permanent_failure, validation_failed, virus_scan_failed, cancelled`;
const isDelivered = sql`sent + delivered`;
const hasFailed = sql`failed + technical_failure + temporary_failure + permanent_failure + validation_failed
  + virus_scan_failed`;

/** Cancelled messages do not count; messages neither delivered nor failed count only as requested. */
const counters = sql`notification_type,
  total(created + sending + pending + pending_virus_check + returned_letter + ${isDelivered} + ${hasFailed})
    as requested,
  total(${isDelivered}) as delivered,
  total(${hasFailed}) as failed`;

/** Counts by service in an inclusive range of London days: the totals plus the counts not yet folded into them. */
export async function selectCountsByService(
  db: Db,
  days: Days,
  spans: Span[],
  which: { service_id?: string; with_test_keys: boolean },
): Promise<(Counted & { service_id: string })[]> {
  const ofService = which.service_id === undefined ? sql`true` : sql`service_id = ${which.service_id}`;
  const ofKeys = which.with_test_keys ? sql`true` : sql`not of_test_keys`;
  const { rows } = await sql<Counted & { service_id: string }>`
    with spans as (
      select * from json_to_recordset(${JSON.stringify(spans)}::json) as span (span text, first_day date)
    )
    select service_id, ${counters}
    from (
      select service_id, notification_type, ${columns}
      from spans s join service_status_spans t on t.span = s.span and t.first_day = s.first_day
      where ${ofService} and ${ofKeys}
      union all
      select service_id, notification_type, ${columns} from status_counts_not_folded
      where ${ofService} and ${ofKeys} and london_day between ${days.first_day} and ${days.last_day}
    ) as counted
    group by service_id, notification_type
    having total(created + sending + pending + pending_virus_check + returned_letter + ${isDelivered} + ${hasFailed}
      + cancelled) <> 0`.execute(db);
  return rows;
}

/** Excludes messages of test keys. */
export async function selectCountsByMonth(
  db: Db,
  serviceId: string,
  months: (Days & { month: string })[],
  spans: (Span & { month: string })[],
): Promise<(Counted & { month: string })[]> {
  const { rows } = await sql<Counted & { month: string }>`
    with months as (
      select * from json_to_recordset(${JSON.stringify(months)}::json) as month (month text, first_day date, last_day date)
    ), spans as (
      select * from json_to_recordset(${JSON.stringify(spans)}::json) as span (month text, span text, first_day date)
    )
    select month, ${counters}
    from (
      select month, notification_type, ${columns}
      from spans s join service_status_spans t on t.span = s.span and t.first_day = s.first_day
      where service_id = ${serviceId} and not of_test_keys
      union all
      select month, notification_type, ${columns}
      from status_counts_not_folded join months on london_day between first_day and last_day
      where service_id = ${serviceId} and not of_test_keys
    ) as counted
    group by month, notification_type`.execute(db);
  return rows;
}

/** Counts by London day, from the daily rollups. Excludes messages of test keys. */
export async function selectCountsByDay(db: Db, serviceId: string, days: Days): Promise<(Counted & { day: string })[]> {
  const of = (statuses: string[]) => sql`total(count) filter (where status = any (${statuses}::text[]))`;
  const { rows } = await sql<Counted & { day: string }>`
    select london_day as day, notification_type, total(count) filter (where status <> 'cancelled') as requested,
      coalesce(${of(['sent', 'delivered'])}, 0) as delivered,
      coalesce(${of(failedStatuses)}, 0) as failed
    from status_counts
    where service_id = ${serviceId} and key_type <> 'test' and london_day between ${days.first_day} and ${days.last_day}
    group by london_day, notification_type`.execute(db);
  return rows;
}

const failedStatuses = [
  'failed',
  'technical-failure',
  'temporary-failure',
  'permanent-failure',
  'validation-failed',
  'virus-scan-failed',
];
