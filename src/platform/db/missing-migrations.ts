import { sql } from 'kysely';
import type { Db } from './database.ts';
import { migrationFiles } from './migrate.ts';

/** The migrations of this release that a database lacks. */
export async function missingMigrations(db: Db): Promise<string[]> {
  const { rows: found } = await sql<{ kept: boolean }>`
    select to_regclass('schema_migrations') is not null as kept`.execute(db);
  if (!found[0]?.kept) return migrationFiles();
  const { rows } = await sql<{ name: string }>`select name from schema_migrations`.execute(db);
  const applied = new Set(rows.map(({ name }) => name));
  return migrationFiles().filter((name) => !applied.has(name));
}
