import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { CallbackType } from '../../services/settings/callback-api.ts';

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

/** Queues callbacks again, to the service's current URL, and keeps the log of earlier attempts. Returns their previous statuses. */
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

/** A callback with the recipient that it is about. */
interface CallbackRecipient {
  id: string;
  service_id: string;
  subject_id: string;
  callback_type: string;
  created_at: string;
  person: string | null;
  is_waiting: boolean;
}

/** Selects a batch of callbacks after the id `after`, of one service or of all. */
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
