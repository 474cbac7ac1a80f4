import { type RawBuilder, sql } from 'kysely';
import type { Status } from '../notifications/notification.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Statement } from '../platform/db/statement.ts';

export const sweeps = ['time-outs', 'lost-messages'] as const;
type Sweep = (typeof sweeps)[number];

export async function insertMissingSweeps(tx: Tx, names: readonly Sweep[]): Promise<void> {
  await tx
    .insertInto('delivery_sweeps')
    .values(names.map((name) => ({ name, swept_until: '-infinity' })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns how far the sweep has come, or undefined while another process holds the lock. */
export async function lockSweep(tx: Tx, sweep: Sweep, earliest: Timestamp): Promise<Timestamp | undefined> {
  const { rows } = await sql<{ swept_until: Timestamp }>`
    select greatest(swept_until, ${earliest}::timestamptz) as swept_until from delivery_sweeps
    where name = ${sweep} for update skip locked`.execute(tx);
  return rows[0]?.swept_until;
}

export async function updateSweep(tx: Tx, sweep: Sweep, swept_until: Timestamp): Promise<void> {
  await tx.updateTable('delivery_sweeps').set({ swept_until }).where('name', '=', sweep).execute();
}

export interface UnfinishedMessage {
  id: string;
  status: Status;
  created_at: Timestamp;
  sent_at: Timestamp | null;
  provider: string | null;
}

const isUnfinished = sql`notification_type in ('sms', 'email') and status in ('created', 'sending', 'pending')`;

/** Returns the unfinished messages among the next `limit` ids of a range, and the last id checked, or undefined at the end. */
export async function selectUnfinished(
  tx: Tx,
  range: { from_id: string; before_id: string },
  limit: number,
): Promise<{ found: UnfinishedMessage[]; last_id: string | undefined }> {
  const { rows } = await sql<UnfinishedMessage & { last_id: string; unfinished: boolean }>`
    with seen as (
      select id, notification_type, status, created_at, sent_at, provider from notifications
      where id >= ${range.from_id} and id < ${range.before_id} order by id limit ${limit}
    ), last as (select case when count(*) = ${limit} then max(id::text) end as last_id from seen)
    select last_id, id, status, created_at, sent_at, provider, coalesce(${isUnfinished}, false) as unfinished
    from last left join seen on ${isUnfinished}`.execute(tx);
  const found = rows.filter(({ unfinished }) => unfinished);
  return {
    found: found.map(({ id, status, created_at, sent_at, provider }) => ({
      id,
      status,
      created_at,
      sent_at,
      provider,
    })),
    last_id: rows[0]?.last_id ?? undefined,
  };
}

export interface UnfinishedRow {
  notification_id: string;
  look_at: Timestamp;
}

/** Adds messages to the list of unfinished messages. */
export function listUnfinished(statement: Statement, rows: UnfinishedRow[]): void {
  statement.with('listed', insertUnfinished(rows));
}

export async function upsertUnfinished(tx: Tx, rows: UnfinishedRow[]): Promise<void> {
  await insertUnfinished(rows).execute(tx);
}

function insertUnfinished(rows: UnfinishedRow[]): RawBuilder<unknown> {
  return sql`insert into unfinished_messages (notification_id, look_at)
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as u (notification_id uuid, look_at timestamptz)
      on conflict (notification_id) do update set look_at = excluded.look_at`;
}

/** Deletes due entries from the list; the caller inserts those that are still unfinished again. */
export async function takeDueUnfinished(tx: Tx, now: Timestamp, limit: number): Promise<string[]> {
  const { rows } = await sql<{ notification_id: string }>`
    delete from unfinished_messages where notification_id in (
      select notification_id from unfinished_messages where look_at <= ${now}
      order by look_at limit ${limit} for update skip locked)
    returning notification_id`.execute(tx);
  return rows.map(({ notification_id }) => notification_id);
}

export async function selectUnfinishedOf(tx: Tx, ids: string[]): Promise<UnfinishedMessage[]> {
  const { rows } = await sql<UnfinishedMessage>`
    select id, status, created_at, sent_at, provider from notifications
    where id = any (${ids}::uuid[]) and ${isUnfinished}`.execute(tx);
  return rows;
}
