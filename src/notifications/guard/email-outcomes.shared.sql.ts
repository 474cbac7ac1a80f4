import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Cte, Statement } from '../../platform/db/statement.ts';

type OutcomeColumn =
  | 'service_id'
  | 'notification_type'
  | 'key_type'
  | 'made_by'
  | 'blames_sender'
  | 'previous_status'
  | 'status'
  | 'provider'
  | 'sent_at'
  | 'previous_sent_at'
  | 'updated_at';

/** Handed over by this change. A receipt that came before the hand-over is counted with it. */
const isHandedOver = sql`(made_by in ('handedOver', 'handedOverLate') and previous_sent_at is null)`;

/** The mail server refused the recipient at once, so it was sent and it bounced. Other failures were not sent. */
const isRefused = sql`(made_by = 'givenUp' and provider is not null
  and status in ('permanent-failure', 'temporary-failure'))`;

const isReported = sql`(made_by in ('receipt', 'bounced') and sent_at is not null and status <> previous_status
  and status in ('permanent-failure', 'temporary-failure'))`;

/** A receiver that blames the sender does not say that the address is wrong. */
const isHard = sql`(status = 'permanent-failure' and blames_sender is not true)`;
const isSoft = sql`(status = 'temporary-failure' or status = 'permanent-failure' and blames_sender)`;

/**
 * A part of statements that change statuses. Counts emails by the hour in which they were handed over: each once as sent, and once as
 * bounced, because only a change of its status counts and final ones do not change.
 */
export function countEmailOutcomes(statement: Statement, after: Cte<OutcomeColumn>): void {
  statement.with(
    'outcomes',
    sql`insert into email_outcome_changes (service_id, hour, sent, hard_bounces, soft_bounces, complaints)
      select service_id, date_trunc('hour', coalesce(sent_at, updated_at), 'UTC'),
        count(*) filter (where ${isHandedOver} or ${isRefused}),
        count(*) filter (where ${isHard}), count(*) filter (where ${isSoft}), 0
      from ${after}
      where notification_type = 'email' and key_type <> 'test' and (${isHandedOver} or ${isRefused} or ${isReported})
      group by 1, 2`,
  );
}

/** One complaint about an email that was handed over at `sent_at`. */
export async function countComplaint(tx: Tx, service_id: string, sent_at: Timestamp): Promise<void> {
  await sql`
    insert into email_outcome_changes (service_id, hour, sent, hard_bounces, soft_bounces, complaints)
    values (${service_id}, date_trunc('hour', ${sent_at}::timestamptz, 'UTC'), 0, 0, 0, 1)`.execute(tx);
}

/** Merges the appended rows into those of the hours, which the guard then looks at. */
export async function addUpEmailOutcomes(tx: Tx): Promise<void> {
  await sql`/* prepared: add-up-email-outcomes */
    with taken as (delete from email_outcome_changes returning *)
    insert into email_outcomes as known
      (service_id, domain_id, hour, sent, hard_bounces, soft_bounces, complaints, judged)
    select service_id, domain_id, hour, sum(sent), sum(hard_bounces), sum(soft_bounces), sum(complaints), false
    from taken
    group by 1, 2, 3
    order by 1, 3, 2
    on conflict (service_id, hour, domain_id) do update set
      sent = known.sent + excluded.sent, hard_bounces = known.hard_bounces + excluded.hard_bounces,
      soft_bounces = known.soft_bounces + excluded.soft_bounces, complaints = known.complaints + excluded.complaints,
      judged = false`.execute(tx);
}

export async function deleteEmailOutcomesBefore(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('email_outcomes').where('hour', '<', moment).execute();
}
