import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';

/** A table as PostgreSQL describes it. */
export interface CopiedTable {
  name: string;
  columns: string[];
  /** Columns of the primary key. */
  key: string[];
}

/** Values of the columns of a primary key. */
export type Key = Record<string, unknown>;

/** Generated columns are not copied: each database computes its own. */
export async function selectTables(db: Db, names: readonly string[]): Promise<CopiedTable[]> {
  const { rows } = await sql<CopiedTable>`
    select c.relname as name,
      array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns,
      array_agg(a.attname::text order by a.attnum) filter (where a.attnum = any (i.indkey)) as key
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relnamespace = 'public'::regnamespace and c.relname = any (${[...names]}::text[])
    group by c.relname order by c.relname`.execute(db);
  return rows;
}

/** As JSON text: JavaScript would change large numbers and exact decimals. The conditions are about the row `t`. */
export async function selectRows(
  tx: Tx,
  table: CopiedTable,
  keys: Key[],
  ...conditions: readonly RawBuilder<unknown>[]
): Promise<string> {
  const isWanted = conditions.map((condition) => sql`and ${condition}`);
  const { rows } = await sql<{ found: string }>`
    select coalesce(json_agg(t), '[]')::text as found from ${sql.table(table.name)} as t
    where (${columnsOf(table.key, 't')}) in (${keysOf(table, keys)}) ${sql.join(isWanted, sql` `)}`.execute(tx);
  return rows[0]?.found ?? '[]';
}

/** Makes the rows with these keys the given ones: inserts, updates and deletes. */
export async function replaceRows(tx: Tx, table: CopiedTable, keys: Key[], rows: string): Promise<void> {
  const { name, key } = table;
  await sql`
    delete from ${sql.table(name)} where (${columnsOf(key)}) in (${keysOf(table, keys)})
      and (${columnsOf(key)}) not in (select ${columnsOf(key)} from ${rowsOf(table, rows)})`.execute(tx);
  await insertRows(tx, table, rows);
}

/** A row with the same key is replaced. */
export async function insertRows(tx: Tx, table: CopiedTable, rows: string): Promise<void> {
  const { name, key, columns } = table;
  const others = columns.filter((column) => !key.includes(column));
  const changes = others.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`);
  await sql`
    insert into ${sql.table(name)} (${columnsOf(columns)}) select ${columnsOf(columns)} from ${rowsOf(table, rows)}
    on conflict (${columnsOf(key)}) ${others.length > 0 ? sql`do update set ${sql.join(changes)}` : sql`do nothing`}`.execute(
    tx,
  );
}

export function columnsOf(names: string[], alias?: string): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(alias === undefined ? name : `${alias}.${name}`)));
}

function rowsOf({ name }: CopiedTable, rows: string): RawBuilder<unknown> {
  return sql`json_populate_recordset(null::${sql.table(name)}, ${rows}::json)`;
}

function keysOf({ name, key }: CopiedTable, keys: Key[]): RawBuilder<unknown> {
  return sql`select ${columnsOf(key)} from json_populate_recordset(null::${sql.table(name)}, ${JSON.stringify(keys)}::json)`;
}
