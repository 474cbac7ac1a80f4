import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { TextUnit } from '../../services/settings/text-unit.ts';
import type { LimitedChannel } from '../notification.ts';
import type { YearOfLimit } from './annual-limits.sql.ts';

export interface ReachedLimit extends Pick<YearOfLimit, 'owner_kind' | 'owner_id'> {
  channel: LimitedChannel;
  period: 'day' | 'year';
  period_start: string;
  unit: TextUnit;
  /** Percentage of the limit. */
  level: 80 | 100;
  used: number;
  limit: number;
}

/** Smaller limits get no warning: nobody needs one about the 80th of 99 messages. */
const minLimit = 100;

const annualLimitOf = (owner: 'service' | 'organisation') => sql`case c.channel
  when 'email' then ${sql.ref(`${owner}.email_annual_limit`)}
  when 'sms' then ${sql.ref(`${owner}.sms_annual_limit`)}
  else ${sql.ref(`${owner}.letter_annual_limit`)} end`;

/**
 * Selects counters that have reached a level for which no notice was sent. There are few candidates: daily counters of today, and one
 * annual counter for each limit.
 */
export async function selectReachedLimits(
  db: Db,
  { utc_day, year_start }: { utc_day: string; year_start: string },
): Promise<ReachedLimit[]> {
  const { rows } = await sql<ReachedLimit>`
    with counted as (
      select 'service' as owner_kind, service.id as owner_id, c.channel, 'day' as period, c.utc_day as period_start,
        c.count as used, case c.channel
          when 'email' then service.email_message_limit
          when 'sms' then service.sms_message_limit
          when 'letter' then service.letter_message_limit
          else service.international_sms_message_limit end as "limit",
        case when c.channel = 'sms' and (service.sms_limit_unit = 'parts')
          = (coalesce(service.sms_limit_unit_from, c.utc_day) <= c.utc_day) then 'parts' else 'messages' end as unit
      from daily_message_counts c join services service on service.id = c.service_id where c.utc_day = ${utc_day}
      union all
      select c.owner_kind, c.owner_id, c.channel, 'year', c.year_start, c.count, ${annualLimitOf('service')}, c.unit
      from annual_counts c join services service on c.owner_kind = 'service' and service.id = c.owner_id
      where c.year_start = ${year_start}
      union all
      select c.owner_kind, c.owner_id, c.channel, 'year', c.year_start, c.count, ${annualLimitOf('organisation')}, c.unit
      from annual_counts c join organisations organisation on c.owner_kind = 'organisation' and organisation.id = c.owner_id
      where c.year_start = ${year_start}
    ), reached as (
      select *, case when used >= "limit" then 100 else 80 end as level from counted
      where "limit" >= ${minLimit} and used >= "limit" * 0.8
    )
    select * from reached where not exists (
      select from limit_notices told
      where (told.owner_kind, told.owner_id, told.channel, told.period, told.period_start)
        = (reached.owner_kind, reached.owner_id, reached.channel, reached.period, reached.period_start)
        and told.level >= reached.level)
    order by owner_id, channel, period`.execute(db);
  return rows;
}

/**
 * Returns whether this transaction should send the notice. Exact under concurrency: another transaction with the same claim waits for this
 * one.
 */
export async function claimNotice(
  tx: Tx,
  { owner_kind, owner_id, channel, period, period_start, level }: ReachedLimit,
  sent_at: Timestamp,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('limit_notices')
    .values({ owner_kind, owner_id, channel, period, period_start, level, sent_at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

interface NoticeRecipient {
  email_address: string;
  name: string;
  /** The permissions in each service that the person is a member of. */
  permissions: string[][];
  /** Whether the person is a member of the organisation. */
  is_member: boolean;
}

/** Active members of a service, or of an organisation and its active services. */
export async function selectNoticeRecipients(
  tx: Tx,
  { owner_kind, owner_id }: Pick<ReachedLimit, 'owner_kind' | 'owner_id'>,
): Promise<NoticeRecipient[]> {
  const { rows } = await sql<NoticeRecipient>`
    with held as (
      select m.user_id, to_jsonb(m.permissions) as permissions, false as is_member
      from service_members m join services s on s.id = m.service_id
      where case ${owner_kind}::text when 'service' then s.id else s.organisation_id end = ${owner_id}::uuid and s.active
      union all
      select user_id, '[]', true from organisation_members where organisation_id = ${owner_id}::uuid
    )
    select u.name, u.email_address, jsonb_agg(held.permissions) as permissions, bool_or(held.is_member) as is_member
    from held join users u on u.id = held.user_id
    where u.state = 'active'
    group by u.id order by u.created_at, u.id`.execute(tx);
  return rows;
}

export async function selectOwnerName(tx: Tx, { owner_kind, owner_id }: ReachedLimit): Promise<string> {
  const table = owner_kind === 'service' ? 'services' : 'organisations';
  const { name } = await tx.selectFrom(table).select('name').where('id', '=', owner_id).executeTakeFirstOrThrow();
  return name;
}

interface UsedRatio {
  channel: YearOfLimit['channel'];
  ratio: number;
}

/** Returns the share that services have used of their own annual limits. A limit of 0 counts as used up. */
export async function selectUsedRatios(db: Db, yearStart: string): Promise<UsedRatio[]> {
  const { rows } = await sql<UsedRatio>`
    select channel, case when "limit" = 0 then 1 else count::float8 / "limit" end as ratio from (
      select c.channel, c.count, ${annualLimitOf('service')} as "limit"
      from annual_counts c join services service on service.id = c.owner_id
      where c.owner_kind = 'service' and c.year_start = ${yearStart}
    ) as used where "limit" is not null`.execute(db);
  return rows;
}
