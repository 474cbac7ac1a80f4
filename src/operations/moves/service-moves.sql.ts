import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { updateServiceStore } from '../../stores/service-stores.ts';

export interface ServiceMove {
  service_id: string;
  from_store: number;
  to_store: number;
  /** Null until the service is at home in the other store. */
  switched_at: Timestamp | null;
}

export function selectMoves(main: Db): Promise<ServiceMove[]> {
  return main
    .selectFrom('service_moves')
    .select(['service_id', 'from_store', 'to_store', 'switched_at'])
    .orderBy('started_at')
    .execute();
}

export async function insertMove(main: Db, move: ServiceMove, started_at: Timestamp): Promise<void> {
  await main
    .insertInto('service_moves')
    .values({ ...move, started_at })
    .execute();
}

/** The moment of the switch: from its commit on, the service is at home in the other store. */
export async function switchStore(
  tx: Tx,
  { service_id, to_store }: ServiceMove,
  switched_at: Timestamp,
): Promise<void> {
  await updateServiceStore(tx, service_id, to_store);
  await tx.updateTable('service_moves').set({ switched_at }).where('service_id', '=', service_id).execute();
}

export async function deleteMove(main: Db, service_id: string): Promise<void> {
  await main.deleteFrom('service_moves').where('service_id', '=', service_id).execute();
}

/** Held by the process that moves the service, as long as its connection lasts. */
export async function tryToLockMove(main: Db, serviceId: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_lock(hashtextextended(${serviceId}, 39)) as locked`.execute(main);
  return rows[0]?.locked ?? false;
}

export async function unlockMove(main: Db, serviceId: string): Promise<void> {
  await sql`select pg_advisory_unlock(hashtextextended(${serviceId}, 39))`.execute(main);
}
