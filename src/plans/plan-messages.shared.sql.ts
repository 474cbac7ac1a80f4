import { sql } from 'kysely';
import type { Timestamp } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';

/**
 * Makes messages due that were due before the clock was set back, or were leased then. Others keep their time: scheduled messages, and
 * those whose step is waited for.
 */
export async function rescheduleFuturePlanMessages(
  db: Db,
  { now, latestLease }: { now: Timestamp; latestLease: Timestamp },
): Promise<void> {
  await sql`
    update plan_messages m set due_at = least(due_at, ${now}::timestamptz), leased_until = null
    where due_at is not null and (leased_until > ${latestLease} or due_at > ${now}
      and (status = 'in-progress' or coalesce(scheduled_for <= ${now}, true))
      and not exists (select from plan_steps s where s.message_id = m.id and s.state = 'sent'
        and s.handed_over_at + make_interval(hours => s.wait_h) = m.due_at))`.execute(db);
}
