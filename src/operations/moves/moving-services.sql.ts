import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Key } from '../../stores/copied-rows.ts';

/** For the rest of the transaction: its writes about a moving service are neither listed nor refused. */
export async function writeAsMover(tx: Tx): Promise<void> {
  await sql`select set_config('pennypost.moving', 'on', true)`.execute(tx);
}

/** For the rest of the transaction: other writers wait behind a lock that it waits for. */
export async function waitBrieflyForLocks(tx: Tx): Promise<void> {
  await sql`set local lock_timeout = '500ms'`.execute(tx);
}

export type State = 'leaving' | 'holding' | 'closed' | 'gone' | 'arriving';

interface MovingService {
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

export async function deleteArrivingRows(tx: Tx, serviceId: string): Promise<void> {
  await sql`delete from arriving_rows where service_id = ${serviceId}`.execute(tx);
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
