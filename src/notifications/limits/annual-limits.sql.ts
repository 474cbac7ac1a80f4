import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { TextUnit } from '../../services/settings/text-unit.ts';
import type { LimitedChannel } from '../notification.ts';
import { waitsUpTo } from '../sending/idempotency.sql.ts';

/** An annual counter of a service or of its organisation. */
export interface YearOfLimit {
  owner_kind: 'service' | 'organisation';
  owner_id: string;
  year_start: string;
  channel: Channel;
  unit: TextUnit;
}

/** Messages of a file that are counted before they are stored. */
export interface Reserved {
  messages: number;
  /** Null if messages are counted. */
  parts: number | null;
}

/** The annual limits of a service or of its organisation. */
export interface AnnualLimits extends Pick<YearOfLimit, 'owner_kind' | 'owner_id'> {
  limits: Readonly<Record<Channel, number | null>>;
}

export interface DayOfLimit {
  service_id: string;
  utc_day: string;
  channel: LimitedChannel;
}

/**
 * Locks and reads daily counters until the transaction ends. Locks in the same order as the statement that stores single messages:
 * international first, then by key.
 */
export async function lockDayCounts(tx: Tx, days: DayOfLimit[], lockTimeout_ms: number): Promise<number[]> {
  const { rows } = await sql<{ place: number; count: number }>`
    with ${sql.raw(waitsUpTo(`'${lockTimeout_ms}ms'`))}, asked as (
      select * from rows from (json_to_recordset(${JSON.stringify(days)}::json)
        as (service_id uuid, utc_day date, channel text)) with ordinality as day (service_id, utc_day, channel, place)
    ), locked as (
      insert into daily_message_counts as c (service_id, utc_day, channel, count)
      select service_id, utc_day, channel, 0 from asked cross join waits
      order by channel <> 'international_sms', service_id, utc_day, channel
      on conflict (service_id, utc_day, channel) do update set count = c.count
      returning c.service_id, c.utc_day, c.channel, c.count
    )
    select place::integer, count from asked join locked using (service_id, utc_day, channel) order by place`.execute(
    tx,
  );
  return rows.map(({ count }) => count);
}

export async function addToDayCounts(tx: Tx, days: (DayOfLimit & { added: number })[]): Promise<void> {
  if (days.length === 0) return;
  await sql`
    update daily_message_counts c set count = c.count + day.added
    from json_to_recordset(${JSON.stringify(days)}::json)
      as day (service_id uuid, utc_day date, channel text, added integer)
    where c.service_id = day.service_id and c.utc_day = day.utc_day and c.channel = day.channel`.execute(tx);
}

/** Locks and reads annual counters. Lock them after daily ones, because services share those of their organisation. */
export async function lockYearCounts(
  tx: Tx,
  years: readonly YearOfLimit[],
): Promise<{ count: number; is_new: boolean }[]> {
  const { rows } = await sql<{ count: number; is_new: boolean }>`
    with asked as (
      select * from rows from (json_to_recordset(${JSON.stringify(years)}::json)
        as (owner_kind text, owner_id uuid, year_start date, channel text, unit text))
        with ordinality as year (owner_kind, owner_id, year_start, channel, unit, place)
    ), locked as (
      insert into annual_counts as c (owner_kind, owner_id, year_start, channel, unit, count)
      select owner_kind, owner_id, year_start, channel, unit, 0 from asked
      order by owner_kind desc, owner_id, year_start, channel
      on conflict (owner_kind, owner_id, year_start, channel) do update set count = c.count
      returning c.*, xmax = 0 as is_new
    )
    select locked.count, is_new or locked.unit <> asked.unit as is_new from asked join locked using (owner_kind, owner_id, year_start, channel)
    order by place`.execute(tx);
  return rows;
}

export async function addToYearCounts(tx: Tx, years: (YearOfLimit & { added: number })[]): Promise<void> {
  if (years.length === 0) return;
  await sql`
    update annual_counts c set count = c.count + year.added
    from json_to_recordset(${JSON.stringify(years)}::json)
      as year (owner_kind text, owner_id uuid, year_start date, channel text, added integer)
    where c.owner_kind = year.owner_kind and c.owner_id = year.owner_id and c.year_start = year.year_start
      and c.channel = year.channel`.execute(tx);
}

const ownedBy = ({ owner_kind, owner_id }: YearOfLimit) =>
  owner_kind === 'service'
    ? sql`= ${owner_id}::uuid`
    : sql`in (select id from services where organisation_id = ${owner_id}::uuid)`;

/** Parts sent so far. Texts that wait count as one part each until they are sent. */
const partsSoFar = (year: YearOfLimit) => sql`(
  select coalesce(sum(billable_units), 0) from usage_counts
  where service_id ${ownedBy(year)} and london_day >= ${year.year_start}::date and notification_type = 'sms'
) +`;

/**
 * The number accepted in a year so far. Each message is added to the statistics in the commit that accepts it; rows reserved by files are
 * added to that. `exceptJob` is a file that is about to reserve its rows. Cancelled messages do not count.
 */
const acceptedSoFar = (year: YearOfLimit, exceptJob: string | undefined) => sql<number>`${
  year.unit === 'parts' ? partsSoFar(year) : sql``
} (
  select coalesce(sum(count), 0) from status_counts
  where service_id ${ownedBy(year)} and london_day >= ${year.year_start}::date and notification_type = ${year.channel}
    and key_type <> 'test' and ${year.unit === 'parts' ? sql`status = 'created'` : sql`status <> 'cancelled'`}
) + (
  select coalesce(sum(${year.unit === 'parts' ? sql`coalesce(reserved_parts, reserved)` : sql`reserved`}), 0) from jobs
  where service_id ${ownedBy(year)} and notification_type = ${year.channel} and reserved_day is not null
    and status in ('pending', 'in progress')
    and ${exceptJob === undefined ? sql`true` : sql`id <> ${exceptJob}::uuid`}
)`;

/**
 * Recounts a counter that the transaction has locked. A count of parts is only raised: parts of failed texts are not given back, and only
 * the counter itself has counted them.
 */
export async function recountYear(tx: Tx, year: YearOfLimit, exceptJob?: string): Promise<number> {
  const { owner_kind, owner_id, year_start, channel, unit } = year;
  const { rows } = await sql<{ count: number }>`
    update annual_counts set unit = ${unit},
      count = greatest(case when unit = 'parts' and unit = ${unit} then count end, ${acceptedSoFar(year, exceptJob)})
    where owner_kind = ${owner_kind} and owner_id = ${owner_id} and year_start = ${year_start} and channel = ${channel}
    returning count`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Returns the counter, or counts now if nothing was sent since the limit was set. */
export async function selectYearCount(db: Db, year: YearOfLimit): Promise<number> {
  const { owner_kind, owner_id, year_start, channel, unit } = year;
  const { rows } = await sql<{ count: number }>`
    select coalesce((
      select count from annual_counts
      where owner_kind = ${owner_kind} and owner_id = ${owner_id} and year_start = ${year_start} and channel = ${channel}
        and unit = ${unit}
    ), ${acceptedSoFar(year, undefined)})::integer as count`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Returns messages, or their parts, to the annual counters of a service and its organisation, if these exist. */
export async function subtractFromYears(
  tx: Tx,
  { service_id, year_start, channel }: { service_id: string; year_start: string; channel: Channel },
  { messages, parts }: Reserved,
): Promise<void> {
  await sql`
    with counters as (
      select c.owner_kind, c.owner_id from annual_counts c join services s on s.id = ${service_id}
        and c.owner_id = case c.owner_kind when 'service' then s.id else s.organisation_id end
      where c.year_start = ${year_start} and c.channel = ${channel}
      order by c.owner_kind desc for update of c
    )
    update annual_counts c set count = greatest(0, c.count - case c.unit when 'parts' then ${parts ?? messages}::integer
      else ${messages}::integer end) from counters
    where c.owner_kind = counters.owner_kind and c.owner_id = counters.owner_id
      and c.year_start = ${year_start} and c.channel = ${channel}`.execute(tx);
}

/** Lists every counter of a year: at most one for each limit. */
export async function listYears(db: Db, yearStart: string): Promise<YearOfLimit[]> {
  return db
    .selectFrom('annual_counts')
    .select(['owner_kind', 'owner_id', 'year_start', 'channel', 'unit'])
    .$narrowType<YearOfLimit>()
    .where('year_start', '=', yearStart)
    .orderBy('owner_id')
    .execute();
}
