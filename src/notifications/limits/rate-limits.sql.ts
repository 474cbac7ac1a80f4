import type pg from 'pg';
import type { Db } from '../../platform/db/database.ts';
import type { KeyType } from '../../protocol/key-types.ts';

export type RateWindow = KeyType | `read-${KeyType}`;

interface RateRequest {
  service_id: string;
  key_type: RateWindow;
  /** Requests already granted. */
  already: number;
  /** Requests waiting for a decision. */
  waiting: number;
  request_limit: number;
}

export interface RateGrant {
  service_id: string;
  key_type: RateWindow;
  granted: number;
  /** Requests in the window, including those just granted. */
  used: number;
  oldest_slot: number | null;
}

/** Ordered by key, so that all processes take their locks in the same order. */
const takePermits = `/* prepared: rate-permits */
  select r.service_id, r.key_type, taken.granted, taken.used, taken.oldest_slot
  from (
    select * from json_to_recordset($1::json) as r (service_id uuid, key_type text, already int, waiting int, request_limit int)
    order by service_id, key_type
  ) as r
  cross join lateral take_rate_permits(r.service_id, r.key_type, $2::bigint, $3::int, r.already, r.waiting, r.request_limit) as taken`;

/** Much shorter than for other statements, because requests wait for it. */
const timeout_ms = 5_000;

export async function takeRatePermits(
  pool: pg.Pool,
  requests: RateRequest[],
  now: { slot: number; window_slots: number },
): Promise<RateGrant[]> {
  const query: pg.QueryConfig & { query_timeout: number } = {
    text: takePermits,
    values: [JSON.stringify(requests), now.slot, now.window_slots],
    query_timeout: timeout_ms,
  };
  return (await pool.query<RateGrant>(query)).rows;
}

/** Deletes windows without requests since a slot. */
export async function deleteRateWindows(db: Db, beforeSlot: number): Promise<void> {
  await db.deleteFrom('rate_windows').where('slot', '<', beforeSlot).execute();
}
