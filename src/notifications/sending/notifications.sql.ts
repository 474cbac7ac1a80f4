import { CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import type { Country } from '../../countries/country.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { localDayText, oncePer } from '../../platform/db/local-day.ts';
import { RowWriter } from '../../platform/db/row-writer.ts';
import { nilId } from '../../platform/id.ts';
import type { EncryptedValue, ReplacedValue } from '../../platform/secrets/encrypted-values.ts';
import type { LimitedChannel, NewNotification } from '../notification.ts';
import { type NotificationRow, rowOf } from '../notification-row.ts';
import { formatAnnouncement, queueChannel } from '../queue/queue-announcer.ts';
import { claimKeys, type KeysToClaim, waitsUpTo } from './idempotency.sql.ts';

/** How much of a daily limit the messages of one statement request. */
export interface QuotaRequest {
  service_id: string;
  utc_day: string;
  channel: LimitedChannel;
  /** For text messages, only domestic ones: the statement adds the international ones that pass the international limit. */
  requested: number;
  daily_limit: number;
}

/** An exhausted daily limit: how much the messages got (`last_taken`), and how much is used in total (`count`). */
export interface ExhaustedQuota {
  service_id: string;
  utc_day: string;
  channel: LimitedChannel;
  last_taken: number;
  count: number;
}

/** Claims what remains of a daily limit, up to `requested`. The row lock makes this exact under concurrency. */
const claimQuota = `insert into daily_message_counts as c (service_id, utc_day, channel, count, last_limit, last_taken)
  select service_id, utc_day, channel, least(requested, daily_limit), daily_limit, least(requested, daily_limit) from`;
const upToRemaining = `order by service_id, utc_day, channel
  on conflict (service_id, utc_day, channel) do update set
    count = c.count + greatest(0, least(excluded.last_taken, excluded.last_limit - c.count)),
    last_limit = excluded.last_limit,
    last_taken = greatest(0, least(excluded.last_taken, excluded.last_limit - c.count))
  returning c.service_id, c.utc_day, c.channel, c.last_taken, c.count, c.last_limit`;

/** International texts count towards both limits: those that pass the international one also claim from the channel's. */
const international = {
  claims: `abroad as (
  ${claimQuota} quotas where channel = 'international_sms' ${upToRemaining}
), claimed as (
  ${claimQuota} (
    select s.service_id, s.utc_day, s.channel, s.daily_limit,
      s.requested + case when s.channel = 'sms' then coalesce(abroad.last_taken, 0) else 0 end as requested
    from quotas s left join abroad using (service_id, utc_day)
    where s.channel <> 'international_sms'
  ) as day ${upToRemaining}
)`,
  join: 'left join abroad on abroad.service_id = candidate.service_id and abroad.utc_day = candidate.utc_day',
  isWithin: 'and (candidate.international_sequence = 0 or candidate.international_sequence <= abroad.last_taken)',
  all: '(select * from abroad union all select * from claimed) as claimed',
};

/** Few commits have international messages. Without them, a commit of thirty messages costs a twentieth less. */
const domestic = {
  claims: `claimed as (
  ${claimQuota} quotas ${upToRemaining}
)`,
  join: '',
  isWithin: '',
  all: 'claimed',
};

/** Selects only exhausted limits: for all others, the messages got what they requested. */
const exhausted = (quotas: typeof domestic) =>
  `select service_id, utc_day, channel, last_taken, count from ${quotas.all} where count >= last_limit`;

interface StatementParts {
  /** Runs before the counters are locked. */
  first?: string;
  afterFirst?: string;
  alsoStored?: string;
  result?: string;
}

/**
 * Stores notifications, queue entries, daily counters and statistics atomically in one statement and one round trip. Locks counters in a
 * fixed order (international first, then the channel; by key within each), so that two such statements cannot deadlock.
 */
const storeStatement = (
  name: string,
  { calendar, limitCalendar }: Country,
  quotas: typeof domestic,
  { first = '', afterFirst = '', alsoStored = '', result = exhausted(quotas) }: StatementParts = {},
) => `/* prepared: ${name} */
with ${waitsUpTo('$3')}, candidates as (
  select *, ${localDayText(limitCalendar, 'created_at')} as utc_day from unnest($1::notification_to_store[])
), ${first}quotas as (
  select quota.* from unnest($2::quota_request[]) as quota cross join waits ${afterFirst}
), ${quotas.claims}, accepted as (
  select candidate.* from candidates candidate
  left join claimed on claimed.service_id = candidate.service_id and claimed.utc_day = candidate.utc_day and claimed.channel = candidate.notification_type
  ${quotas.join}
  where (candidate.sequence = 0 or candidate.sequence <= claimed.last_taken) ${quotas.isWithin}
), stored as (
  insert into notifications (id, service_id, template_id, template_version, notification_type, key_type, api_key_id,
    created_by_id, status, client_reference, recipient, normalised_recipient, personalisation, reply_to_text, postage,
    international, rate_multiplier, one_click_unsubscribe_url, scheduled_for, created_at, job_id,
    job_row_number, language)
  select id, service_id, template_id, template_version, notification_type, key_type, api_key_id, created_by_id, status,
    client_reference, recipient, normalised_recipient, personalisation, reply_to_text, postage,
    international, rate_multiplier, one_click_unsubscribe_url, scheduled_for, created_at, job_id, job_row_number,
    language
  from accepted
), queued as (
  insert into delivery_queue (notification_id, service_id, notification_type, lane, due_at)
  select id, service_id, notification_type, lane, coalesce(due_at, created_at) from accepted where lane is not null
), counted as (
  insert into status_count_changes
    (london_day, service_id, template_id, notification_type, key_type, status, job_id, change)
  select ${localDayText(calendar, 'created_at')}, service_id, template_id, notification_type, key_type, status,
    job_id, count(*)
  from accepted
  group by 1, 2, 3, 4, 5, 6, 7
)${alsoStored}
${result}`;

/** Few requests are traced, so this part is omitted for others. */
const traces = `, traced as (
  insert into message_traces (notification_id, traceparent)
  select accepted.id, trace.traceparent
  from json_to_recordset($4::json) as trace (notification_id uuid, traceparent text)
  join accepted on accepted.id = trace.notification_id
)`;
const withTraces = { alsoStored: traces };

/**
 * Also claims idempotency keys, before the counters, in the same order as transactions of several statements. Stores all messages or none:
 * keys of messages that a limit rejects must stay free, and a message whose key is taken must not count. One statement, so that a frozen
 * process leaves no open transaction.
 */
const withKeys: StatementParts = {
  first: `keys as (${claimKeys('$5', '$6')}
), `,
  afterFirst: 'where (select count(*) from keys) >= 0',
  alsoStored: traces,
  result: `select exhausted.* from (
  select require_complete((select count(*) from keys) = json_array_length($5::json)
    and (select count(*) from accepted) = (select count(*) from candidates)) as is_complete
) as checked left join (${exhausted(international)}) as exhausted on checked.is_complete`,
};

const statementsOf = oncePer((country: Country) => ({
  domestic: storeStatement('store-notifications', country, domestic),
  international: storeStatement('store-international-notifications', country, international),
  tracedDomestic: storeStatement('store-traced-notifications', country, domestic, withTraces),
  tracedInternational: storeStatement('store-traced-international-notifications', country, international, withTraces),
  keyed: storeStatement('store-keyed-notifications', country, international, withKeys),
}));

/** Whether a key was taken or a limit reached, so that nothing was stored. */
export function isOnlyPart(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === 'PPALL';
}

/** The trace of the request that a message came with. */
export interface MessageTrace {
  notification_id: string;
  traceparent: string;
}

const sharedWriter = new RowWriter();

export interface NotificationsToStore {
  rows: NotificationRow[];
  quotas: QuotaRequest[];
  traces: MessageTrace[];
  /** How long to wait for a counter that another transaction has locked. */
  lockTimeout_ms: number;
}

/** Runs in the caller's transaction. */
export async function storeNotifications(
  country: Country,
  tx: Tx,
  toStore: NotificationsToStore,
): Promise<ExhaustedQuota[]> {
  const { text, values } = statementFor(country, toStore);
  return (await tx.executeQuery<ExhaustedQuota>(CompiledQuery.raw(text, values))).rows;
}

/** Applies no limits, so it does not wait for locks. */
export async function storeUnlimited(
  country: Country,
  tx: Tx,
  rows: NotificationRow[],
  writer = sharedWriter,
): Promise<void> {
  const { text, values } = statementFor(country, { rows, quotas: [], traces: [], lockTimeout_ms: 0 }, writer);
  await tx.executeQuery(CompiledQuery.raw(text, values));
}

/** Runs in its own transaction, without the query builder, because it runs a hundred times a second. */
export async function storeNotificationsAlone(
  country: Country,
  pool: pg.Pool,
  toStore: NotificationsToStore,
): Promise<ExhaustedQuota[]> {
  return (await pool.query<ExhaustedQuota>(statementFor(country, toStore))).rows;
}

/** Stores all messages with their keys, or none: see `isOnlyPart`. */
export async function storeWithKeys(
  country: Country,
  pool: pg.Pool,
  toStore: NotificationsToStore,
  { rows, freeBefore }: Omit<KeysToClaim, 'lockTimeout_ms'>,
): Promise<ExhaustedQuota[]> {
  const values = [...valuesOf(toStore), JSON.stringify(toStore.traces), JSON.stringify(rows), freeBefore];
  const exhausted = await pool.query<ExhaustedQuota | { service_id: null }>({
    text: statementsOf(country).keyed,
    values,
  });
  return exhausted.rows.filter((quota) => quota.service_id !== null);
}

/** For a few messages without limits. The same commit notifies the workers. */
export async function insertNotifications(country: Country, tx: Tx, notifications: NewNotification[]): Promise<void> {
  await storeUnlimited(
    country,
    tx,
    notifications.map((notification) => {
      const row = rowOf(notification);
      if (!row) throw new Error('A notification with text that cannot be stored');
      return row;
    }),
  );
  for (const type of ['sms', 'email'] as const) {
    const waiting = notifications.flatMap(({ notification_type, lane, service_id }) =>
      notification_type === type && lane !== null ? [{ lane, service_id }] : [],
    );
    if (waiting.length > 0)
      await sql`select pg_notify(${queueChannel(type)}, ${formatAnnouncement(waiting)})`.execute(tx);
  }
}

function valuesOf({ rows, quotas, lockTimeout_ms }: NotificationsToStore, writer = sharedWriter): unknown[] {
  const rowsOfQuotas = quotas.map((quota) => rowOfQuota(quota, writer));
  return [writer.array(rows), writer.array(rowsOfQuotas), `${lockTimeout_ms}ms`];
}

function statementFor(country: Country, toStore: NotificationsToStore, writer = sharedWriter) {
  const { quotas, traces } = toStore;
  const hasAbroad = quotas.some(({ channel }) => channel === 'international_sms');
  const values = valuesOf(toStore, writer);
  const { domestic, international, tracedDomestic, tracedInternational } = statementsOf(country);
  if (traces.length === 0) return { text: hasAbroad ? international : domestic, values };
  const text = hasAbroad ? tracedInternational : tracedDomestic;
  return { text, values: [...values, JSON.stringify(traces)] };
}

/** Writes the columns of the type quota_request. */
function rowOfQuota({ service_id, utc_day, channel, requested, daily_limit }: QuotaRequest, writer: RowWriter): Buffer {
  writer.begin(5);
  writer.uuid(service_id);
  writer.date(utc_day);
  writer.text(channel);
  writer.int4(requested);
  writer.int4(daily_limit);
  return writer.end();
}

/** A separate statement, because few messages have files. */
export async function recordDocumentCount(tx: Tx, id: string, document_download_count: number): Promise<void> {
  await tx.updateTable('notifications').set({ document_download_count }).where('id', '=', id).execute();
}

/** A separate statement, because few messages have secret values. */
export async function updateSecretValues(tx: Tx, id: string, encrypted: string): Promise<void> {
  await tx.updateTable('notifications').set({ secret_personalisation: encrypted }).where('id', '=', id).execute();
}

export async function clearValues(db: Db, ids: string[]): Promise<void> {
  await sql`
    update notifications set personalisation = '{}', secret_personalisation = null
    where id = any (${ids}::uuid[])`.execute(db);
}

/** Messages with encrypted values are rare, so each batch scans more rows than usual. */
const rowsPerValue = 10;

export async function selectSecretValues(db: Db, after = nilId, limit: number) {
  const { rows } = await sql<EncryptedValue>`
    select id, id as place, secret_personalisation as text from notifications
    where id > ${after} order by id limit ${limit * rowsPerValue}`.execute(db);
  return { values: rows.filter(({ text }) => text !== null), last: rows.at(-1)?.id };
}

export async function replaceSecretValues(db: Db, values: ReplacedValue[]): Promise<void> {
  await sql`
    update notifications n set secret_personalisation = v.after
    from json_to_recordset(${JSON.stringify(values)}::json) as v (id uuid, before text, after text)
    where n.id = v.id and n.id = any (${values.map(({ id }) => id)}::uuid[]) and n.secret_personalisation = v.before
  `.execute(db);
}
