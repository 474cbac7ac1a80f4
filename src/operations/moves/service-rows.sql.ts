import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type CopiedTable, columnsOf, type Key } from '../../stores/copied-rows.ts';
import type { MovedTable } from './moved-tables.ts';

export type ServiceTable = MovedTable & CopiedTable;

/** Whether the row `t` is about the service. */
export function isOfService({ parent }: MovedTable, serviceId: string): RawBuilder<unknown> {
  if (!parent) return sql`t.service_id = ${serviceId}::uuid`;
  return sql`exists (select from ${sql.table(parent.table)} as p
    where p.${sql.ref(parent.column)} = t.${sql.ref(parent.own)} and p.service_id = ${serviceId}::uuid)`;
}

/** Whether the row `t` may be in both stores for a while. */
export function isCopiedBefore({ atSwitch }: MovedTable): RawBuilder<unknown> {
  return sql`not (${sql.raw(atSwitch ?? 'false')})`;
}

interface Page {
  rows: string;
  count: number;
  last: Key | null;
}

/** The next rows of a service that may be in both stores, by primary key. */
export async function selectPage(
  db: Db,
  table: ServiceTable,
  serviceId: string,
  { part, after, limit }: { part: string; after: Key | undefined; limit: number },
): Promise<Page> {
  const isLater = after
    ? sql`(${columnsOf(table.key, 't')}) > (${sql.join(table.key.map((column) => after[column]))})`
    : sql`true`;
  const { rows } = await sql<Page>`
    with page as materialized (
      select t.* from ${sql.table(table.name)} as t
      where ${isOfService(table, serviceId)} and ${isCopiedBefore(table)} and ${sql.raw(part)} and ${isLater}
      order by ${columnsOf(table.key, 't')} limit ${limit}
    )
    select (select coalesce(json_agg(page), '[]')::text from page) as rows, (select count(*) from page) as count,
      (select to_json(l) from (select ${columnsOf(table.key)} from page
        order by ${sql.join(table.key.map((column) => sql`${sql.ref(column)} desc`))} limit 1) as l) as last`.execute(
    db,
  );
  return rows[0] as Page;
}

/** Rows that are moved at the switch, in batches. */
export async function selectSwitchRows(tx: Tx, table: ServiceTable, serviceId: string): Promise<string[]> {
  const { rows } = await sql<{ rows: string }>`
    with found as (
      select t as row, row_number() over () as number from ${sql.table(table.name)} as t
      where ${isOfService(table, serviceId)} and (${sql.raw(table.atSwitch ?? 'false')})
    )
    select json_agg(row)::text as rows from found group by number / 10000`.execute(tx);
  return rows.map((batch) => batch.rows);
}

export async function deleteSwitchRows(tx: Tx, table: MovedTable, serviceId: string): Promise<void> {
  await sql`
    delete from ${sql.table(table.name)} as t
    where ${isOfService(table, serviceId)} and (${sql.raw(table.atSwitch ?? 'false')})`.execute(tx);
}

/** Returns how many rows were deleted: fewer than `limit` were the last ones. */
export async function deletePage(
  db: Db,
  table: ServiceTable,
  serviceId: string,
  { part, limit }: { part: string; limit: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with deleted as (
      delete from ${sql.table(table.name)} where (${columnsOf(table.key)}) in (
        select ${columnsOf(table.key, 't')} from ${sql.table(table.name)} as t
        where ${isOfService(table, serviceId)} and ${sql.raw(part)} limit ${limit})
      returning 1
    )
    select count(*) as count from deleted`.execute(db);
  return rows[0]?.count ?? 0;
}
