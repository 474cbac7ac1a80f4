import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';

export async function deleteEventsBefore(db: Db, before: Timestamp, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from events where id in (
      select id from events where created_at < ${before} order by created_at limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}

export function insertEvent(
  db: Db,
  row: { id: string; event_type: string; data: Record<string, unknown>; created_at: Timestamp },
) {
  return db
    .insertInto('events')
    .values({ ...row, data: JSON.stringify(row.data) })
    .returning(['id', 'event_type', 'data', 'created_at'])
    .executeTakeFirstOrThrow();
}
