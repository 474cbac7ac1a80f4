import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { KeyType } from '../../protocol/key-types.ts';
import { lanes } from '../notification.ts';

export interface HeldRow {
  notification_id: string;
  service_id: string;
  notification_type: Channel;
  /** Null if it is only scheduled: the row keeps the time zone of its request. */
  held_until: Timestamp | null;
  time_zone: string | null;
  wanted_at: Timestamp | null;
  job_id: string | null;
}

export async function insertHeld(tx: Tx, rows: readonly HeldRow[]): Promise<void> {
  await sql`
    insert into held_messages (notification_id, service_id, notification_type, held_until, time_zone, wanted_at, job_id)
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as r (notification_id uuid, service_id uuid,
      notification_type text, held_until timestamptz, time_zone text, wanted_at timestamptz, job_id uuid)
    on conflict (notification_id) do update set held_until = excluded.held_until`.execute(tx);
}

export interface HeldToPlace extends HeldRow {
  held_until: Timestamp;
  template_id: string;
  key_type: KeyType;
  process_type: string;
  recipient: string;
  created_at: Timestamp;
}

/** Selects waiting messages of a service in the order of their ids: all of them, one, or those of a file. */
export async function selectHeld(
  db: Db | Tx,
  serviceId: string,
  { after, limit }: { after: string; limit: number },
  only?: { id: string } | { job_id: string },
): Promise<HeldToPlace[]> {
  const condition =
    only === undefined
      ? sql`true`
      : 'id' in only
        ? sql`h.notification_id = ${only.id}`
        : sql`h.job_id = ${only.job_id}`;
  const { rows } = await sql<HeldToPlace>`
    select h.*, n.template_id, n.key_type, t.process_type, coalesce(n.normalised_recipient, n.recipient) as recipient, n.created_at
    from held_messages h
      cross join lateral (select * from notifications where id = h.notification_id limit 1) n
      join templates t on t.id = n.template_id
    where h.service_id = ${serviceId} and h.notification_id > ${after} and h.held_until is not null and ${condition}
    order by h.notification_id limit ${limit}`.execute(db);
  return rows;
}

/** Selects scheduled messages that do not wait for a sending time, in the order of their ids. */
export async function selectScheduled(
  db: Db,
  serviceId: string,
  now: Timestamp,
  { after, limit }: { after: string; limit: number },
): Promise<HeldToPlace[]> {
  const { rows } = await sql<HeldToPlace>`
    select n.id as notification_id, n.service_id, n.notification_type, n.scheduled_for as held_until, h.time_zone,
      n.scheduled_for as wanted_at, n.job_id, n.template_id, n.key_type, t.process_type,
      coalesce(n.normalised_recipient, n.recipient) as recipient, n.created_at
    from delivery_queue q
      cross join lateral (select * from notifications where id = q.notification_id limit 1) n
      join templates t on t.id = n.template_id
      left join held_messages h on h.notification_id = q.notification_id
    where q.notification_type in ('email', 'sms') and q.lane = any (${Object.values(lanes)}::smallint[]) and q.service_id = ${serviceId}
      and q.due_at > ${now} and q.attempts = 0 and q.leased_by is null and q.notification_id > ${after}
      and n.scheduled_for is not null and h.held_until is null
    order by q.notification_id limit ${limit}`.execute(db);
  return rows;
}

/** Selects the first `held_until` of each file with waiting messages. If it is after `spreadSince`, its messages may still be being spread. */
export async function selectFirstHeld(
  db: Db | Tx,
  jobIds: readonly string[],
  now: Timestamp,
  spreadSince: Timestamp,
): Promise<ReadonlyMap<string, Timestamp>> {
  if (jobIds.length === 0) return new Map();
  const { rows } = await sql<{ job_id: string; held_until: Timestamp }>`
    select job.id as job_id, waiting.held_until
    from unnest(${jobIds}::uuid[]) as job (id) cross join lateral (
      select h.held_until from held_messages h
      where h.job_id = job.id and h.held_until > ${spreadSince} and (h.held_until > ${now} or exists (
        select from delivery_queue q
        where q.notification_id = h.notification_id and q.due_at > ${now} and q.leased_by is null and q.attempts = 0))
      order by h.held_until limit 1
    ) as waiting`.execute(db);
  return new Map(rows.map(({ job_id, held_until }) => [job_id, held_until]));
}

export interface NewTime {
  id: string;
  due_at: Timestamp;
  /** Null if it no longer waits. */
  held_until: Timestamp | null;
}

/** A scheduled message can begin to wait again. */
const keepsZone = sql`h.time_zone is not null and h.wanted_at is not null`;

/**
 * Changes only messages that no worker has leased yet, and returns their ids. Locks rows of notifications, then of the queue, then of
 * held_messages, each by id, as every statement does that changes several of them: so no two of them can deadlock.
 */
export async function updateDueTimes(db: Db | Tx, times: readonly NewTime[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with changed as (
      select * from json_to_recordset(${JSON.stringify(times)}::json) as t (id uuid, due_at timestamptz, held_until timestamptz)
    ), locked as materialized (
      select id from notifications where id = any (array(select id from changed)) order by id for update
    ), queued as materialized (
      select notification_id as id from delivery_queue
      where notification_id = any (array(select id from locked)) and leased_by is null and attempts = 0
      order by notification_id for update
    ), moved as (
      update delivery_queue q set due_at = changed.due_at from changed
      where q.notification_id = changed.id and q.notification_id = any (array(select id from queued))
      returning q.notification_id as id
    ), scheduled as (
      update notifications n set scheduled_for = changed.due_at from changed
      where n.id = changed.id and n.id = any (array(select id from moved))
    ), placed as (
      update held_messages h set held_until = changed.held_until from changed
      where h.notification_id = changed.id and (changed.held_until is not null or ${keepsZone})
        and h.notification_id = any (array(select id from moved))
    ), freed as (
      delete from held_messages h using changed
      where h.notification_id = changed.id and changed.held_until is null and not (${keepsZone})
        and h.notification_id = any (array(select id from moved))
    )
    select id from moved`.execute(db);
  return rows.map(({ id }) => id);
}

/** Removes a waiting message from the queue. Returns false if it does not wait any more: then roll back. Locks as `updateDueTimes` does. */
export async function dequeueHeld(tx: Tx, serviceId: string, id: string): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    with locked as materialized (
      select id from notifications where id = ${id} and service_id = ${serviceId} for update
    ), dequeued as (
      delete from delivery_queue
      where notification_id = any (array(select id from locked)) and leased_by is null and attempts = 0
      returning notification_id
    )
    delete from held_messages where notification_id = any (array(select notification_id from dequeued)) and held_until is not null
    returning notification_id as id`.execute(tx);
  return rows.length > 0;
}

/** Counts waiting messages by channel, at most `max` of each, and the rows of waiting files. */
export async function countHeld(
  db: Db,
  now: Timestamp,
  max: number,
): Promise<{ channel: Channel; messages: number }[]> {
  const { rows } = await sql<{ channel: Channel; messages: number }>`
    select channel.name as channel, counted.messages + coalesce(files.rows, 0)::int as messages
    from unnest(array['email', 'sms']) as channel (name) cross join lateral (
      select count(*)::int as messages from (
        select from held_messages h where h.notification_type = channel.name and h.held_until > ${now} limit ${max}
      ) as first_rows
    ) as counted cross join lateral (
      select sum(row_count - rows_skipped) as rows from jobs
      where status = 'scheduled' and notification_type = channel.name and scheduled_for > ${now} and scheduled_for <> wanted_at
    ) as files`.execute(db);
  return rows;
}

/**
 * Counts messages that are still in the queue although their sending time began before a moment, at most `max` of each channel, and the
 * rows of files that waited for it and are not messages yet.
 */
export async function countOverdue(
  db: Db,
  before: Timestamp,
  max: number,
): Promise<{ channel: Channel; messages: number }[]> {
  const { rows } = await sql<{ channel: Channel; messages: number }>`
    select channel.name as channel, counted.messages + coalesce(files.rows, 0)::int as messages
    from unnest(array['email', 'sms']) as channel (name) cross join lateral (
      select count(*)::int as messages from (
        select h.notification_id from held_messages h where h.notification_type = channel.name and h.held_until < ${before}
        order by h.held_until limit ${max}
      ) as first_rows join delivery_queue using (notification_id)
    ) as counted cross join lateral (
      select sum(row_count - rows_skipped - rows_done) as rows from jobs
      where (status = 'scheduled' or status in ('pending', 'in progress')) and notification_type = channel.name
        and scheduled_for < ${before} and scheduled_for <> wanted_at
    ) as files`.execute(db);
  return rows;
}

/** Keeps the rows of messages that have waited and are still in the queue, because those are overdue. */
export async function deleteHeldBefore(db: Db, before: Timestamp, max: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from held_messages where notification_id in (
      select h.notification_id from held_messages h
      where h.notification_type in ('email', 'sms')
        and (h.held_until is null and h.wanted_at < ${before}
          or h.held_until < ${before} and not exists (select from delivery_queue q where q.notification_id = h.notification_id))
      limit ${max}
    )`.execute(db);
  return Number(numAffectedRows ?? 0);
}
