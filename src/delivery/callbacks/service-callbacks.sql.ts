import { type RawBuilder, sql } from 'kysely';
import { type ChangedNotification, statusLabels } from '../../notifications/notification.ts';
import { type Timestamp, timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { anyOf } from '../../platform/db/expressions.ts';
import { leaseEnd, leaseHasEnded } from '../../platform/db/lease.ts';
import { type Cte, Statement } from '../../platform/db/statement.ts';
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
    .where('service_id', '=', anyOf(serviceIds))
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

const labels = sql`${sql.lit(JSON.stringify(statusLabels))}::jsonb`;
const wireTime = (column: RawBuilder<unknown>) => sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

type CallbackColumn =
  | keyof ChangedNotification
  | 'template_id'
  | 'template_version'
  | 'language'
  | 'client_reference'
  | 'recipient'
  | 'updated_at';

/**
 * Adds to a statement that changes statuses: inserts callbacks about text messages and emails that reached a final status. Services whose
 * clients are those of GC Notify also get its status descriptions and the provider's reason for a failure. Ids are UUIDv7.
 */
export function insertFinalStatusCallbacks(
  statement: Statement,
  after: Cte<CallbackColumn>,
  now: Date,
  failures?: Cte<'notification_id' | 'reason'>,
): void {
  const reason = failures
    ? sql`(select f.reason from ${failures} f where f.notification_id = a.id and a.status <> 'delivered')`
    : sql`null::text`;
  // The timestamp and version of the UUIDv7; the rest is random.
  const beginning = firstIdAt(now).replaceAll('-', '').slice(0, 13);
  statement.with(
    'callbacks',
    sql`insert into service_callbacks
        (id, service_id, callback_type, subject_id, url, encrypted_bearer_token, body, due_at, created_at)
      select (${beginning}::text || substr(replace(gen_random_uuid()::text, '-', ''), 14, 19))::uuid, a.service_id,
        target.callback_type, a.id, target.url, target.encrypted_bearer_token,
        case when a.language is null then payload.body
          else left(payload.body, -1) || ',"language":' || to_json(a.language)::text || '}' end,
        ${timestamp(now)}::timestamptz, ${timestamp(now)}::timestamptz
      from ${after} a
      join service_callback_api target on target.service_id = a.service_id and target.callback_type = 'delivery_status'
      join services service on service.id = a.service_id
      cross join lateral (
        select a.id, a.client_reference as reference, a.recipient as "to", a.status,
          ${wireTime(sql`a.created_at`)} as created_at, ${wireTime(sql`a.updated_at`)} as completed_at,
          ${wireTime(sql`a.sent_at`)} as sent_at, a.notification_type, a.template_id, a.template_version
      ) as event
      cross join lateral (
        select event.*, coalesce(${labels} #>> array[a.notification_type, a.status], a.status) as status_description,
          ${reason} as provider_response
      ) as gc_event
      cross join lateral (
        select case service.api_dialect when 'gc' then row_to_json(gc_event) else row_to_json(event) end::text as body
      ) as payload
      where a.notification_type <> 'letter' and a.status <> a.previous_status
        and (a.status = 'delivered' or a.status like '%-failure')`,
  );
}

export async function insertFailureCallbacks(db: Db, ids: string[], now: Date): Promise<void> {
  const statement = new Statement();
  const failed = statement.with<CallbackColumn>(
    'failed',
    sql`select n.*, 'created' as previous_status from notifications n
      where n.id = any (${ids}::uuid[]) and not exists (
        select from service_callbacks c where c.subject_id = n.id and c.callback_type = 'delivery_status')`,
  );
  insertFinalStatusCallbacks(statement, failed, now);
  await statement.ending(sql`select 1`).execute(db);
}

/** After the first attempt, `due_at` may be the end of a lease. The first condition is for the index. */
const isDue = (now: Timestamp) =>
  sql`due_at <= greatest(${now}::timestamptz, now())
    and case when attempts = 0 then due_at <= ${now}::timestamptz else ${leaseHasEnded('due_at')} end`;

/**
 * Selects the next services with waiting callbacks, in id order after `after`, and whether any callback is due. It is a loose index scan,
 * so its cost does not grow with the queue of one service.
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
      where c.status = 'waiting' and c.service_id = found.service_id and ${isDue(now)}) as due
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
  /** The service's current secret. */
  encrypted_signing_secret: string | null;
}

/** Leases up to `max` callbacks of each service, oldest first. Other workers skip them until the lease ends. */
export async function leaseCallbacks(
  db: Db,
  wanted: { service_id: string; max: number }[],
  { now, lease_ms }: { now: Timestamp; lease_ms: number },
): Promise<DueCallback[]> {
  const { rows } = await sql<DueCallback>`
    with due as (
      select c.id from json_to_recordset(${JSON.stringify(wanted)}::json) as wanted (service_id uuid, max int)
      cross join lateral (
        select id from service_callbacks
        where status = 'waiting' and service_id = wanted.service_id and ${isDue(now)}
        order by due_at limit wanted.max
        for update skip locked
      ) as c
    )
    update service_callbacks c set due_at = ${leaseEnd(lease_ms)}, attempts = c.attempts + 1
    from due where c.id = due.id
    returning c.id, c.service_id, c.callback_type, c.subject_id, c.url, c.encrypted_bearer_token, c.body, c.attempts, c.created_at, (
      select s.encrypted_secret from service_callback_api a join service_callback_signing_secrets s on s.callback_id = a.id
      where a.service_id = c.service_id and a.callback_type = c.callback_type
    ) as encrypted_signing_secret
  `.execute(db);
  return rows;
}

/**
 * After the clock was set back: callbacks that are now dated in the future keep the delay they had. No lease ends before a new one would,
 * because the clock of the database may not have changed.
 */
export async function rescheduleFutureCallbacks(db: Db, now: Timestamp, lease_ms: number): Promise<void> {
  await sql`
    update service_callbacks set due_at = least(due_at,
      greatest(${now}::timestamptz + (due_at - created_at), case when attempts > 0 then ${leaseEnd(lease_ms)} end))
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
