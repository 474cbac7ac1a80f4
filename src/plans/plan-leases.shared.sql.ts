import { sql } from 'kysely';
import { takeChangedSteps } from '../notifications/plan-steps.shared.sql.ts';
import { minute_ms, type Timestamp } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';
import { leaseEnd, leaseHasEnded } from '../platform/db/lease.ts';
import { Statement } from '../platform/db/statement.ts';

/** `due_at` says how late a message is, by the clock of the application. `leased_until` says when it is tried again. */

/** Longer than it takes to store a step. Another worker then takes the message over. */
const lease_ms = 30_000;
/** Each attempt that fails doubles the lease, so that messages that keep failing take few turns. */
const maxLease_ms = 10 * minute_ms;

/** Sorts a message that failed behind those that became due in the meantime. */
const turn = sql`coalesce(leased_until, due_at)`;

const isDue = (now: Timestamp) => sql`due_at <= ${now} and ${turn} <= greatest(${now}::timestamptz, now())
  and ${leaseHasEnded('leased_until')}`;

/** Makes messages due whose steps have changed. One that is already due keeps its time, which says how late it is. */
export async function makeChangedMessagesDue(db: Db, now: Timestamp, limit: number): Promise<void> {
  const statement = new Statement();
  const taken = takeChangedSteps(statement, limit);
  statement.with(
    'made_due',
    sql`update plan_messages set due_at = least(due_at, ${now}::timestamptz), leased_until = null
      where id = any (array(select message_id from ${taken}))`,
  );
  await statement.ending(sql`select 1`).execute(db);
}

/**
 * Selects the next services with due messages, by id, up to `last` if given. It is a loose index scan, so its cost does not grow with the
 * messages of one service. When nothing is due it reads one row.
 */
export async function selectDueServices(
  db: Db,
  { after, last, except, now, max }: { after: string; last?: string; except: string[]; now: Timestamp; max: number },
): Promise<string[]> {
  const next = (place: ReturnType<typeof sql>) => sql`select service_id from plan_messages
    where due_at is not null and service_id > ${place} order by service_id limit 1`;
  const isWanted = last === undefined ? sql`true` : sql`service_id <= ${last}`;
  const { rows } = await sql<{ service_id: string }>`
    with recursive found (service_id) as (
      select first.service_id from (${next(sql`${after}::uuid`)}) as first
      where exists (select from plan_messages where due_at <= ${now})
      union all
      select following.service_id from found cross join lateral (${next(sql`found.service_id`)}) as following
    )
    select service_id from found
    where ${isWanted} and service_id <> all (${except}::uuid[])
      and exists (select from plan_messages m where m.service_id = found.service_id and ${isDue(now)})
    limit ${max}`.execute(db);
  return rows.map(({ service_id }) => service_id);
}

export interface LeasedMessage {
  id: string;
  service_id: string;
  /** How often it was leased for its next step, including this time. */
  attempts: number;
}

/** Leases due messages of each service. Other workers skip them until the lease ends, and then take them over. */
export async function leaseDueMessages(
  db: Db,
  wanted: { service_id: string; max: number }[],
  now: Timestamp,
): Promise<LeasedMessage[]> {
  const { rows } = await sql<LeasedMessage>`
    with picked as (
      select m.id from json_to_recordset(${JSON.stringify(wanted)}::json) as wanted (service_id uuid, max int)
      cross join lateral (
        select id from plan_messages where service_id = wanted.service_id and ${isDue(now)}
        order by ${turn} limit wanted.max for update skip locked
      ) as m
    )
    update plan_messages m set attempts = attempts + 1,
      leased_until = least(${leaseEnd(maxLease_ms)}, now() + ${lease_ms} * 2 ^ least(attempts, 10) * interval '1 ms')
    from picked where m.id = picked.id returning m.id, m.service_id, m.attempts`.execute(db);
  return rows;
}

/**
 * Makes messages due that were due before the clock was set back, or were leased then. Others keep their time: scheduled messages, and
 * those whose step is waited for.
 */
export async function rescheduleFuturePlanMessages(db: Db, now: Timestamp): Promise<void> {
  await sql`
    update plan_messages m set due_at = least(due_at, ${now}::timestamptz), leased_until = null
    where due_at is not null and (leased_until > ${leaseEnd(maxLease_ms)} or due_at > ${now}
      and (status = 'in-progress' or coalesce(scheduled_for <= ${now}, true))
      and not exists (select from plan_steps s where s.message_id = m.id and s.state = 'sent'
        and s.handed_over_at + make_interval(hours => s.wait_h) = m.due_at))`.execute(db);
}
