import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';

export async function findStoreNumber(db: Db, service_id: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('service_stores')
    .select('store')
    .where('service_id', '=', service_id)
    .executeTakeFirst();
  return row?.store;
}

export async function updateServiceStore(tx: Tx, service_id: string, store: number): Promise<void> {
  await sql`insert into service_stores (service_id, store) values (${service_id}, ${store})
    on conflict (service_id) do update set store = excluded.store`.execute(tx);
}

/** The open store with the fewest services; one is always open. */
export async function findEmptiestStore(main: Db): Promise<number> {
  const { rows } = await sql<{ number: number }>`
    select number from message_stores where is_open
    order by (select count(*) from service_stores where store = number), number limit 1`.execute(main);
  return rows[0]?.number ?? 0;
}

/** The open store with the fewest services. Locked, so that services that are created together go to different ones. */
export async function insertServiceStore(tx: Tx, service_id: string): Promise<void> {
  await sql`
    with stores as materialized (select number from message_stores where is_open for update),
      emptiest as (
        select number from stores
        order by (select count(*) from service_stores where store = number), number limit 1
      )
    insert into service_stores (service_id, store) select ${service_id}::uuid, number from emptiest`.execute(tx);
}

/** Whether rows of the service can be changed here: not while it is at home in another store, or changes its home. */
export function isHere(serviceId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`not exists (select from moving_services m where m.service_id = ${serviceId} and m.state in ('arriving', 'closed', 'gone'))`;
}
