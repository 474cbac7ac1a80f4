import { type RawBuilder, sql } from 'kysely';
import { type Timestamp, timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { firstIdAt, nilId } from '../../platform/id.ts';
import type { EncryptedValue, ReplacedValue } from '../../platform/secrets/encrypted-values.ts';
import type { CallbackType } from '../../services/settings/callback-api.ts';

/** The URL that a service configured for this type of callback. */
interface CallbackTarget {
  service_id: string;
  url: string;
  encrypted_bearer_token: string;
}

export function selectTargets(tx: Db | Tx, type: CallbackType, serviceIds: string[]): Promise<CallbackTarget[]> {
  return tx
    .selectFrom('service_callback_api')
    .select(['service_id', 'url', 'encrypted_bearer_token'])
    .where('callback_type', '=', type)
    .where('service_id', 'in', serviceIds)
    .execute();
}

interface NewCallback extends CallbackTarget {
  id: string;
  callback_type: CallbackType;
  subject_id: string;
  body: string;
  due_at: Timestamp;
  created_at: Timestamp;
}

export async function insertCallbacks(tx: Tx, rows: NewCallback[]): Promise<void> {
  await sql`
    insert into service_callbacks
      (id, service_id, callback_type, subject_id, url, encrypted_bearer_token, body, due_at, created_at)
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as c (id uuid, service_id uuid, callback_type text,
      subject_id uuid, url text, encrypted_bearer_token text, body text, due_at timestamptz, created_at timestamptz)
  `.execute(tx);
}

const wireTime = (column: RawBuilder<unknown>) => sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/**
 * A CTE of statements that change statuses: inserts callbacks about text messages and emails that reached a final status.
 * Ids are UUIDv7, as everywhere.
 */
export function announcement(now: Date): RawBuilder<unknown> {
  // The timestamp and the version of the UUID; the rest is random.
  const beginning = firstIdAt(now).replaceAll('-', '').slice(0, 13);
  return sql`announced as (
      insert into service_callbacks
        (id, service_id, callback_type, subject_id, url, encrypted_bearer_token, body, due_at, created_at)
      select (${beginning}::text || substr(replace(gen_random_uuid()::text, '-', ''), 14, 19))::uuid, a.service_id,
        target.callback_type, a.id, target.url, target.encrypted_bearer_token, row_to_json(event)::text,
        ${timestamp(now)}::timestamptz, ${timestamp(now)}::timestamptz
      from after a
      join service_callback_api target on target.service_id = a.service_id and target.callback_type = 'delivery_status'
      cross join lateral (
        select a.id, a.client_reference as reference, a.recipient as "to", a.status,
          ${wireTime(sql`a.created_at`)} as created_at, ${wireTime(sql`a.updated_at`)} as completed_at,
          ${wireTime(sql`a.sent_at`)} as sent_at, a.notification_type, a.template_id, a.template_version
      ) as event
      where a.notification_type <> 'letter' and a.status <> a.previous_status
        and (a.status = 'delivered' or a.status like '%-failure')
    )`;
}

export async function insertFailureCallbacks(db: Db, ids: string[], now: Date): Promise<void> {
  await sql`
    with after as (
      select n.*, 'created' as previous_status from notifications n
      where n.id = any (${ids}::uuid[]) and not exists (
        select from service_callbacks c where c.subject_id = n.id and c.callback_type = 'delivery_status')
    ), ${announcement(now)}
    select 1`.execute(db);
}

/**
 * The next services with waiting callbacks, in id order after `after`, and whether any are due. A loose index scan: the long
 * queue of one service costs the others nothing.
 */
export async function selectWaitingServices(
  db: Db,
  { after, max, now }: { after: string; max: number; now: Timestamp },
): Promise<{ service_id: string; due: boolean }[]> {
  const next = (after: ReturnType<typeof sql>) => sql`(
    select service_id from service_callbacks where status = 'waiting' and service_id > ${after}
    order by service_id limit 1)`;
  const { rows } = await sql<{ service_id: string; due: boolean }>`/* prepared: callback-services */
    with recursive found (service_id, place) as (
      select ${next(sql`${after}::uuid`)}, 1
      union all
      select ${next(sql`found.service_id`)}, place + 1 from found where service_id is not null and place < ${max}
    )
    select service_id, exists (select 1 from service_callbacks c
      where c.status = 'waiting' and c.service_id = found.service_id and c.due_at <= ${now}) as due
    from found where service_id is not null order by place`.execute(db);
  return rows;
}

export interface DueCallback extends CallbackTarget {
  id: string;
  callback_type: CallbackType;
  subject_id: string;
  body: string;
  attempts: number;
  created_at: Timestamp;
  /** The current secret of the service. */
  encrypted_signing_secret: string | null;
}

/** Leases up to `max` callbacks of each service, oldest first. Other workers skip them until the lease ends. */
export async function leaseCallbacks(
  db: Db,
  wanted: { service_id: string; max: number }[],
  { now, until }: { now: Timestamp; until: Timestamp },
): Promise<DueCallback[]> {
  const { rows } = await sql<DueCallback>`
    with due as (
      select c.id from json_to_recordset(${JSON.stringify(wanted)}::json) as wanted (service_id uuid, max int)
      cross join lateral (
        select id from service_callbacks
        where status = 'waiting' and service_id = wanted.service_id and due_at <= ${now}
        order by due_at limit wanted.max
        for update skip locked
      ) as c
    )
    update service_callbacks c set due_at = ${until}, attempts = c.attempts + 1
    from due where c.id = due.id
    returning c.id, c.service_id, c.callback_type, c.subject_id, c.url, c.encrypted_bearer_token, c.body, c.attempts, c.created_at, (
      select s.encrypted_secret from service_callback_api a join service_callback_signing_secrets s on s.callback_id = a.id
      where a.service_id = c.service_id and a.callback_type = c.callback_type
    ) as encrypted_signing_secret
  `.execute(db);
  return rows;
}

/** After the clock was set back: keeps the delay of callbacks created in what is now the future. */
export async function rescheduleFutureCallbacks(db: Db, now: Timestamp): Promise<void> {
  await sql`
    update service_callbacks set due_at = least(due_at, ${now}::timestamptz + (due_at - created_at))
    where status = 'waiting' and created_at > ${now}`.execute(db);
}

export interface CallbackOutcome {
  id: string;
  status: 'waiting' | 'delivered' | 'failed';
  due_at: Timestamp;
  completed_at: Timestamp | null;
  entry: { at: Timestamp; status_code: number | null; error: string | null; duration_ms: number };
}

export async function updateCallbacks(tx: Tx, outcomes: CallbackOutcome[]): Promise<void> {
  await sql`
    update service_callbacks c
    set status = o.status, due_at = o.due_at, completed_at = o.completed_at, attempt_log = c.attempt_log || o.entry
    from json_to_recordset(${JSON.stringify(outcomes)}::json)
      as o (id uuid, status text, due_at timestamptz, completed_at timestamptz, entry jsonb)
    where c.id = o.id`.execute(tx);
}

const listed = [
  'id',
  'callback_type',
  'subject_id',
  'url',
  'status',
  'attempts',
  'attempt_log',
  'due_at',
  'created_at',
  'completed_at',
] as const;

export function selectCallbacks(
  db: Db,
  serviceId: string,
  page: { size: number; status?: 'waiting' | 'delivered' | 'failed'; older_than?: string },
) {
  return db
    .selectFrom('service_callbacks')
    .select(listed)
    .where('service_id', '=', serviceId)
    .$if(page.status !== undefined, (query) => query.where('status', '=', page.status ?? 'failed'))
    .$if(page.older_than !== undefined, (query) => query.where('id', '<', page.older_than ?? ''))
    .orderBy('id', 'desc')
    .limit(page.size)
    .execute();
}

export type CallbackRow = Awaited<ReturnType<typeof selectCallbacks>>[number];

/** Oldest first. */
export function selectCallbacksAbout(
  db: Db,
  serviceId: string,
  subjectId: string,
  size: number,
): Promise<CallbackRow[]> {
  return db
    .selectFrom('service_callbacks')
    .select(listed)
    .where('subject_id', '=', subjectId)
    .where('service_id', '=', serviceId)
    .orderBy('id')
    .limit(size)
    .execute();
}

/** Counts no further than `max`. */
export async function countFailedCallbacksUpTo(db: Db, serviceId: string, max: number): Promise<number> {
  const { rows } = await sql<{ failed: number }>`
    select count(*)::int as failed from (
      select from service_callbacks where service_id = ${serviceId} and status = 'failed' limit ${max}
    ) as failed`.execute(db);
  return rows[0]?.failed ?? 0;
}

export async function countRetried(db: Db, serviceId: string, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from service_callbacks where service_id = ${serviceId} and status = 'waiting' and attempts > 0
        and attempt_log <> '[]' limit ${max}
    ) as retried`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

interface ReplayedCallbacks {
  service_id: string;
  id?: string;
  callback_type?: CallbackType;
  created_since?: Timestamp;
}

/** Replays to the current URL of the service and keeps the log of earlier attempts. Returns their statuses before. */
export async function replayCallbacks(tx: Tx, which: ReplayedCallbacks, now: Timestamp): Promise<{ status: string }[]> {
  const one = which.id === undefined ? sql`c.status = 'failed'` : sql`c.id = ${which.id} and c.status <> 'waiting'`;
  const ofType = which.callback_type === undefined ? sql`true` : sql`c.callback_type = ${which.callback_type}`;
  const since = which.created_since === undefined ? sql`true` : sql`c.created_at >= ${which.created_since}`;
  const { rows } = await sql<{ status: string }>`
    with before as (
      select c.id, c.status from service_callbacks c
      where c.service_id = ${which.service_id} and ${one} and ${ofType} and ${since}
      order by c.id for update
    )
    update service_callbacks c
    set status = 'waiting', attempts = 0, due_at = ${now}, completed_at = null, url = target.url,
      encrypted_bearer_token = target.encrypted_bearer_token
    from service_callback_api target, before
    where c.id = before.id and target.service_id = c.service_id and target.callback_type = c.callback_type
    returning before.status`.execute(tx);
  return rows;
}

export async function selectCopiedTokens(db: Db, after = nilId, limit: number) {
  const { rows: values } = await sql<EncryptedValue>`
    select id, concat(service_id, ' ', callback_type) as place, encrypted_bearer_token as text
    from service_callbacks where id > ${after} order by id limit ${limit}`.execute(db);
  return { values, last: values.at(-1)?.id };
}

export async function replaceCopiedTokens(db: Db, values: ReplacedValue[]): Promise<void> {
  await sql`
    update service_callbacks c set encrypted_bearer_token = v.after
    from json_to_recordset(${JSON.stringify(values)}::json) as v (id uuid, before text, after text)
    where c.id = v.id and c.encrypted_bearer_token = v.before`.execute(db);
}

/** A batch of callbacks after the id `after`, with the recipients that they are about. */
interface CallbackRecipient {
  id: string;
  service_id: string;
  subject_id: string;
  callback_type: string;
  created_at: string;
  person: string | null;
  is_waiting: boolean;
}

/** Of one service, or of all. */
export async function selectCallbackRecipients(db: Db, serviceId: string | undefined, after: string, size: number) {
  const { rows } = await sql<CallbackRecipient>`
    select id, service_id, subject_id, callback_type, created_at, coalesce(body::json ->> 'to', body::json ->> 'source_number') as person,
      status = 'waiting' as is_waiting
    from service_callbacks
    where id > ${after} and (${serviceId ?? null}::uuid is null or service_id = ${serviceId ?? null}::uuid)
    order by id limit ${size}`.execute(db);
  return rows;
}

export async function deleteCallbacks(db: Db, ids: string[]): Promise<void> {
  await sql`delete from service_callbacks where id = any (${ids}::uuid[])`.execute(db);
}

/** The channel of the message that a callback is about. Callbacks have the same retention as the message. */
const channel = sql`case callback_type when 'complaint' then 'email' when 'returned_letter' then 'letter'
  when 'inbound_sms' then 'sms' else body::json ->> 'notification_type' end`;

interface CallbackRule {
  service_id: string;
  notification_type: string;
  before_id: string;
}

export function selectCallbackRules(
  db: Db,
): Promise<{ service_id: string; notification_type: string; days_of_retention: number }[]> {
  return db
    .selectFrom('service_data_retention')
    .select(['service_id', 'notification_type', 'days_of_retention'])
    .execute();
}

export async function deleteCallbacksOf(db: Db, rule: CallbackRule, max: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from service_callbacks where id in (
      select id from service_callbacks
      where service_id = ${rule.service_id} and id < ${rule.before_id} and status <> 'waiting'
        and ${channel} = ${rule.notification_type}
      order by id limit ${max})`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Deletes one batch, from the oldest. Returns the last id, or undefined at the end. */
export async function deleteCallbacksAfter(
  db: Db,
  after: string,
  beforeId: string,
  kept: CallbackRule[],
  size: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ last: string | null }>`
    with part as (
      select id, service_id, status, ${channel} as notification_type from service_callbacks
      where id > ${after} and id < ${beforeId} order by id limit ${size}
    ), gone as (
      delete from service_callbacks where id in (
        select part.id from part
        left join json_to_recordset(${JSON.stringify(kept)}::json)
          as k (service_id uuid, notification_type text, before_id uuid) using (service_id, notification_type)
        where part.status <> 'waiting' and part.id < coalesce(k.before_id, ${beforeId}))
      returning id
    )
    select max(id::text) as last from part`.execute(db);
  return rows[0]?.last ?? undefined;
}

/** Reads at most 100,000 rows of their index, however many wait. */
export async function selectWaitingCallbacks(
  db: Db,
  now: Timestamp,
): Promise<{ waiting: number; oldest_due_at: Timestamp | null }> {
  const { rows } = await sql<{ waiting: number; oldest_due_at: Timestamp | null }>`
    select count(*) as waiting, min(due_at) filter (where due_at <= ${now}) as oldest_due_at
    from (select due_at from service_callbacks where status = 'waiting' limit 100000) as first_rows`.execute(db);
  return rows[0] ?? { waiting: 0, oldest_due_at: null };
}
