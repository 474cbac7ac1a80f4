import { CompiledQuery, sql } from 'kysely';
import type pg from 'pg';
import type { Tx } from '../../platform/db/database.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { NewNotification } from '../notification.ts';
import { newsChannel, writeNews } from '../queue/queue-news.ts';

export type LimitedChannel = Channel | 'international_sms';

/** How much of a daily limit the messages of one statement request. */
export interface QuotaRequest {
  service_id: string;
  utc_day: string;
  channel: LimitedChannel;
  /** For text messages only domestic ones; the statement adds those abroad that pass the international limit. */
  requested: number;
  daily_limit: number;
}

/** How much of it they got (`last_taken`), and how much of the daily limit is used (`count`). */
export interface ClaimedQuota {
  service_id: string;
  utc_day: string;
  channel: LimitedChannel;
  last_taken: number;
  count: number;
}

/** A message with its sequence number within each limit; without a number it is not limited. */
export interface NumberedRow {
  row: NotificationRow;
  sequence?: number;
  international_sequence?: number;
}

/** A notification serialized for the statement, ahead of time, so that a commit only joins the rows. */
export type NotificationRow = string & { readonly kind: 'notification row' };

/** Omits nulls and defaults: parsing the rows is a quarter of the statement's work. */
export function rowOf(notification: NewNotification): NotificationRow {
  const { created_at, due_at, lane, rate_multiplier } = notification;
  // Built by hand: JSON.stringify of the whole object takes 1.5 times as long. Ids and enums need no escaping.
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
    (notification.job_id === undefined
      ? ''
      : `,"job_id":"${notification.job_id}","job_row_number":${notification.job_row_number}`) +
    '}') as NotificationRow;
}

function text(name: string, value: string | null): string {
  return value === null ? '' : `,"${name}":${JSON.stringify(value)}`;
}

// As JSON.stringify escapes them; after an odd number of further backslashes the same characters are plain text.
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

/** PostgreSQL rejects NUL and lone surrogates, which would fail the whole statement. */
export function isStorable(row: NotificationRow): boolean {
  return !(row.includes('\\u') && unstorable.test(row));
}

/** Claims what remains of a daily limit, up to `requested`. The row lock makes this exact under concurrency. */
const claimQuota = `insert into daily_message_counts as c (service_id, utc_day, channel, count, last_limit, last_taken)
  select service_id, utc_day, channel, least(requested, daily_limit), daily_limit, least(requested, daily_limit) from`;
const upToRemaining = `order by service_id, utc_day, channel
  on conflict (service_id, utc_day, channel) do update set
    count = c.count + greatest(0, least(excluded.last_taken, excluded.last_limit - c.count)),
    last_limit = excluded.last_limit,
    last_taken = greatest(0, least(excluded.last_taken, excluded.last_limit - c.count))
  returning c.service_id, c.utc_day, c.channel, c.last_taken, c.count`;

/**
 * Stores notifications, queue entries, daily counters and statistics atomically in one statement and one round trip.
 * Locks counters in a fixed order (international first, then the channel; by key within each), so that two such statements
 * never deadlock.
 */
const storeStatement = `/* prepared: store-notifications */
with candidates as (
  select *, (created_at at time zone 'UTC')::date as utc_day
  from json_to_recordset($1::json) as n (
    id uuid, service_id uuid, template_id uuid, template_version int, notification_type text, key_type text,
    api_key_id uuid, created_by_id uuid, status text, client_reference text, recipient text, normalised_recipient text,
    personalisation jsonb, reply_to_text text, postage text, international boolean, rate_multiplier smallint,
    one_click_unsubscribe_url text, scheduled_for timestamptz, created_at timestamptz, lane smallint,
    due_at timestamptz, job_id uuid, job_row_number int, sequence int, international_sequence int
  )
), quotas as (
  select * from json_to_recordset($2::json) as s (service_id uuid, utc_day date, channel text, requested int, daily_limit int)
), abroad as (
  ${claimQuota} quotas where channel = 'international_sms' ${upToRemaining}
), claimed as (
  ${claimQuota} (
    select s.service_id, s.utc_day, s.channel, s.daily_limit,
      s.requested + case when s.channel = 'sms' then coalesce(abroad.last_taken, 0) else 0 end as requested
    from quotas s left join abroad using (service_id, utc_day)
    where s.channel <> 'international_sms'
  ) as day ${upToRemaining}
), accepted as (
  select candidate.* from candidates candidate
  left join claimed on claimed.service_id = candidate.service_id and claimed.utc_day = candidate.utc_day and claimed.channel = candidate.notification_type
  left join abroad on abroad.service_id = candidate.service_id and abroad.utc_day = candidate.utc_day
  where (candidate.sequence is null or candidate.sequence <= claimed.last_taken)
    and (candidate.international_sequence is null or candidate.international_sequence <= abroad.last_taken)
), stored as (
  insert into notifications (id, service_id, template_id, template_version, notification_type, key_type, api_key_id,
    created_by_id, status, client_reference, recipient, normalised_recipient, personalisation, reply_to_text, postage,
    international, rate_multiplier, one_click_unsubscribe_url, scheduled_for, created_at, job_id,
    job_row_number)
  select id, service_id, template_id, template_version, notification_type, key_type, api_key_id, created_by_id, status,
    client_reference, recipient, normalised_recipient, personalisation, reply_to_text, postage,
    coalesce(international, false), coalesce(rate_multiplier, 1), one_click_unsubscribe_url, scheduled_for, created_at,
    job_id, job_row_number
  from accepted
), queued as (
  insert into delivery_queue (notification_id, service_id, notification_type, lane, due_at)
  select id, service_id, notification_type, lane, coalesce(due_at, created_at) from accepted where lane is not null
), counted as (
  insert into status_count_changes
    (london_day, service_id, template_id, notification_type, key_type, status, job_id, change)
  select (created_at at time zone 'Europe/London')::date, service_id, template_id, notification_type, key_type, status,
    job_id, count(*)
  from accepted
  group by 1, 2, 3, 4, 5, 6, 7
)
select * from abroad union all select * from claimed`;

/** Runs in the caller's transaction. */
export async function storeNotifications(tx: Tx, rows: NumberedRow[], quotas: QuotaRequest[]): Promise<ClaimedQuota[]> {
  return (await tx.executeQuery<ClaimedQuota>(CompiledQuery.raw(storeStatement, valuesOf(rows, quotas)))).rows;
}

/** Runs in its own transaction, without the query builder, because it runs a hundred times a second. */
export async function storeNotificationsAlone(
  pool: pg.Pool,
  rows: NumberedRow[],
  quotas: QuotaRequest[],
): Promise<ClaimedQuota[]> {
  return (await pool.query<ClaimedQuota>({ text: storeStatement, values: valuesOf(rows, quotas) })).rows;
}

/** For a few messages, without limits. The same commit notifies the workers. */
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

function valuesOf(rows: NumberedRow[], quotas: QuotaRequest[]): [string, string] {
  return [`[${rows.map(withNumber).join()}]`, JSON.stringify(quotas)];
}

function withNumber({ row, sequence, international_sequence }: NumberedRow): string {
  if (sequence === undefined) return row;
  const abroad = international_sequence === undefined ? '' : `,"international_sequence":${international_sequence}`;
  return `${row.slice(0, -1)},"sequence":${sequence}${abroad}}`;
}

/** A separate statement, because few messages have files. */
export async function recordDocumentCount(tx: Tx, id: string, document_download_count: number): Promise<void> {
  await tx.updateTable('notifications').set({ document_download_count }).where('id', '=', id).execute();
}
