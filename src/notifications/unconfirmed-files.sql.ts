import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';

export async function insertUnconfirmedFiles(db: Db, paths: string[], created_at: Timestamp): Promise<void> {
  await sql`
    insert into unconfirmed_files (path, created_at)
    select path, ${created_at} from unnest(${paths}::text[]) as path`.execute(db);
}

export async function deleteUnconfirmedFiles(db: Db | Tx, paths: string[]): Promise<void> {
  await sql`delete from unconfirmed_files where path = any (${paths}::text[])`.execute(db);
}

export async function selectUnconfirmedFiles(db: Db, before: Timestamp, limit: number): Promise<string[]> {
  const { rows } = await sql<{ path: string }>`
    select path from unconfirmed_files where created_at < ${before} order by path limit ${limit}`.execute(db);
  return rows.map(({ path }) => path);
}
