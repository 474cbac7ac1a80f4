import { sql } from 'kysely';
import type { KeyType } from '../auth/api-keys.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { NotificationType, Status } from './notification.ts';

/** One place in the queue, with everything that is needed to hand the message over. */
export interface QueuedNotification {
  id: string;
  service_id: string;
  notification_type: NotificationType;
  lane: number;
  due_at: Timestamp;
  /** Attempts that were begun before this one. */
  attempts: number;
  /** Who was called last. */
  last_provider: string | null;
  /** False: that attempt broke off, so the provider may have the message already. */
  outcome_known: boolean;
  /** Null when the notification itself is gone. */
  status: Status | null;
  template_id: string;
  template_version: number;
  key_type: KeyType;
  recipient: string;
  normalised_recipient: string | null;
  personalisation: Record<string, unknown>;
  reply_to_text: string | null;
  international: boolean;
  one_click_unsubscribe_url: string | null;
  scheduled_for: Timestamp | null;
  created_at: Timestamp;
  sent_at: Timestamp | null;
}

interface Place {
  notification_type: NotificationType;
  lane: number;
}

/**
 * The next services that have anything in the lane, in id order after `after`, and whether any of it is due. Jumps from
 * service to service through the index: the cost is per service, however much one of them has queued.
 */
export async function selectWaitingServices(
  tx: Tx,
  { notification_type, lane }: Place,
  { after, most, now }: { after: string; most: number; now: Timestamp },
): Promise<{ service_id: string; due: boolean }[]> {
  const next = (from: ReturnType<typeof sql>) => sql`(
    select q.service_id from delivery_queue q
    where q.notification_type = ${notification_type} and q.lane = ${lane} and q.service_id > ${from}
    order by q.service_id limit 1)`;
  const { rows } = await sql<{ service_id: string; due: boolean }>`
    with recursive found (service_id, place) as (
      select ${next(sql`${after}::uuid`)}, 1
      union all
      select ${next(sql`found.service_id`)}, place + 1 from found where service_id is not null and place < ${most}
    )
    select service_id, exists (
      select 1 from delivery_queue q
      where q.notification_type = ${notification_type} and q.lane = ${lane} and q.service_id = found.service_id
        and q.due_at <= ${now}
    ) as due
    from found where service_id is not null order by place`.execute(tx);
  return rows;
}

/** Locks what is due, oldest first, the same number for each service; what another worker has locked is passed over. */
export async function lockQueued(
  tx: Tx,
  { notification_type, lane }: Place,
  { services, each, except, now }: { services: string[]; each: number; except: string[]; now: Timestamp },
): Promise<QueuedNotification[]> {
  const { rows } = await sql<QueuedNotification>`
    select q.notification_id as id, q.service_id, q.notification_type, q.lane, q.due_at, q.attempts,
      q.provider as last_provider, q.outcome_known, n.status, n.template_id, n.template_version, n.key_type, n.recipient,
      n.normalised_recipient, n.personalisation, n.reply_to_text, n.international, n.one_click_unsubscribe_url,
      n.scheduled_for, n.created_at, n.sent_at
    from unnest(${services}::uuid[]) as wanted (service_id)
    cross join lateral (
      select * from delivery_queue
      where notification_type = ${notification_type} and lane = ${lane} and service_id = wanted.service_id
        and due_at <= ${now} and notification_id <> all (${except}::uuid[])
      order by due_at limit ${each}
      for update skip locked
    ) as q
    left join notifications n on n.id = q.notification_id`.execute(tx);
  return rows;
}

/** Whoever holds the lock takes the lease; the provider that is about to be called is on record before it is called. */
export async function updateLeased(
  tx: Tx,
  leased: { id: string; provider: string | null }[],
  until: Timestamp,
): Promise<void> {
  await sql`
    update delivery_queue q set due_at = ${until}, attempts = q.attempts + 1,
      provider = coalesce(leased.provider, q.provider), outcome_known = leased.provider is null and q.outcome_known
    from json_to_recordset(${JSON.stringify(leased)}::json) as leased (id uuid, provider text)
    where q.notification_id = leased.id`.execute(tx);
}

export async function extendLeases(db: Db, ids: string[], until: Timestamp): Promise<void> {
  await sql`update delivery_queue set due_at = ${until} where notification_id = any (${ids}::uuid[])`.execute(db);
}

export async function removeQueued(tx: Tx, ids: string[]): Promise<void> {
  await sql`delete from delivery_queue where notification_id = any (${ids}::uuid[])`.execute(tx);
}

export interface Requeued {
  id: string;
  due_at: Timestamp;
  /** As counted now: a message that was only put back keeps its earlier number. */
  attempts: number;
  /** False: it may have reached the provider all the same. */
  outcome_known: boolean;
}

export async function requeue(tx: Tx, rows: Requeued[]): Promise<void> {
  await sql`
    update delivery_queue q set due_at = r.due_at, attempts = r.attempts, outcome_known = r.outcome_known
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as r (id uuid, due_at timestamptz, attempts int, outcome_known boolean)
    where q.notification_id = r.id`.execute(tx);
}

/** A receipt came before its hand-over was recorded: the queue looks at the message again at once. */
export async function hastenQueued(tx: Tx, ids: string[], now: Timestamp): Promise<void> {
  await sql`
    update delivery_queue set due_at = least(due_at, ${now}::timestamptz)
    where notification_id = any (${ids}::uuid[])`.execute(tx);
}

/**
 * For after the clock was set back: nothing that was not scheduled may wait for a time that lies further ahead than any
 * retry. Done twice it changes nothing more, so several workers may do it.
 */
export async function bringForward(
  db: Db,
  { now, latest, leasedUntil }: { now: Timestamp; latest: Timestamp; leasedUntil: Timestamp },
): Promise<void> {
  await sql`
    update delivery_queue q set due_at = case when q.attempts = 0 then ${now} else ${leasedUntil} end::timestamptz
    from notifications n
    where n.id = q.notification_id and coalesce(n.scheduled_for, ${now}) <= ${now}
      and (q.due_at > ${latest} or q.attempts = 0 and q.due_at > ${now})`.execute(db);
}

export interface LaneAge {
  notification_type: NotificationType;
  lane: number;
  waiting: number;
  oldest_due_at: Timestamp | null;
}

export async function selectLaneAges(db: Db, now: Timestamp): Promise<LaneAge[]> {
  const { rows } = await sql<LaneAge>`
    select notification_type, lane, count(*) as waiting, min(due_at) as oldest_due_at
    from delivery_queue where due_at <= ${now} group by 1, 2`.execute(db);
  return rows;
}
