import type { Timestamp } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';

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
