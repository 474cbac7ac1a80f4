import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

export async function selectTraces(db: Db, ids: string[]): Promise<{ notification_id: string; traceparent: string }[]> {
  const { rows } = await sql<{ notification_id: string; traceparent: string }>`
    select notification_id, traceparent from message_traces where notification_id = any (${ids}::uuid[])`.execute(db);
  return rows;
}

/** Ids begin with the time of the message. */
export async function deleteTracesBefore(db: Db, id: string, max: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from message_traces where notification_id in (
      select notification_id from message_traces where notification_id < ${id} order by notification_id limit ${max}
    )`.execute(db);
  return Number(numAffectedRows ?? 0);
}
