import { sql } from 'kysely';
import type { KeyType } from '../auth/api-keys.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import type { NotificationType, Postage, Status } from './notification.ts';

interface StatusChangeRow {
  id: string;
  status?: Status;
  /** The change happens only from one of these. */
  allowed: readonly Status[];
  now: Timestamp;
  provider?: string;
  provider_reference?: string;
  billable_units?: number;
  sent_at?: Timestamp;
  postage?: Postage;
  international?: boolean;
  recipient?: string;
  normalised_recipient?: string;
}

export interface ChangedNotification {
  id: string;
  service_id: string;
  template_id: string;
  template_version: number;
  notification_type: NotificationType;
  key_type: KeyType;
  previous_status: Status;
  status: Status;
  client_reference: string | null;
  recipient: string;
  provider: string | null;
  created_at: Timestamp;
  sent_at: Timestamp | null;
  updated_at: Timestamp;
}

export const rollupDay = sql`(created_at at time zone 'Europe/London')::date`;

/** The statuses in which a message costs: `billable_units` counts only there. */
export const isBillable = sql`(key_type <> 'test' and case notification_type
  when 'sms' then status in ('sending', 'sent', 'delivered', 'pending', 'temporary-failure', 'permanent-failure')
  when 'email' then status in ('sending', 'delivered', 'temporary-failure', 'permanent-failure')
  else status in ('sending', 'delivered', 'returned-letter') end)`;

/** Under which row of the daily usage a message counts. */
export const usageKey = sql`${rollupDay} as london_day, service_id, template_id, notification_type,
  coalesce(provider, 'unknown') as provider,
  case when notification_type = 'email' then 0 else rate_multiplier end as rate_multiplier,
  international, coalesce(postage, 'none') as postage,
  case when notification_type = 'letter' then billable_units else 0 end as sheets`;

/**
 * Changes statuses and both rollups in one statement. Rows whose status is not an allowed one stay untouched and are not
 * returned, so a repeated or late receipt does nothing. The ids must be distinct.
 */
export async function updateStatuses(tx: Tx, changes: StatusChangeRow[]): Promise<ChangedNotification[]> {
  // Beside the join, so that planning looks at the partitions of these days only, and never at whole tables.
  const isWanted = sql`n.id = any (${changes.map(({ id }) => id)}::uuid[])`;
  const { rows } = await sql<ChangedNotification>`
    with wanted as (
      select * from json_to_recordset(${JSON.stringify(changes)}::json) as w (
        id uuid, status text, allowed text[], now timestamptz, provider text, provider_reference text, billable_units int,
        sent_at timestamptz, postage text, international boolean, recipient text, normalised_recipient text
      )
    ), before as (
      select n.*, n.status as previous_status
      from notifications n join wanted w on w.id = n.id and n.status = any (w.allowed)
      where ${isWanted} order by n.id for update of n
    ), after as (
      update notifications n set
        status = coalesce(w.status, n.status),
        updated_at = case when w.status is null then n.updated_at else w.now end,
        provider = coalesce(w.provider, n.provider),
        provider_reference = coalesce(w.provider_reference, n.provider_reference),
        billable_units = coalesce(w.billable_units, n.billable_units),
        sent_at = coalesce(w.sent_at, n.sent_at),
        postage = coalesce(w.postage, n.postage),
        international = coalesce(w.international, n.international),
        recipient = coalesce(w.recipient, n.recipient),
        normalised_recipient = coalesce(w.normalised_recipient, n.normalised_recipient)
      from wanted w join before b on b.id = w.id
      where n.id = w.id and ${isWanted}
      returning n.*, b.previous_status
    ), status_changes as (
      select ${rollupDay} as london_day, service_id, template_id, notification_type, key_type, status, sum(change) as change
      from (select *, -1 as change from before union all select *, 1 as change from after) as both_sides
      group by 1, 2, 3, 4, 5, 6
      having sum(change) <> 0
    ), counted as (
      insert into daily_status_counts as counts
        (london_day, service_id, template_id, notification_type, key_type, status, count)
      select * from status_changes
      order by service_id, london_day, notification_type, key_type, status, template_id
      on conflict (service_id, london_day, notification_type, key_type, status, template_id)
      do update set count = counts.count + excluded.count, folded = false
    ), usage_changes as (
      select ${usageKey},
        sum(change * case when notification_type = 'email' then 0 else billable_units end) as billable_units,
        sum(change) as notifications_sent
      from (select *, -1 as change from before union all select *, 1 as change from after) as both_sides
      where ${isBillable}
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9
      having sum(change) <> 0 or sum(change * billable_units) <> 0
    ), charged as (
      insert into daily_usage as usage (london_day, service_id, template_id, notification_type, provider, rate_multiplier,
        international, postage, sheets, billable_units, notifications_sent)
      select * from usage_changes
      order by service_id, london_day, notification_type, template_id, provider, rate_multiplier, international, postage, sheets
      on conflict (service_id, london_day, notification_type, template_id, provider, rate_multiplier, international, postage,
        sheets)
      do update set billable_units = usage.billable_units + excluded.billable_units,
        notifications_sent = usage.notifications_sent + excluded.notifications_sent, folded = false
    )
    select id, service_id, template_id, template_version, notification_type, key_type, previous_status, status,
      client_reference, recipient, provider, created_at, sent_at, updated_at
    from after`.execute(tx);
  return rows;
}
