import { type RawBuilder, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Cte, Statement } from '../../platform/db/statement.ts';
import { domainOfService, servicesWithDomain } from '../../sending-domains/readiness/domain-mail.shared.sql.ts';

type OutcomeColumn =
  | 'id'
  | 'service_id'
  | 'sending_domain_id'
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

/** Whether this change hands the email over. A receipt that came before the hand-over is counted with it. */
const isHandedOver = sql`(made_by in ('handedOver', 'handedOverLate') and previous_sent_at is null)`;

/** The mail server rejected the recipient immediately: the email counts as sent and bounced. Other failures count as not sent. */
const isRefused = sql`(made_by = 'givenUp' and provider is not null
  and status in ('permanent-failure', 'temporary-failure'))`;

const isReported = sql`(made_by in ('receipt', 'bounced') and sent_at is not null and status <> previous_status
  and status in ('permanent-failure', 'temporary-failure'))`;

/** The current sending domain of the service. A message does not store the domain of its hand-over. */
const domainNow = (serviceId: RawBuilder<unknown>) =>
  sql`(select ${domainOfService} from ${servicesWithDomain} where s.id = ${serviceId})`;

/**
 * A part of statements that change statuses. Counts emails by the hour of their hand-over. Each email counts at most once as sent and once
 * as bounced, because only a change of its status counts, and final statuses do not change.
 */
export function countEmailOutcomes(statement: Statement, after: Cte<OutcomeColumn>): void {
  // A receipt that came before the hand-over left this in the queue. Otherwise, a hand-over has no failure.
  const blames = sql`case when ${isHandedOver}
    then (select q.blames_sender from delivery_queue q where q.notification_id = ${after}.id) else blames_sender end`;
  // If the receiver blames the sender, the address may still be right.
  const isHard = sql`case when status = 'permanent-failure' then (${blames}) is not true end`;
  const isSoft = sql`case status when 'temporary-failure' then true when 'permanent-failure' then ${blames} end`;
  const domain = sql`case when ${isReported} then ${domainNow(sql`${after}.service_id`)} else sending_domain_id end`;
  statement.with(
    'outcomes',
    sql`insert into email_outcome_changes (service_id, domain_id, hour, sent, hard_bounces, soft_bounces, complaints)
      select service_id, ${domain}, date_trunc('hour', coalesce(sent_at, updated_at), 'UTC'),
        count(*) filter (where ${isHandedOver} or ${isRefused}),
        count(*) filter (where ${isHard}), count(*) filter (where ${isSoft}), 0
      from ${after}
      where notification_type = 'email' and key_type <> 'test' and (${isHandedOver} or ${isRefused} or ${isReported})
      group by 1, 2, 3`,
  );
}

/** Counts one complaint about an email that was handed over at `sent_at`. */
export async function countComplaint(tx: Tx, service_id: string, sent_at: Timestamp): Promise<void> {
  await sql`
    insert into email_outcome_changes (service_id, domain_id, hour, sent, hard_bounces, soft_bounces, complaints)
    values (${service_id}, ${domainNow(sql`${service_id}`)}, date_trunc('hour', ${sent_at}::timestamptz, 'UTC'), 0, 0, 0, 1)`.execute(
    tx,
  );
}

/**
 * Merges the appended changes into the counts of each hour, which the guard then evaluates. If a service has changed its domain, a bounce or
 * complaint counts for the domain that sent in its hour, so that no domain has more bounces than emails.
 */
export async function addUpEmailOutcomes(tx: Tx): Promise<void> {
  await sql`/* prepared: add-up-email-outcomes */
    with taken as (delete from email_outcome_changes returning *), sending as (
      select service_id, hour, domain_id, sent from taken where sent > 0
      union all
      select o.service_id, o.hour, o.domain_id, o.sent
      from (select distinct service_id, hour from taken where sent = 0) reported
      join email_outcomes o on o.service_id = reported.service_id and o.hour = reported.hour and o.sent > 0
    )
    insert into email_outcomes as known
      (service_id, domain_id, hour, sent, hard_bounces, soft_bounces, complaints, judged)
    select t.service_id, case when found.hour is null then t.domain_id else found.domain_id end, t.hour, sum(t.sent),
      sum(hard_bounces), sum(soft_bounces), sum(complaints), false
    from taken t left join lateral (
      select s.hour, s.domain_id from sending s
      where t.sent = 0 and s.service_id = t.service_id and s.hour = t.hour
      order by s.domain_id is not distinct from t.domain_id desc, s.sent desc, s.domain_id limit 1
    ) found on true
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
