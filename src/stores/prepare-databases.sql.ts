import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';
import { selectCopiedTables } from './configuration-copy.sql.ts';
import { copiedTables, mainTables } from './tables.ts';

/** Records changes of the configuration from now on, so that stores can copy them. Does nothing where it was done. */
export async function recordConfigurationChanges(tx: Tx): Promise<void> {
  const unrecorded = await tablesWithoutTrigger(tx, copiedTables, 'record_configuration_change');
  const tables = unrecorded.length > 0 ? await selectCopiedTables(tx) : [];
  for (const { name, key } of tables.filter((table) => unrecorded.includes(table.name))) {
    await sql`create or replace trigger record_configuration_change after insert or update or delete on ${sql.table(name)}
      for each row execute function record_configuration_change(${sql.join(key.map((column) => sql.lit(column)))})`.execute(
      tx,
    );
  }
}

/**
 * Makes the configuration in a store a copy. The main database has checked its keys and references; here they would refuse rows
 * that are copied in another order than they were changed in, and messages whose template has not been copied yet. Returns whether
 * there was anything to do, as after a migration that created a table.
 */
export async function makeConfigurationCopy(tx: Tx): Promise<boolean> {
  const copied = sql`${[...copiedTables]}::text[]`;
  const { rows: constraints } = await sql<{ table: string; name: string; index: string | null }>`
    select c.conrelid::regclass::text as table, c.conname as name,
      case when c.contype = 'u' then pg_get_indexdef(c.conindid) end as index
    from pg_constraint c
    where c.connamespace = 'public'::regnamespace
      and (c.contype = 'f' and c.confrelid::regclass::text = any (${copied})
        or c.contype = 'u' and c.conrelid::regclass::text = any (${copied}))`.execute(tx);
  for (const { table, name, index } of constraints) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(tx);
    if (index !== null) await sql.raw(notUnique(index)).execute(tx);
  }
  const { rows: indexes } = await sql<{ name: string; definition: string }>`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
    where i.indisunique and not i.indisprimary and i.indrelid::regclass::text = any (${copied})`.execute(tx);
  for (const { name, definition } of indexes) {
    await sql`drop index ${sql.table(name)}`.execute(tx);
    await sql.raw(notUnique(definition)).execute(tx);
  }
  const unprotected = await tablesWithoutTrigger(tx, [...copiedTables, ...mainTables], 'refuse_configuration_change');
  for (const table of unprotected) {
    await sql`create or replace trigger refuse_configuration_change before insert or update or delete on ${sql.table(table)}
      for each statement execute function refuse_configuration_change()`.execute(tx);
  }
  return constraints.length + indexes.length + unprotected.length > 0;
}

async function tablesWithoutTrigger(tx: Tx, tables: readonly string[], trigger: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${[...tables]}::text[]) as name
    where to_regclass(name) is not null
      and not exists (select from pg_trigger where tgrelid = to_regclass(name) and tgname = ${trigger})`.execute(tx);
  return rows.map(({ name }) => name);
}

const notUnique = (definition: string) => definition.replace(/^CREATE UNIQUE INDEX/, 'create index');
