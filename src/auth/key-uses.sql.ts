import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';

/** Writes in id order, so that two processes cannot deadlock. Skips deleted keys. */
export async function upsertKeyUses(db: Db, uses: { api_key_id: string; last_used_at: Timestamp }[]): Promise<void> {
  await sql`
    insert into api_key_uses as existing (api_key_id, last_used_at)
    select u.api_key_id, u.last_used_at
    from json_to_recordset(${JSON.stringify(uses)}::json) as u (api_key_id uuid, last_used_at timestamptz)
    where exists (select from api_keys k where k.id = u.api_key_id)
    order by u.api_key_id
    on conflict (api_key_id) do update set last_used_at = greatest(existing.last_used_at, excluded.last_used_at)`.execute(
    db,
  );
}
