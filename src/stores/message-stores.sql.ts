import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { MessageStores, ThisStore } from '../platform/db/schema.ts';

type MessageStore = Selectable<MessageStores>;

export function selectStores(db: Db): Promise<MessageStore[]> {
  return db.selectFrom('message_stores').selectAll().orderBy('number').execute();
}

/** Keeps the state of a store that is known. */
export async function insertStore(db: Db, number: number, added_at: Timestamp): Promise<void> {
  await db
    .insertInto('message_stores')
    .values({ number, is_open: true, added_at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Whether a database was prepared as one: an empty one has not even the table that says it. */
export async function isStore(db: Db): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`select to_regclass('this_store') is not null as is`.execute(db);
  return rows[0]?.is ?? false;
}

export function findThisStore(db: Db): Promise<Selectable<ThisStore> | undefined> {
  return db.selectFrom('this_store').selectAll().executeTakeFirst();
}

export async function insertThisStore(tx: Tx, number: number, installation: string): Promise<void> {
  await tx
    .insertInto('this_store')
    .values({ number, installation })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function setOpen(db: Db, number: number, is_open: boolean): Promise<void> {
  await db.updateTable('message_stores').set({ is_open }).where('number', '=', number).execute();
}

/** How many services are at home in each store; those that have no row are in the main one. */
export async function countServicesByStore(db: Db): Promise<Map<number, number>> {
  const { rows } = await sql<{ store: number; services: number }>`
    select coalesce(home.store, 0) as store, count(*) as services
    from services left join service_stores home on home.service_id = services.id group by 1`.execute(db);
  return new Map(rows.map(({ store, services }) => [store, services]));
}

/** The ids of the services that are at home in a store. */
export async function selectServicesOf(main: Db, store: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from services left join service_stores home on home.service_id = services.id
    where coalesce(home.store, 0) = ${store} order by id`.execute(main);
  return rows.map(({ id }) => id);
}

/** Whether services were created in this database: then it is a main database. */
export async function hasOwnServices(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select from services) as found`.execute(db);
  return rows[0]?.found ?? false;
}
