import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { lanes } from '../notification.ts';

/**
 * Queues messages of an id range that wait for a provider without a queue entry. Uses one statement, so that messages being
 * delivered do not count as lost. Returns `last_id` unless the range is finished.
 */
export async function queueLostMessages(
  tx: Tx,
  range: { from_id: string; before_id: string },
  limit: number,
  now: Timestamp,
): Promise<{ queued: number; last_id: string | undefined }> {
  const { rows } = await sql<{ queued: number; last_id: string | null }>`
    with scanned as (
      select id, service_id, notification_type, status, scheduled_for from notifications
      where id >= ${range.from_id} and id < ${range.before_id} order by id limit ${limit}
    ), queued as (
      insert into delivery_queue (notification_id, service_id, notification_type, lane, due_at)
      select id, service_id, notification_type, ${lanes.normal}, greatest(scheduled_for, ${now}::timestamptz) from scanned
      where status = 'created' and notification_type in ('sms', 'email')
        and not exists (select from delivery_queue q where q.notification_id = scanned.id)
      on conflict (notification_id) do nothing
      returning notification_id
    )
    select (select count(*) from queued) as queued,
      (select case when count(*) = ${limit} then max(id::text) end from scanned) as last_id`.execute(tx);
  return { queued: rows[0]?.queued ?? 0, last_id: rows[0]?.last_id ?? undefined };
}
