import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Key } from '../../stores/copied-rows.ts';
import { rollupTables } from './moved-tables.ts';
import type { ServiceTable } from './service-rows.sql.ts';

/** Of the triggers of one move. */
const nameOf = (serviceId: string) => `follow_move_of_${serviceId.replaceAll('-', '')}`;

/**
 * Lists the changed rows of a service from now on, and refuses changes once the service is closed. Only writes of this service pay for it;
 * in tables without `service_id` all do.
 */
export async function followTable(tx: Tx, table: ServiceTable, serviceId: string): Promise<void> {
  if (rollupTables.includes(table.name)) return;
  const { parent, key } = table;
  const found = parent ? [parent.table, parent.column, parent.own] : ['', '', ''];
  const texts = [serviceId, table.name, ...found, ...key].map((text) => sql.lit(text));
  const call = sql`for each row ${parent ? sql`` : whenOf('new', serviceId)} execute function follow_moving_service(${sql.join(texts)})`;
  const onDelete = sql`for each row ${parent ? sql`` : whenOf('old', serviceId)} execute function follow_moving_service(${sql.join(texts)})`;
  const name = nameOf(serviceId);
  await sql`create or replace trigger ${sql.ref(name)} after insert or update on ${sql.table(table.name)} ${call}`.execute(
    tx,
  );
  await sql`create or replace trigger ${sql.ref(`${name}_delete`)} after delete on ${sql.table(table.name)} ${onDelete}`.execute(
    tx,
  );
}

/** See `hold_new_place`. */
export async function holdNewPlaces(tx: Tx, serviceId: string): Promise<void> {
  await sql`create or replace trigger ${sql.ref(nameOf(serviceId))} before insert on delivery_queue
    for each row ${whenOf('new', serviceId)} execute function hold_new_place()`.execute(tx);
}

const whenOf = (row: 'new' | 'old', serviceId: string): RawBuilder<unknown> =>
  sql`when (${sql.raw(row)}.service_id = ${sql.lit(serviceId)})`;

export async function unfollowTable(tx: Tx, table: string, serviceId: string): Promise<void> {
  const name = nameOf(serviceId);
  for (const trigger of [name, `${name}_delete`]) {
    await sql`drop trigger if exists ${sql.ref(trigger)} on ${sql.table(table)}`.execute(tx);
  }
}

export async function selectChangesOf(
  tx: Tx,
  serviceId: string,
  since: string,
): Promise<{ table_name: string; keys: Key[] }[]> {
  const { rows } = await sql<{ table_name: string; keys: Key[] }>`
    select table_name, jsonb_agg(distinct key) as keys from service_changes
    where service_id = ${serviceId} and changed_in >= ${since}::xid8 group by table_name`.execute(tx);
  return rows;
}

export async function deleteChangesOf(db: Db | Tx, serviceId: string, before: string): Promise<void> {
  await sql`delete from service_changes where service_id = ${serviceId} and changed_in < ${before}::xid8`.execute(db);
}

export async function deleteAllChangesOf(tx: Tx, serviceId: string): Promise<void> {
  await tx.deleteFrom('service_changes').where('service_id', '=', serviceId).execute();
}
