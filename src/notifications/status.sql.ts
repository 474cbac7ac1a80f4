import { type RawBuilder, sql } from 'kysely';
import type { KeyType } from '../auth/api-keys.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { Channel } from '../protocol/channels.ts';
import type { Status } from './notification.ts';
import { type StatusChange, transitions } from './status-transitions.ts';

export interface ChangedNotification {
  id: string;
  service_id: string;
  notification_type: Channel;
  key_type: KeyType;
  previous_status: Status;
  status: Status;
  provider: string | null;
  created_at: Timestamp;
  sent_at: Timestamp | null;
}

export const rollupDay = sql`(created_at at time zone 'Europe/London')::date`;

/** Billable statuses: `billable_units` counts only in these. An email to a suppressed recipient has no provider: it was not sent. */
const isBillableIn = (
  status: RawBuilder<unknown>,
  provider: RawBuilder<unknown>,
) => sql`(key_type <> 'test' and case notification_type
  when 'sms' then ${status} in ('sending', 'sent', 'delivered', 'pending', 'temporary-failure', 'permanent-failure')
  when 'email' then ${status} in ('sending', 'delivered', 'temporary-failure')
    or ${status} = 'permanent-failure' and ${provider} is not null
  else ${status} in ('sending', 'delivered', 'returned-letter') end)`;

export const isBillable = isBillableIn(sql`status`, sql`provider`);

/** The key of a message's row in daily usage. */
export const usageKey = sql`${rollupDay} as london_day, service_id, template_id, notification_type,
  coalesce(provider, 'unknown') as provider,
  case when notification_type = 'email' then 0 else rate_multiplier end as rate_multiplier,
  international, coalesce(postage, 'none') as postage,
  case when notification_type = 'letter' then billable_units else 0 end as sheets`;

/** The columns of `wanted`, to parse changes from JSON. */
export const changeColumns = sql`id uuid, status text, event text, provider text, provider_reference text,
  billable_units int, sent_at timestamptz, postage text, international boolean, recipient text, normalised_recipient text`;

const listed = (statuses: readonly Status[]) => sql.join(statuses.map((status) => sql.lit(status)));

/** A hand-over recorded after its receipt. */
const isLate = sql`(w.event = 'handedOver' and n.status in (${listed(transitions.handedOverLate)}))`;

const mayChange = sql`(${isLate} or case w.event ${sql.join(
  Object.entries(transitions).map(
    ([event, statuses]) => sql`when ${sql.lit(event)} then n.status in (${listed(statuses)})`,
  ),
  sql` `,
)} end)`;

const sides = sql`created_at, service_id, template_id, notification_type, key_type, rate_multiplier`;

/**
 * CTEs that change statuses and both rollups; `after` holds the changed rows. The statement must begin with a CTE `wanted`
 * with the columns above and distinct ids. Disallowed transitions are skipped, so a repeated or late receipt does nothing.
 * Rows are locked in order of id, so that two such statements never deadlock.
 *
 * The condition on each array looks like a repetition. A plan is made while the partition of a new day is nearly empty, and stays
 * while it fills: with the joins alone it would read all rows of the day.
 */
export function statusChange(now: Timestamp): RawBuilder<unknown> {
  return sql`before as (
      select w.*, n.status as previous_status, n.provider as previous_provider, n.billable_units as previous_units,
        n.postage as previous_postage, n.international as previous_international,
        case when not ${isLate} then w.status end as next_status
      from notifications n join wanted w on w.id = n.id
      where ${mayChange} and n.id = any (array(select id from wanted))
      order by n.id for update of n
    ), after as (
      update notifications n set
        status = coalesce(w.next_status, n.status),
        updated_at = case when w.next_status is null then n.updated_at else ${now} end,
        provider = coalesce(w.provider, n.provider),
        provider_reference = coalesce(w.provider_reference, n.provider_reference),
        billable_units = coalesce(w.billable_units, n.billable_units),
        sent_at = coalesce(w.sent_at, n.sent_at),
        postage = coalesce(w.postage, n.postage),
        international = coalesce(w.international, n.international),
        recipient = coalesce(w.recipient, n.recipient),
        normalised_recipient = coalesce(w.normalised_recipient, n.normalised_recipient)
      from before w where n.id = w.id and n.id = any (array(select id from before))
      returning n.id, n.created_at, n.service_id, n.template_id, n.template_version, n.notification_type, n.key_type,
        n.rate_multiplier, n.status, n.provider, n.billable_units, n.postage, n.international, n.client_reference,
        n.recipient, n.sent_at, n.updated_at, n.job_id, w.previous_status, w.previous_provider, w.previous_units,
        w.previous_postage, w.previous_international
    ), counted as (
      insert into status_count_changes
        (london_day, service_id, template_id, notification_type, key_type, previous_status, status, job_id, change)
      select ${rollupDay}, service_id, template_id, notification_type, key_type, previous_status, status, job_id, count(*)
      from after
      where status <> previous_status
      group by 1, 2, 3, 4, 5, 6, 7, 8
    ), recharged as (
      select * from after
      where (${isBillable}, provider, billable_units, postage, international) is distinct from
        (${isBillableIn(sql`previous_status`, sql`previous_provider`)}, previous_provider, previous_units, previous_postage, previous_international)
    ), both_sides as (
      select ${sides}, status, provider, billable_units, postage, international, 1 as change from recharged
      union all
      select ${sides}, previous_status, previous_provider, previous_units, previous_postage, previous_international, -1
      from recharged
    ), charged as (
      insert into usage_changes (london_day, service_id, template_id, notification_type, provider, rate_multiplier,
        international, postage, sheets, billable_units, notifications_sent)
      select ${usageKey}, sum(change * case when notification_type = 'email' then 0 else billable_units end), sum(change)
      from both_sides
      where ${isBillable}
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9
      having sum(change) <> 0 or sum(change * billable_units) <> 0
    )`;
}

export async function updateStatuses(
  db: Db | Tx,
  changes: StatusChange[],
  now: Timestamp,
): Promise<ChangedNotification[]> {
  const { rows } = await sql<ChangedNotification>`/* prepared: status-changes */
    with wanted as (
      select * from json_to_recordset(${JSON.stringify(changes)}::json) as w (${changeColumns})
    ), ${statusChange(now)}
    select id, service_id, notification_type, key_type, previous_status, status, provider, created_at, sent_at
    from after`.execute(db);
  return rows;
}
