import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import { copiedTables } from './tables.ts';

/** A table of the configuration, as PostgreSQL describes it. */
export interface CopiedTable {
  name: string;
  columns: string[];
  /** Columns of the primary key. */
  key: string[];
}

/** Values of the columns of a primary key. */
export type Key = Record<string, unknown>;

/** Generated columns are not copied: each database computes its own. */
export async function selectCopiedTables(db: Db): Promise<CopiedTable[]> {
  const { rows } = await sql<CopiedTable>`
    select c.relname as name,
      array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns,
      array_agg(a.attname::text order by a.attnum) filter (where a.attnum = any (i.indkey)) as key
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relnamespace = 'public'::regnamespace and c.relname = any (${[...copiedTables]}::text[])
    group by c.relname order by c.relname`.execute(db);
  return rows;
}

/** One copy at a time, until the end of the transaction: in which the tables of the configuration may be changed. */
export async function beginCopying(tx: Tx): Promise<{ copied_until: string | null }> {
  await sql`select set_config('pennypost.copying', 'on', true)`.execute(tx);
  const { rows } = await sql<{ copied_until: string | null }>`
    select copied_until::text as copied_until from this_store for update`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('This database is no store');
  return row;
}

export async function endCopying(tx: Tx, copied_until: string): Promise<void> {
  await sql`update this_store set copied_until = ${copied_until}::xid8`.execute(tx);
}

/**
 * `horizon`: every earlier transaction has ended and is visible. `next`: no transaction has this number or a later one; if a store
 * has copied until later than that, the main database was replaced by a restored one.
 */
export async function selectHorizon(db: Db): Promise<{ horizon: string; next: string }> {
  const { rows } = await sql<{ horizon: string; next: string }>`
    select pg_snapshot_xmin(s)::text as horizon, pg_snapshot_xmax(s)::text as next from pg_current_snapshot() as s`.execute(
    db,
  );
  return rows[0] as { horizon: string; next: string };
}

/** The next copy copies everything. */
export async function forgetCopies(tx: Tx): Promise<void> {
  await sql`update this_store set copied_until = null`.execute(tx);
}

export async function selectChanges(tx: Tx, since: string): Promise<{ table_name: string; keys: Key[] }[]> {
  const { rows } = await sql<{ table_name: string; keys: Key[] }>`
    select table_name, jsonb_agg(distinct key) as keys from configuration_changes
    where changed_in >= ${since}::xid8 group by table_name`.execute(tx);
  return rows;
}

/** Of the transactions from `since` to before `until`. */
export async function countChanges(db: Db, since: string, until: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from configuration_changes
    where changed_in >= ${since}::xid8 and changed_in < ${until}::xid8`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Also true if the main database was replaced by a restored one. */
export async function hasChangesSince(db: Db, since: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`/* prepared: configuration-changes */
    select exists (select from configuration_changes where changed_in >= ${since}::xid8)
      or ${since}::xid8 > pg_snapshot_xmax(pg_current_snapshot()) as found`.execute(db);
  return rows[0]?.found ?? false;
}

export async function deleteChangesBefore(db: Db, horizon: string): Promise<void> {
  await sql`delete from configuration_changes where changed_in < ${horizon}::xid8`.execute(db);
}

export async function selectAllKeys(tx: Tx, table: CopiedTable): Promise<Key[]> {
  const { rows } = await sql<{ key: Key }>`
    select to_jsonb(k) as key from (select ${columns(table.key)} from ${sql.table(table.name)}) as k`.execute(tx);
  return rows.map(({ key }) => key);
}

/** As JSON text: JavaScript would change large numbers and exact decimals. */
export async function selectRows(tx: Tx, table: CopiedTable, keys: Key[]): Promise<string> {
  const { rows } = await sql<{ found: string }>`
    select coalesce(jsonb_agg(t), '[]')::text as found from ${sql.table(table.name)} as t
    where (${columns(table.key)}) in (${keysOf(table, keys)})`.execute(tx);
  return rows[0]?.found ?? '[]';
}

/** Makes the rows with these keys the given ones: inserts, updates and deletes. */
export async function replaceRows(tx: Tx, table: CopiedTable, keys: Key[], rows: string): Promise<void> {
  const { name, key } = table;
  const given = sql`jsonb_populate_recordset(null::${sql.table(name)}, ${rows}::jsonb)`;
  await sql`
    delete from ${sql.table(name)} where (${columns(key)}) in (${keysOf(table, keys)})
      and (${columns(key)}) not in (select ${columns(key)} from ${given})`.execute(tx);
  const others = table.columns.filter((column) => !key.includes(column));
  const changes = others.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`);
  await sql`
    insert into ${sql.table(name)} (${columns(table.columns)}) select ${columns(table.columns)} from ${given}
    on conflict (${columns(key)}) ${others.length > 0 ? sql`do update set ${sql.join(changes)}` : sql`do nothing`}`.execute(
    tx,
  );
}

function columns(names: string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(name)));
}

function keysOf({ name, key }: CopiedTable, keys: Key[]): RawBuilder<unknown> {
  return sql`select ${columns(key)} from jsonb_populate_recordset(null::${sql.table(name)}, ${JSON.stringify(keys)}::jsonb)`;
}
