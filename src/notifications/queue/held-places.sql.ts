import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';

/** Takes what no worker is sending out of the queue. Returns how many places are left: those that are being sent. */
export async function holdPlaces(db: Db, serviceId: string): Promise<number> {
  const ofService = sql`notification_type in ('sms', 'email', 'letter') and lane in (0, 1, 2) and service_id = ${serviceId}`;
  await sql`
    with held as (
      delete from delivery_queue where notification_id in (
        select notification_id from delivery_queue where ${ofService} and leased_by is null for update skip locked)
      returning *
    )
    insert into held_places select * from held on conflict (notification_id) do nothing`.execute(db);
  const { rows } = await sql<{ left: number }>`select count(*) as left from delivery_queue where ${ofService}`.execute(
    db,
  );
  return rows[0]?.left ?? 0;
}

/** Puts held places back into the queue. */
export async function releasePlaces(tx: Tx, serviceId: string): Promise<void> {
  await sql`
    with released as (delete from held_places where service_id = ${serviceId} returning *)
    insert into delivery_queue (notification_id, service_id, notification_type, lane, due_at, attempts, provider, outcome_known)
    select notification_id, service_id, notification_type, lane, due_at, attempts, provider, outcome_known from released
    on conflict (notification_id) do nothing`.execute(tx);
}

/** Places that the other store does not have yet. */
export async function selectHeldPlaces(
  db: Db | Tx,
  serviceId: string,
): Promise<{ ids: string[]; rows: string } | undefined> {
  const { rows } = await sql<{ ids: string[] | null; rows: string | null }>`
    select array_agg(notification_id) as ids, json_agg(h)::text as rows from (
      select * from held_places where service_id = ${serviceId} and not is_copied limit 10000) as h`.execute(db);
  const { ids, rows: places } = rows[0] ?? {};
  return ids && places ? { ids, rows: places } : undefined;
}

/** In the other store, as `selectHeldPlaces` read them. */
export async function insertHeldPlaces(tx: Tx, rows: string): Promise<void> {
  await sql`insert into held_places select * from json_populate_recordset(null::held_places, ${rows}::json)
    on conflict (notification_id) do nothing`.execute(tx);
}

export async function markCopied(db: Db | Tx, ids: string[]): Promise<void> {
  await sql`update held_places set is_copied = true where notification_id = any (${ids}::uuid[])`.execute(db);
}

export async function deleteHeldPlaces(tx: Tx, serviceId: string): Promise<void> {
  await sql`delete from held_places where service_id = ${serviceId}`.execute(tx);
}
