import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Cte, Statement } from '../platform/db/statement.ts';
import type { Status } from './notification.ts';

/** What channel plans need from the notifications that are their steps. */

/** A part of statements that change statuses: records which messages of channel plans had a step changed. */
export function recordChangedSteps(statement: Statement, after: Cte<'id'>): void {
  statement.with(
    'noted_steps',
    sql`insert into plan_step_changes (message_id)
      select message_id from plan_steps where notification_id = any (array(select id from ${after}))`,
  );
}

/** A part of a statement: takes recorded changes of messages that are not locked by another worker, and locks these messages. */
export function takeChangedSteps(statement: Statement, limit: number): Cte<'message_id'> {
  const taken = statement.with<'message_id' | 'id'>(
    'taken',
    sql`select c.id, c.message_id from plan_step_changes c join plan_messages m on m.id = c.message_id
      order by c.id limit ${limit} for update skip locked`,
  );
  statement.with('forgotten', sql`delete from plan_step_changes where id = any (array(select id from ${taken}))`);
  return taken;
}

interface StepNotification {
  id: string;
  status: Status;
  sent_at: Timestamp | null;
  updated_at: Timestamp | null;
}

export async function selectStepNotifications(tx: Tx, ids: string[]): Promise<StepNotification[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<StepNotification>`
    select id, status, sent_at, updated_at from notifications where id = any (${ids}::uuid[])`.execute(tx);
  return rows;
}

/**
 * Removes messages from the queue that no provider can have. Returns them, and letters that cannot be in a print run yet. Locks rows of
 * notifications first, as results of delivery do, so that the two cannot deadlock.
 */
export async function withdrawUnsent(tx: Tx, ids: string[], lettersSince: Timestamp): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with held as materialized (
      select id, notification_type, created_at from notifications
      where id = any (${ids}::uuid[]) and status in ('created', 'pending-virus-check') order by id for update
    ), gone as (
      delete from delivery_queue q where q.notification_id = any (array(select id from held))
        and q.leased_by is null and q.outcome_known
      returning q.notification_id
    ), freed as (
      delete from held_messages where notification_id in (select notification_id from gone)
    )
    select notification_id as id from gone
    union all
    select id from held where notification_type = 'letter' and created_at >= ${lettersSince}`.execute(tx);
  return rows.map(({ id }) => id);
}
