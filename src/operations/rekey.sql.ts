import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';

export async function selectMigrations(db: Db): Promise<string[]> {
  const { rows: found } = await sql<{ kept: boolean }>`
    select to_regclass('schema_migrations') is not null as kept`.execute(db);
  if (!found[0]?.kept) return [];
  const { rows } = await sql<{ name: string }>`select name from schema_migrations`.execute(db);
  return rows.map(({ name }) => name);
}
