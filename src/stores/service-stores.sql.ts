import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';

export async function findStoreNumber(db: Db, service_id: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('service_stores')
    .select('store')
    .where('service_id', '=', service_id)
    .executeTakeFirst();
  return row?.store;
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
