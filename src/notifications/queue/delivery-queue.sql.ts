import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Channel } from '../../protocol/channels.ts';

interface WaitingService {
  lane: number;
  service_id: string;
  /** Due time of its oldest due message; null if all are scheduled for later. */
  oldest: Timestamp | null;
}

/**
 * Selects the next services with queued messages, by lane and id. Uses a loose index scan, whose cost depends on the number of services,
 * not of messages.
 */
export async function selectWaitingServices(
  db: Db,
  type: Channel,
  { after, limit, now }: { after: { lane: number; service_id: string }; limit: number; now: Timestamp },
): Promise<WaitingService[]> {
  const { rows } = await sql<WaitingService>`/* prepared: waiting-services */
    with recursive found (lane, service_id, sequence) as (
      (select q.lane, q.service_id, 1 from delivery_queue q
      where q.notification_type = ${type} and (q.lane, q.service_id) > (${after.lane}::smallint, ${after.service_id}::uuid)
      order by q.lane, q.service_id limit 1)
      union all
      select next.lane, next.service_id, found.sequence + 1 from found cross join lateral (
        select q.lane, q.service_id from delivery_queue q
        where q.notification_type = ${type} and (q.lane, q.service_id) > (found.lane, found.service_id)
        order by q.lane, q.service_id limit 1
      ) as next
      where found.sequence < ${limit}::int
    )
    select lane, service_id, (
      select q.due_at from delivery_queue q
      where q.notification_type = ${type} and q.lane = found.lane and q.service_id = found.service_id
        and q.due_at <= ${now}
      order by q.due_at limit 1
    ) as oldest
    from found order by sequence`.execute(db);
  return rows;
}

interface LaneCount {
  notification_type: Channel;
  lane: number;
  waiting: number;
}

/** Counts due messages by lane. Reads at most `max` rows of each lane, however long the queue is. */
export async function selectLaneCounts(db: Db, now: Timestamp, max: number): Promise<LaneCount[]> {
  const { rows } = await sql<LaneCount>`
    select notification_type, lane, counted.waiting
    from unnest(array['email', 'sms', 'letter']) as notification_type cross join generate_series(0, 2) as lane
      cross join lateral (
        select count(*) filter (where due_at <= ${now}) as waiting from (
          select q.due_at from delivery_queue q
          where q.notification_type = notification_type.notification_type and q.lane = lane.lane limit ${max}
        ) as first_rows
      ) as counted
    where counted.waiting > 0
    order by 1, 2`.execute(db);
  return rows;
}

export interface Retries {
  notification_type: Channel;
  /** Messages with a failed attempt, including those that are being retried now. */
  waiting: number;
  /** How many of these are not due yet. */
  not_due: number;
  /** When the oldest one was accepted or scheduled for. */
  oldest_at: Timestamp | null;
}

/** How many ids are checked to find the oldest. Ids ascend by time, but a message may have been scheduled for later. */
const lookedUp = 1_000;

/** Counts retries by channel. Reads at most `max` rows of the index of retries, however long the queue is. */
export async function selectRetries(db: Db, now: Timestamp, max: number): Promise<Retries[]> {
  const ofChannel = sql`q.notification_type = channel.name and (q.attempts > 1 or q.attempts > 0 and q.leased_by is null)`;
  const { rows } = await sql<Retries>`
    select channel.name as notification_type, counted.waiting, counted.not_due, oldest.at as oldest_at
    from unnest(array['email', 'sms', 'letter']) as channel (name)
      cross join lateral (
        select count(*) as waiting, count(*) filter (where due_at > ${now}) as not_due
        from (select q.due_at from delivery_queue q where ${ofChannel} limit ${max}) as first_rows
      ) as counted
      cross join lateral (
        select min(greatest(n.created_at, n.scheduled_for)) as at
        from (
          select q.notification_id from delivery_queue q where ${ofChannel} order by q.notification_id limit ${lookedUp}
        ) as first_rows
        cross join lateral (
          select created_at, scheduled_for from notifications where id = first_rows.notification_id limit 1
        ) as n
      ) as oldest`.execute(db);
  return rows;
}

export async function selectTraces(db: Db, ids: string[]): Promise<{ notification_id: string; traceparent: string }[]> {
  const { rows } = await sql<{ notification_id: string; traceparent: string }>`
    select notification_id, traceparent from message_traces where notification_id = any (${ids}::uuid[])`.execute(db);
  return rows;
}

/** Ids begin with the time of the message. */
export async function deleteTracesBefore(db: Db, id: string, max: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from message_traces where notification_id in (
      select notification_id from message_traces where notification_id < ${id} order by notification_id limit ${max}
    )`.execute(db);
  return Number(numAffectedRows ?? 0);
}
