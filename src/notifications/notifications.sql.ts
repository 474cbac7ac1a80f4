import { CompiledQuery } from 'kysely';
import type pg from 'pg';
import type { Tx } from '../platform/db/database.ts';
import type { NewNotification } from './notification.ts';

/** A notification with the limits it counts towards; null where it counts towards none. */
export interface LimitedNotification extends NewNotification {
  daily_limit: number | null;
  international_limit: number | null;
}

export type LimitedChannel = 'sms' | 'email' | 'letter' | 'international_sms';

export interface StoredOutcome {
  /** Ids that a limit kept out, with the channel whose limit it was. */
  refused: Record<string, LimitedChannel> | null;
  /** Messages of the day so far, by service and channel. */
  counts: { service_id: string; utc_day: string; channel: LimitedChannel; count: number }[] | null;
}

/** Takes from a day's limit what is left of it, up to what is wanted; the row lock makes that exact at any concurrency. */
const take = `insert into daily_message_counts as c (service_id, utc_day, channel, count, last_limit, last_taken)
  select service_id, utc_day, channel, least(wanted, top), top, least(wanted, top) from`;
const orWhatIsLeft = `order by service_id, utc_day, channel
  on conflict (service_id, utc_day, channel) do update set
    count = c.count + greatest(0, least(excluded.last_taken, excluded.last_limit - c.count)),
    last_limit = excluded.last_limit,
    last_taken = greatest(0, least(excluded.last_taken, excluded.last_limit - c.count))
  returning c.service_id, c.utc_day, c.channel, c.count, c.last_taken`;

const columns = `id, service_id, template_id, template_version, notification_type, key_type, api_key_id, created_by_id,
  status, client_reference, recipient, normalised_recipient, personalisation, reply_to_text, postage, international,
  rate_multiplier, one_click_unsubscribe_url, scheduled_for, created_at`;

/**
 * Notifications, their places in the delivery queue, the day's counters and the statistics, in one statement: one round
 * trip however many there are, and all of it or nothing. Counters are taken in a fixed order (abroad first, then the
 * channel; by key inside each), so that two such statements never wait for each other in a circle.
 */
const storeText = `
with wanted as (
  select n.*, (n.created_at at time zone 'UTC')::date as utc_day
  from rows from (json_to_recordset($1::json) as (
    id uuid, service_id uuid, template_id uuid, template_version int, notification_type text, key_type text,
    api_key_id uuid, created_by_id uuid, status text, client_reference text, recipient text, normalised_recipient text,
    personalisation jsonb, reply_to_text text, postage text, international boolean, rate_multiplier smallint,
    one_click_unsubscribe_url text, scheduled_for timestamptz, created_at timestamptz, lane smallint,
    due_at timestamptz, daily_limit int, international_limit int
  )) with ordinality as n
), abroad as (
  ${take} (
    select service_id, utc_day, 'international_sms' as channel, max(international_limit) as top, count(*)::int as wanted
    from wanted where international_limit is not null group by service_id, utc_day
  ) as day ${orWhatIsLeft}
), remaining as (
  select w.* from (
    select *, row_number() over (partition by service_id, utc_day, international_limit is null order by ordinality) as turn
    from wanted
  ) w
  left join abroad using (service_id, utc_day)
  where w.international_limit is null or w.turn <= abroad.last_taken
), taken as (
  ${take} (
    select service_id, utc_day, notification_type as channel, max(daily_limit) as top, count(*)::int as wanted
    from remaining where daily_limit is not null group by service_id, utc_day, notification_type
  ) as day ${orWhatIsLeft}
), accepted as (
  select r.* from (
    select *, row_number() over (partition by service_id, utc_day, notification_type, daily_limit is null order by ordinality)
      as seat
    from remaining
  ) r
  left join taken on taken.service_id = r.service_id and taken.utc_day = r.utc_day and taken.channel = r.notification_type
  where r.daily_limit is null or r.seat <= taken.last_taken
), stored as (
  insert into notifications (${columns}) select ${columns} from accepted
), queued as (
  insert into delivery_queue (notification_id, service_id, notification_type, lane, due_at)
  select id, service_id, notification_type, lane, due_at from accepted where lane is not null
), counted as (
  insert into daily_status_counts as counts
    (london_day, service_id, template_id, notification_type, key_type, status, count)
  select (created_at at time zone 'Europe/London')::date, service_id, template_id, notification_type, key_type, status,
    count(*)
  from accepted
  group by 1, 2, 3, 4, 5, 6
  order by 2, 1, 4, 5, 6, 3
  on conflict (service_id, london_day, notification_type, key_type, status, template_id)
  do update set count = counts.count + excluded.count, folded = false
)
select
  (select json_object_agg(w.id, case when r.id is null then 'international_sms' else w.notification_type end)
   from wanted w left join remaining r on r.id = w.id left join accepted a on a.id = w.id where a.id is null) as refused,
  (select json_agg(json_build_object('service_id', service_id, 'utc_day', utc_day, 'channel', channel, 'count', count))
   from (select * from abroad union all select * from taken) as day) as counts`;

/** A notification in the form in which the statement takes it. */
export function rowOf(notification: LimitedNotification): string {
  return JSON.stringify(notification);
}

/** With limits, in a transaction of the caller's. */
export async function storeNotifications(tx: Tx, rows: string[]): Promise<StoredOutcome> {
  const result = await tx.executeQuery<StoredOutcome>(CompiledQuery.raw(storeText, [`[${rows.join()}]`]));
  return outcomeOf(result.rows[0]);
}

/** With limits, as a transaction of its own; prepared once per connection, because planning it takes longer than running. */
export async function storeNotificationsAlone(pool: pg.Pool, rows: string[]): Promise<StoredOutcome> {
  const query = { name: 'store-notifications', text: storeText, values: [`[${rows.join()}]`] };
  const result = await pool.query<StoredOutcome>(query);
  return outcomeOf(result.rows[0]);
}

/** Without limits. */
export async function insertNotifications(tx: Tx, notifications: NewNotification[]): Promise<void> {
  const unlimited = { daily_limit: null, international_limit: null };
  await storeNotifications(
    tx,
    notifications.map((notification) => rowOf({ ...notification, ...unlimited })),
  );
}

function outcomeOf(row: StoredOutcome | undefined): StoredOutcome {
  return row ?? { refused: null, counts: null };
}
