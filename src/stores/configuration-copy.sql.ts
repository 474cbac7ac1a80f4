import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import { type CopiedTable, columnsOf, type Key, selectTables } from './copied-rows.sql.ts';
import { copiedTables } from './tables.ts';

/** The tables of the configuration. */
export function selectCopiedTables(db: Db): Promise<CopiedTable[]> {
  return selectTables(db, copiedTables);
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
    select to_jsonb(k) as key from (select ${columnsOf(table.key)} from ${sql.table(table.name)}) as k`.execute(tx);
  return rows.map(({ key }) => key);
}
