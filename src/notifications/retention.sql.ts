import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';
import type { NotificationType } from './notification.ts';

export interface RetentionRule {
  service_id: string;
  notification_type: NotificationType;
  days_of_retention: number;
}

export function selectRetentionRules(db: Db): Promise<RetentionRule[]> {
  return db
    .selectFrom('service_data_retention')
    .select(['service_id', 'notification_type', 'days_of_retention'])
    .execute();
}

/** Letters that are still on their way stay, however old they are. */
const isUnfinishedLetter = sql`(n.notification_type = 'letter' and n.status in ('created', 'sending', 'pending-virus-check'))`;

/** Of one service and channel, oldest first; how many went. */
export async function deleteNotificationsOf(
  db: Db,
  rule: Pick<RetentionRule, 'service_id' | 'notification_type'>,
  beforeId: string,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from notifications where id in (
      select n.id from notifications n
      where n.service_id = ${rule.service_id} and n.notification_type = ${rule.notification_type} and n.id < ${beforeId}
        and not ${isUnfinishedLetter}
      order by n.id limit ${limit}) and id < ${beforeId}`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Whether a day's messages hold one that has to stay longer than usual. */
export async function hasMessagesToKeep(
  db: Db,
  range: { from_id: string; to_id: string },
  usualDays: number,
): Promise<boolean> {
  const { rows } = await sql<{ keep: boolean }>`
    select exists (
      select from notifications n left join service_data_retention r using (service_id, notification_type)
      where n.id >= ${range.from_id} and n.id < ${range.to_id} and (r.days_of_retention > ${usualDays} or ${isUnfinishedLetter})
    ) as keep`.execute(db);
  return rows[0]?.keep ?? true;
}

/**
 * One step of a walk from the oldest message on: looks at the next ids and deletes those that no rule keeps. `next` is
 * where the following step begins; undefined at the end.
 */
export async function deleteExpiredAfter(
  db: Db,
  afterId: string,
  beforeId: string,
  kept: { service_id: string; notification_type: NotificationType; before_id: string }[],
  limit: number,
): Promise<{ deleted: number; next: string | undefined }> {
  const { rows } = await sql<{ deleted: number; next: string | null }>`
    with seen as (
      select n.id, n.service_id, n.notification_type, n.status from notifications n
      where n.id > ${afterId} and n.id < ${beforeId} order by n.id limit ${limit}
    ), expired as (
      select n.id from seen n
      left join json_to_recordset(${JSON.stringify(kept)}::json)
        as k (service_id uuid, notification_type text, before_id uuid) using (service_id, notification_type)
      where n.id < coalesce(k.before_id, ${beforeId}) and not ${isUnfinishedLetter}
    ), gone as (
      delete from notifications where id in (select id from expired) and id > ${afterId} and id < ${beforeId}
      returning id
    )
    select (select count(*)::int from gone) as deleted, (select max(id::text) from seen) as next`.execute(db);
  const [row] = rows;
  return { deleted: row?.deleted ?? 0, next: row?.next ?? undefined };
}

/** Places in the queue of messages that are gone. */
export async function deleteOrphanedQueue(db: Db, beforeId: string): Promise<void> {
  await sql`delete from delivery_queue q where q.notification_id < ${beforeId}
    and not exists (select from notifications n where n.id = q.notification_id)`.execute(db);
}

export async function deleteOldCounters(db: Db, beforeDay: string): Promise<void> {
  await db.deleteFrom('daily_message_counts').where('utc_day', '<', beforeDay).execute();
}
