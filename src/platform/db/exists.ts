import { sql } from 'kysely';
import { notFound } from '../failure.ts';
import type { Db, Tx } from './database.ts';
import type { DB } from './schema.ts';

type TableWithId = { [Table in keyof DB]: 'id' extends keyof DB[Table] ? Table : never }[keyof DB];

export async function exists(db: Db | Tx, table: TableWithId, id: string): Promise<boolean> {
  return (await selectUnknownIds(db, [{ field: 'id', table, id }])).length === 0;
}

/** For reads of rows with a parent: without this check, an unknown parent id would look like an empty list. Writes rely on constraints. */
export async function refuseUnlessExists(db: Db | Tx, table: TableWithId, id: string): Promise<void> {
  if (!(await exists(db, table, id))) throw notFound();
}

/** Returns the fields whose id does not exist, to report all of them at once. */
export async function selectUnknownIds<Field extends string>(
  db: Db | Tx,
  given: { field: Field; table: TableWithId; id: string }[],
): Promise<Field[]> {
  if (given.length === 0) return [];
  const checks = given.map(
    ({ field, table, id }) =>
      sql`select ${field}::text as field where not exists (select from ${sql.table(table)} where id = ${id})`,
  );
  const { rows } = await sql<{ field: Field }>`${sql.join(checks, sql` union all `)}`.execute(db);
  return rows.map(({ field }) => field);
}
