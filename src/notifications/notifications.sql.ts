import { CompiledQuery } from 'kysely';
import type { Tx } from '../platform/db/database.ts';
import type { NewNotification } from './notification.ts';

/**
 * Notifications, their places in the delivery queue and their counts, in one statement: one round trip however many
 * there are, and all of it or nothing. Rollup rows are locked in key order, so that two such statements never deadlock.
 */
const insertText = `
with accepted as (
  select * from json_to_recordset($1::json) as n (
    id uuid, service_id uuid, template_id uuid, template_version int, notification_type text, key_type text,
    api_key_id uuid, created_by_id uuid, status text, client_reference text, recipient text, normalised_recipient text,
    personalisation jsonb, reply_to_text text, postage text, international boolean, rate_multiplier smallint,
    one_click_unsubscribe_url text, scheduled_for timestamptz, created_at timestamptz, lane smallint, due_at timestamptz
  )
), stored as (
  insert into notifications (id, service_id, template_id, template_version, notification_type, key_type, api_key_id,
    created_by_id, status, client_reference, recipient, normalised_recipient, personalisation, reply_to_text, postage,
    international, rate_multiplier, one_click_unsubscribe_url, scheduled_for, created_at)
  select id, service_id, template_id, template_version, notification_type, key_type, api_key_id,
    created_by_id, status, client_reference, recipient, normalised_recipient, personalisation, reply_to_text, postage,
    international, rate_multiplier, one_click_unsubscribe_url, scheduled_for, created_at
  from accepted
), queued as (
  insert into delivery_queue (notification_id, service_id, notification_type, lane, due_at)
  select id, service_id, notification_type, lane, due_at from accepted where lane is not null
)
insert into daily_status_counts as counts
  (london_day, service_id, template_id, notification_type, key_type, status, count)
select (created_at at time zone 'Europe/London')::date, service_id, template_id, notification_type, key_type, status, count(*)
from accepted
group by 1, 2, 3, 4, 5, 6
order by 2, 1, 4, 5, 6, 3
on conflict (service_id, london_day, notification_type, key_type, status, template_id)
do update set count = counts.count + excluded.count, folded = false`;

export async function insertNotifications(tx: Tx, notifications: NewNotification[]): Promise<void> {
  await tx.executeQuery(CompiledQuery.raw(insertText, [JSON.stringify(notifications)]));
}
