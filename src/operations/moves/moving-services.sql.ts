import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Key } from '../../stores/copied-rows.sql.ts';

export type State = 'leaving' | 'holding' | 'closed' | 'gone' | 'arriving';

export interface MovingService {
  state: State;
  progress: Record<string, Key | 'done'>;
  copied_until: string | null;
}

export async function findMoving(db: Db | Tx, serviceId: string): Promise<MovingService | undefined> {
  const { rows } = await sql<MovingService>`
    select state, progress, copied_until::text as copied_until from moving_services where service_id = ${serviceId}`.execute(
    db,
  );
  return rows[0];
}

export async function insertMoving(db: Db | Tx, serviceId: string, state: State): Promise<void> {
  await sql`insert into moving_services (service_id, state) values (${serviceId}, ${state}) on conflict do nothing`.execute(
    db,
  );
}

export async function updateState(db: Db | Tx, serviceId: string, state: State): Promise<void> {
  await sql`update moving_services set state = ${state} where service_id = ${serviceId}`.execute(db);
}

/** Waits for every transaction that writes about the service; later ones see the new state. */
export async function lockWrites(tx: Tx, serviceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${serviceId}, 38))`.execute(tx);
}

export async function updateProgress(tx: Tx, serviceId: string, part: string, at: Key | 'done'): Promise<void> {
  await sql`update moving_services set progress = jsonb_set(progress, array[${part}], ${JSON.stringify(at)}::jsonb)
    where service_id = ${serviceId}`.execute(tx);
}

export async function updateCopiedUntil(tx: Tx, serviceId: string, copied_until: string): Promise<void> {
  await sql`update moving_services set copied_until = ${copied_until}::xid8 where service_id = ${serviceId}`.execute(
    tx,
  );
}

export async function deleteMoving(tx: Db | Tx, serviceId: string): Promise<void> {
  await sql`delete from moving_services where service_id = ${serviceId}`.execute(tx);
}

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

/** Places that the other store does not have yet, as rows of the queue. */
export async function selectHeldPlaces(
  db: Db | Tx,
  serviceId: string,
): Promise<{ ids: string[]; rows: string } | undefined> {
  const { rows } = await sql<{ ids: string[] | null; rows: string | null }>`
    select array_agg(notification_id) as ids, json_agg(to_jsonb(h) - 'is_copied')::text as rows from (
      select * from held_places where service_id = ${serviceId} and not is_copied limit 10000) as h`.execute(db);
  const { ids, rows: places } = rows[0] ?? {};
  return ids && places ? { ids, rows: places } : undefined;
}

export async function markCopied(db: Db | Tx, ids: string[]): Promise<void> {
  await sql`update held_places set is_copied = true where notification_id = any (${ids}::uuid[])`.execute(db);
}

export async function deleteHeldPlaces(tx: Tx, serviceId: string): Promise<void> {
  await sql`delete from held_places where service_id = ${serviceId}`.execute(tx);
}

export async function insertArrivingRows(tx: Tx, serviceId: string, table: string, rows: string): Promise<void> {
  await sql`insert into arriving_rows (service_id, table_name, rows) values (${serviceId}, ${table}, ${rows}::json)`.execute(
    tx,
  );
}

export async function selectArrivingRows(tx: Tx, serviceId: string): Promise<{ table_name: string; rows: string }[]> {
  const { rows } = await sql<{ table_name: string; rows: string }>`
    select table_name, rows::text as rows from arriving_rows where service_id = ${serviceId}`.execute(tx);
  return rows;
}

/** All of them, or those of some tables. */
export async function deleteArrivingRows(tx: Tx, serviceId: string, tables?: readonly string[]): Promise<void> {
  await sql`delete from arriving_rows where service_id = ${serviceId}
    and (${tables === undefined} or table_name = any (${[...(tables ?? [])]}::text[]))`.execute(tx);
}

/** Whether rollups of the service wait to be added up or folded. */
export async function hasUnfolded(db: Db, serviceId: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from status_count_changes where service_id = ${serviceId})
      or exists (select from usage_changes where service_id = ${serviceId})
      or exists (select from daily_status_counts where service_id = ${serviceId} and not folded)
      or exists (select from daily_usage where service_id = ${serviceId} and not folded) as found`.execute(db);
  return rows[0]?.found ?? false;
}

/** Whether a store has rows of a service that is at home elsewhere. */
export async function hasMovingServices(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select from moving_services) as found`.execute(db);
  return rows[0]?.found ?? false;
}
