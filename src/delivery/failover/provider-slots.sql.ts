import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

interface SlotOrder {
  provider: string;
  count: number;
  /** The time between two slots. */
  gap_ms: number;
  /** How far in the future slots are granted. */
  ahead_ms: number;
}

export interface GrantedSlots {
  granted: number;
  /** The time until the last slot ends, which is one gap after it begins. */
  end_in_ms: number;
}

/**
 * Reserves the next free slots of a provider for one worker. All times are relative to the database's clock, the only one that all workers
 * share. If that clock was set back, the next slot is at most one gap beyond `ahead_ms`.
 */
export async function reserveSlots(db: Db, order: SlotOrder): Promise<GrantedSlots> {
  const { provider, count, gap_ms, ahead_ms } = order;
  const clock = sql`(select extract(epoch from clock_timestamp())::float8 * 1000 as now_ms) as clock`;
  const moment = (ms: ReturnType<typeof sql>) => sql`to_timestamp((${ms}) / 1000)`;
  const gap = sql`${gap_ms}::float8`;
  const ahead = sql`${ahead_ms}::float8`;
  const { rows } = await sql<GrantedSlots>`/* prepared: reserve-slots */
    insert into provider_slots as p (provider, next_at, granted)
    select ${provider}, ${moment(sql`now_ms + n * ${gap}`)}, n
    from ${clock}, (select least(${count}::int, ceil(${ahead} / ${gap})::int) as n) as first_grant
    on conflict (provider) do update set (next_at, granted) = (
      select ${moment(sql`start_ms + n * ${gap}`)}, n
      from ${clock}
        cross join lateral (
          select least(greatest(extract(epoch from p.next_at)::float8 * 1000, now_ms), now_ms + ${ahead} + ${gap}) as start_ms
        ) as free
        cross join lateral (
          select greatest(0, least(${count}::int, ceil((now_ms + ${ahead} - start_ms) / ${gap})::int)) as n
        ) as next_grant
    )
    returning granted, extract(epoch from next_at - clock_timestamp())::float8 * 1000 as end_in_ms`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL returned no row');
  return row;
}
