import type pg from 'pg';
import type { KeyType } from '../../auth/api-keys.ts';
import type { Db } from '../../platform/db/database.ts';

export type RateWindow = KeyType | `read-${KeyType}`;

interface RateRequest {
  service_id: string;
  key_type: RateWindow;
  /** Let through already. */
  already: number;
  /** Waiting for an answer. */
  waiting: number;
  top: number;
}

export interface RateGrant {
  service_id: string;
  key_type: RateWindow;
  granted: number;
  /** In the window now, with what was just added. */
  used: number;
  oldest_slot: number | null;
}

/** In the order of their keys: two processes then take their locks in the same order. */
const takePermits = `/* prepared: rate-permits */
  select r.service_id, r.key_type, taken.granted, taken.used, taken.oldest_slot
  from (
    select * from json_to_recordset($1::json) as r (service_id uuid, key_type text, already int, waiting int, top int)
    order by service_id, key_type
  ) as r
  cross join lateral take_rate_permits(r.service_id, r.key_type, $2::bigint, $3::int, r.already, r.waiting, r.top) as taken`;

/** Requests wait for it, so it is given up long before other statements are. */
const within_ms = 5_000;

export async function takeRatePermits(
  pool: pg.Pool,
  requests: RateRequest[],
  now: { slot: number; window_slots: number },
): Promise<RateGrant[]> {
  const query: pg.QueryConfig & { query_timeout: number } = {
    text: takePermits,
    values: [JSON.stringify(requests), now.slot, now.window_slots],
    query_timeout: within_ms,
  };
  return (await pool.query<RateGrant>(query)).rows;
}

/** Windows nobody has asked for since. */
export async function deleteRateWindows(db: Db, beforeSlot: number): Promise<void> {
  await db.deleteFrom('rate_windows').where('slot', '<', beforeSlot).execute();
}
