import { CompiledQuery, sql } from 'kysely';
import type pg from 'pg';
import type { Tx } from '../../platform/db/database.ts';
import type { NewNotification } from '../notification.ts';
import { newsChannel, writeNews } from '../queue/queue-news.ts';

export type LimitedChannel = 'sms' | 'email' | 'letter' | 'international_sms';

/** How much of a day's limit the messages of one statement want. */
export interface LimitShare {
  service_id: string;
  utc_day: string;
  channel: LimitedChannel;
  /** For text messages those at home; those abroad come on top, as many as their own limit lets through. */
  wanted: number;
  top: number;
}

/** How much of it they got, and how much of the day's limit is used now. */
export interface TakenShare {
  service_id: string;
  utc_day: string;
  channel: LimitedChannel;
  last_taken: number;
  count: number;
}

/** A message with its number among those that count towards the same limit; without one it is not limited. */
export interface NumberedRow {
  row: NotificationRow;
  place?: number;
  place_abroad?: number;
}

/** A notification in the form in which the statement takes it. Made ahead, one by one: a commit then only joins them. */
export type NotificationRow = string & { readonly kind: 'notification row' };

/** What is null or usual is left out: reading the rows is a quarter of the statement's work. */
export function rowOf(notification: NewNotification): NotificationRow {
  const { created_at, due_at, lane, rate_multiplier } = notification;
  // Written piece by piece: JSON.stringify of the whole took half as long again. Our own ids and words need no escapes.
  return (`{"id":"${notification.id}","service_id":"${notification.service_id}","template_id":"${notification.template_id}",` +
    `"template_version":${notification.template_version},"notification_type":"${notification.notification_type}",` +
    `"key_type":"${notification.key_type}","status":"${notification.status}","created_at":"${created_at}",` +
    `"recipient":${JSON.stringify(notification.recipient)},` +
    `"personalisation":${JSON.stringify(notification.personalisation)}` +
    (notification.api_key_id === null ? '' : `,"api_key_id":"${notification.api_key_id}"`) +
    text('created_by_id', notification.created_by_id) +
    text('client_reference', notification.client_reference) +
    text('normalised_recipient', notification.normalised_recipient) +
    text('reply_to_text', notification.reply_to_text) +
    text('postage', notification.postage) +
    (notification.international ? ',"international":true' : '') +
    (rate_multiplier === 1 ? '' : `,"rate_multiplier":${rate_multiplier}`) +
    text('one_click_unsubscribe_url', notification.one_click_unsubscribe_url) +
    text('scheduled_for', notification.scheduled_for) +
    (lane === null ? '' : `,"lane":${lane}`) +
    (due_at === created_at ? '' : text('due_at', due_at)) +
    '}') as NotificationRow;
}

function text(name: string, value: string | null): string {
  return value === null ? '' : `,"${name}":${JSON.stringify(value)}`;
}

/** Takes from a day's limit what is left of it, up to what is wanted; the row lock makes that exact at any concurrency. */
const take = `insert into daily_message_counts as c (service_id, utc_day, channel, count, last_limit, last_taken)
  select service_id, utc_day, channel, least(wanted, top), top, least(wanted, top) from`;
const orWhatIsLeft = `order by service_id, utc_day, channel
  on conflict (service_id, utc_day, channel) do update set
    count = c.count + greatest(0, least(excluded.last_taken, excluded.last_limit - c.count)),
    last_limit = excluded.last_limit,
    last_taken = greatest(0, least(excluded.last_taken, excluded.last_limit - c.count))
  returning c.service_id, c.utc_day, c.channel, c.last_taken, c.count`;

/**
 * Notifications, their places in the delivery queue, the day's counters and the statistics, in one statement: one round
 * trip however many there are, and all of it or nothing. Counters are taken in a fixed order (abroad first, then the
 * channel; by key inside each), so that two such statements never wait for each other in a circle.
 */
const storeText = `/* prepared: store-notifications */
with wanted as (
  select *, (created_at at time zone 'UTC')::date as utc_day
  from json_to_recordset($1::json) as n (
    id uuid, service_id uuid, template_id uuid, template_version int, notification_type text, key_type text,
    api_key_id uuid, created_by_id uuid, status text, client_reference text, recipient text, normalised_recipient text,
    personalisation jsonb, reply_to_text text, postage text, international boolean, rate_multiplier smallint,
    one_click_unsubscribe_url text, scheduled_for timestamptz, created_at timestamptz, lane smallint,
    due_at timestamptz, place int, place_abroad int
  )
), shares as (
  select * from json_to_recordset($2::json) as s (service_id uuid, utc_day date, channel text, wanted int, top int)
), abroad as (
  ${take} shares where channel = 'international_sms' ${orWhatIsLeft}
), taken as (
  ${take} (
    select s.service_id, s.utc_day, s.channel, s.top,
      s.wanted + case when s.channel = 'sms' then coalesce(abroad.last_taken, 0) else 0 end as wanted
    from shares s left join abroad using (service_id, utc_day)
    where s.channel <> 'international_sms'
  ) as day ${orWhatIsLeft}
), accepted as (
  select w.* from wanted w
  left join taken on taken.service_id = w.service_id and taken.utc_day = w.utc_day and taken.channel = w.notification_type
  left join abroad on abroad.service_id = w.service_id and abroad.utc_day = w.utc_day
  where (w.place is null or w.place <= taken.last_taken)
    and (w.place_abroad is null or w.place_abroad <= abroad.last_taken)
), stored as (
  insert into notifications (id, service_id, template_id, template_version, notification_type, key_type, api_key_id,
    created_by_id, status, client_reference, recipient, normalised_recipient, personalisation, reply_to_text, postage,
    international, rate_multiplier, one_click_unsubscribe_url, scheduled_for, created_at)
  select id, service_id, template_id, template_version, notification_type, key_type, api_key_id, created_by_id, status,
    client_reference, recipient, normalised_recipient, personalisation, reply_to_text, postage,
    coalesce(international, false), coalesce(rate_multiplier, 1), one_click_unsubscribe_url, scheduled_for, created_at
  from accepted
), queued as (
  insert into delivery_queue (notification_id, service_id, notification_type, lane, due_at)
  select id, service_id, notification_type, lane, coalesce(due_at, created_at) from accepted where lane is not null
), counted as (
  insert into status_count_changes
    (london_day, service_id, template_id, notification_type, key_type, status, change)
  select (created_at at time zone 'Europe/London')::date, service_id, template_id, notification_type, key_type, status,
    count(*)
  from accepted
  group by 1, 2, 3, 4, 5, 6
)
select * from abroad union all select * from taken`;

/** As part of the caller's transaction. */
export async function storeNotifications(tx: Tx, rows: NumberedRow[], shares: LimitShare[]): Promise<TakenShare[]> {
  return (await tx.executeQuery<TakenShare>(CompiledQuery.raw(storeText, valuesOf(rows, shares)))).rows;
}

/** As a transaction of its own, past the query builder: it runs a hundred times a second. */
export async function storeNotificationsAlone(
  pool: pg.Pool,
  rows: NumberedRow[],
  shares: LimitShare[],
): Promise<TakenShare[]> {
  return (await pool.query<TakenShare>({ text: storeText, values: valuesOf(rows, shares) })).rows;
}

/** Without limits; for few messages: workers are told by the same commit. */
export async function insertNotifications(tx: Tx, notifications: NewNotification[]): Promise<void> {
  await storeNotifications(
    tx,
    notifications.map((notification) => ({ row: rowOf(notification) })),
    [],
  );
  for (const type of ['sms', 'email'] as const) {
    const waiting = notifications.flatMap(({ notification_type, lane, service_id }) =>
      notification_type === type && lane !== null ? [{ lane, service_id }] : [],
    );
    if (waiting.length > 0) await sql`select pg_notify(${newsChannel(type)}, ${writeNews(waiting)})`.execute(tx);
  }
}

function valuesOf(rows: NumberedRow[], shares: LimitShare[]): [string, string] {
  return [`[${rows.map(withNumber).join()}]`, JSON.stringify(shares)];
}

function withNumber({ row, place, place_abroad }: NumberedRow): string {
  if (place === undefined) return row;
  const abroad = place_abroad === undefined ? '' : `,"place_abroad":${place_abroad}`;
  return `${row.slice(0, -1)},"place":${place}${abroad}}`;
}

/** After it was stored: few messages have files, and the statement above is for all. */
export async function recordDocumentCount(tx: Tx, id: string, document_download_count: number): Promise<void> {
  await tx.updateTable('notifications').set({ document_download_count }).where('id', '=', id).execute();
}
