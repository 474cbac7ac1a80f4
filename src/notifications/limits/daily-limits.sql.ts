import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { LimitedChannel } from '../notification.ts';

interface DayOfLimit {
  service_id: string;
  utc_day: string;
  channel: LimitedChannel;
}

/** Adds to a count unless it would exceed the limit. Locks the row either way. */
export async function addWithinLimit(
  tx: Tx,
  { service_id, utc_day, channel }: DayOfLimit,
  messages: number,
  limit: number,
): Promise<boolean> {
  const { rows } = await sql`
    insert into daily_message_counts as c (service_id, utc_day, channel, count, last_limit, last_taken)
    select ${service_id}, ${utc_day}, ${channel}, ${messages}, ${limit}, ${messages}
    where ${messages}::integer <= ${limit}::integer
    on conflict (service_id, utc_day, channel) do update
      set count = c.count + excluded.count, last_limit = excluded.last_limit, last_taken = excluded.last_taken
      where c.count + excluded.count <= excluded.last_limit
    returning true`.execute(tx);
  return rows.length > 0;
}

export async function selectCount(tx: Db | Tx, { service_id, utc_day, channel }: DayOfLimit): Promise<number> {
  const row = await tx
    .selectFrom('daily_message_counts')
    .select('count')
    .where('service_id', '=', service_id)
    .where('utc_day', '=', utc_day)
    .where('channel', '=', channel)
    .executeTakeFirst();
  return row?.count ?? 0;
}

export async function subtractFromCount(
  tx: Tx,
  { service_id, utc_day, channel }: DayOfLimit,
  messages: number,
): Promise<void> {
  await sql`
    update daily_message_counts set count = greatest(0, count - ${messages})
    where service_id = ${service_id} and utc_day = ${utc_day} and channel = ${channel}`.execute(tx);
}

/** Makes every process reload the service after the commit, because its cached counts may be too high. */
export async function invalidateServiceCache(tx: Tx, serviceId: string): Promise<void> {
  await sql`select pg_notify('service_changed', ${serviceId})`.execute(tx);
}
