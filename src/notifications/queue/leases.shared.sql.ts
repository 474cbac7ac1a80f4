import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { leaseEnd } from '../../platform/db/lease.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { KeyType } from '../../protocol/key-types.ts';
import { lanes, type Status } from '../notification.ts';

/** A queue entry with everything needed to deliver the message. */
export interface QueuedNotification {
  id: string;
  service_id: string;
  notification_type: Channel;
  lane: number;
  due_at: Timestamp;
  /** Attempts started before this one. */
  attempts: number;
  /** The provider of the last attempt. */
  last_provider: string | null;
  /** False if that attempt was interrupted: the provider may already have the message. */
  outcome_known: boolean;
  /** Null if the notification was deleted. */
  status: Status | null;
  template_id: string;
  template_version: number;
  /** Null for the template's own text. */
  language: string | null;
  key_type: KeyType;
  recipient: string;
  normalised_recipient: string | null;
  personalisation: Record<string, unknown>;
  secret_personalisation: string | null;
  reply_to_text: string | null;
  international: boolean;
  one_click_unsubscribe_url: string | null;
  scheduled_for: Timestamp | null;
  created_at: Timestamp;
  sent_at: Timestamp | null;
  job_id: string | null;
}

interface LeaseOrder {
  type: Channel;
  lane: number;
  /** `since` is the earliest due time to scan for the service. */
  services: { service_id: string; since: Timestamp }[];
  /** Max messages per service. */
  limit: number;
  now: Timestamp;
  lease_ms: number;
  worker: string;
  /** Takes over leases of other workers that ended by this database time; null for none. */
  takeOverUntil: Timestamp | null;
  /** Providers for first attempts, domestic and international, assigned round-robin. */
  providers: { home: (string | null)[]; abroad: (string | null)[] };
}

export interface LeasedNotification extends QueuedNotification {
  /** The recorded provider of this attempt, if it is the first one. */
  provider: string | null;
}

/**
 * Leases due messages, oldest first, up to `limit` for each service; skips rows locked by other workers. Records the provider of a first
 * attempt before it is called.
 *
 * A lease begins and ends by the database clock, the only one that all workers share: a worker with a wrong clock must not see the leases
 * of others as expired.
 *
 * The queue is empty most of the time. A plan made then stays cached while the queue grows, and with plain joins would read all of it for
 * each lease. So messages are looked up one by one with lateral joins, and queue rows through an array.
 */
export async function leaseQueued(db: Db, order: LeaseOrder): Promise<LeasedNotification[]> {
  const { type, lane, services, limit, now, lease_ms, worker, takeOverUntil, providers } = order;
  const { rows } = await sql<LeasedNotification>`/* prepared: lease */
    with clock as materialized (
      select now() as now, ${leaseEnd(lease_ms)} as lease_end
    ), picked as (
      select q.notification_id, q.service_id, q.due_at, q.attempts, q.provider, q.outcome_known
      from unnest(${services.map(({ service_id }) => service_id)}::uuid[],
        ${services.map(({ since }) => since)}::timestamptz[]) as requested (service_id, since)
      cross join lateral (
        select * from delivery_queue
        where notification_type = ${type} and lane = ${lane}::smallint and service_id = requested.service_id
          and due_at >= requested.since and due_at <= greatest(${now}::timestamptz, (select now from clock))
          and case when leased_by is null then due_at <= ${now}::timestamptz
            else due_at <= (select now from clock)
              and (leased_by = ${worker} or due_at <= ${takeOverUntil}::timestamptz) end
        order by due_at limit ${limit}::int
        for update skip locked
      ) as q
    ), message as (
      select p.notification_id as id, p.service_id, p.due_at, p.attempts, p.provider as last_provider, p.outcome_known,
        n.status, n.template_id, n.template_version, n.language, n.key_type, n.recipient, n.normalised_recipient, n.personalisation,
        n.secret_personalisation, n.reply_to_text, n.international, n.one_click_unsubscribe_url, n.scheduled_for, n.created_at, n.sent_at,
        n.job_id,
        case when p.attempts = 0 and n.status = 'created' and n.key_type <> 'test' then
          drawn.names[1 + (row_number() over () - 1) % cardinality(drawn.names)]
        end as provider
      from picked p left join lateral (
        select * from notifications where id = p.notification_id limit 1
      ) as n on true
      cross join lateral (
        select case when n.international then ${providers.abroad}::text[] else ${providers.home}::text[] end as names
      ) as drawn
    ), leased as (
      update delivery_queue q set due_at = (select lease_end from clock), attempts = q.attempts + 1, leased_by = ${worker},
        provider = coalesce(m.provider, q.provider), outcome_known = m.provider is null and q.outcome_known
      from message m where q.notification_id = m.id and q.notification_id = any (array(select id from message))
    )
    select *, ${type} as notification_type, ${lane}::smallint as lane from message`.execute(db);
  return rows;
}

/** For retries, where the choice of provider depends on previous attempts. */
export async function updateProviders(
  db: Db,
  worker: string,
  assigned: { id: string; provider: string }[],
): Promise<void> {
  await sql`
    update delivery_queue q set provider = assigned.provider, outcome_known = false
    from json_to_recordset(${JSON.stringify(assigned)}::json) as assigned (id uuid, provider text)
    where q.notification_id = assigned.id and q.leased_by = ${worker}`.execute(db);
}

/** Returns the ids whose lease the worker still holds, and the database time. */
export async function extendLeases(
  db: Db,
  worker: string,
  ids: string[],
  lease_ms: number,
): Promise<{ ids: string[]; now_ms: number }> {
  const { rows } = await sql<{ ids: string[]; now_ms: number }>`/* prepared: extend-leases */
    with extended as (
      update delivery_queue set due_at = ${leaseEnd(lease_ms)}
      where notification_id = any (${ids}::uuid[]) and leased_by = ${worker}
      returning notification_id
    )
    select array(select notification_id::text from extended) as ids,
      extract(epoch from now())::float8 * 1000 as now_ms`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL returned no row');
  return row;
}

/** In milliseconds since 1970. */
export async function readDatabaseTime(db: Db): Promise<number> {
  const { rows } = await sql<{ now_ms: number }>`select extract(epoch from now())::float8 * 1000 as now_ms`.execute(db);
  return rows[0]?.now_ms ?? Number.NaN;
}

/**
 * Corrects due times after the clock was set back: no unscheduled message may be due later than any retry would be, and no lease may end
 * later than a new one would. Idempotent, so several workers may run it.
 */
export async function rescheduleFutureDue(
  db: Db,
  { now, latest, retryAt, lease_ms }: { now: Timestamp; latest: Timestamp; retryAt: Timestamp; lease_ms: number },
): Promise<void> {
  const newLease = leaseEnd(lease_ms);
  await sql`
    update delivery_queue q set due_at = case when q.leased_by is not null then ${newLease}
      when q.attempts = 0 then ${now}::timestamptz else ${retryAt}::timestamptz end
    from notifications n
    where n.id = q.notification_id and coalesce(n.scheduled_for, ${now}) <= ${now}
      and case when q.leased_by is not null then q.due_at > ${newLease}
        else q.due_at > ${latest} or q.attempts = 0 and q.due_at > ${now} end`.execute(db);
}

/**
 * Queues messages of an id range that wait for a provider but have no queue entry. Uses one statement, so that messages being delivered do
 * not count as lost. Returns `last_id` unless the range is finished.
 */
export async function queueLostMessages(
  tx: Tx,
  range: { from_id: string; before_id: string },
  limit: number,
  now: Timestamp,
): Promise<{ queued: number; last_id: string | undefined }> {
  const { rows } = await sql<{ queued: number; last_id: string | null }>`
    with scanned as (
      select id, service_id, notification_type, status, scheduled_for from notifications
      where id >= ${range.from_id} and id < ${range.before_id} order by id limit ${limit}
    ), queued as (
      insert into delivery_queue (notification_id, service_id, notification_type, lane, due_at)
      select id, service_id, notification_type, ${lanes.normal}, greatest(scheduled_for, ${now}::timestamptz) from scanned
      where status = 'created' and notification_type in ('sms', 'email')
        and not exists (select from delivery_queue q where q.notification_id = scanned.id)
      on conflict (notification_id) do nothing
      returning notification_id
    )
    select (select count(*) from queued) as queued,
      (select case when count(*) = ${limit} then max(id::text) end from scanned) as last_id`.execute(tx);
  return { queued: rows[0]?.queued ?? 0, last_id: rows[0]?.last_id ?? undefined };
}
