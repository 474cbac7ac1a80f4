import { sql } from 'kysely';
import type { Calendar } from '../../countries/calendar.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { localDay } from '../../platform/db/local-day.ts';
import type { Cte, Statement } from '../../platform/db/statement.ts';
import type { Mailbox } from './mailboxes.ts';

/** Counts emails that a provider accepted, by mailbox provider, or that were refused because of the domain or its servers. */
export interface DomainMailChange {
  /** Null for the domain of the installation. */
  domain_id: string | null;
  hour: Timestamp;
  mailbox: Mailbox | null;
  refused_with: string | null;
  count: number;
}

/** Adds to statements that record results. It appends rows, because updating a shared row would serialise all commits. */
export function countDomainMail(statement: Statement, changes: readonly DomainMailChange[]): void {
  statement.with(
    'domain_mail',
    sql`insert into domain_mail_changes (domain_id, hour, mailbox, refused_with, count)
      select c.* from json_to_recordset(${JSON.stringify(changes)}::json)
        as c (domain_id uuid, hour timestamptz, mailbox text, refused_with text, count int)`,
  );
}

/**
 * A service sends from its own domain if that is verified, otherwise from that of its organisation if that is verified, otherwise from that
 * of the installation.
 */
export const servicesWithDomain = sql`
  services s
  left join organisations o on o.id = s.organisation_id
  left join sending_domains own on own.id = s.sending_domain_id and own.state in ('verified', 'warning')
  left join sending_domains shared on shared.id = o.sending_domain_id and shared.state in ('verified', 'warning')`;
/** Null for the domain of the installation. */
export const domainOfService = sql`coalesce(own.id, shared.id)`;

/** An email that was handed over and then bounced because of its domain or its servers. */
export interface ReportedRefusal {
  id: string;
  refused_with: string;
}

/** Counts refusals that bounces or receipts report. Only emails whose status changed count, so that each counts once. */
export function countReportedRefusals(
  statement: Statement,
  after: Cte<'id' | 'service_id' | 'notification_type' | 'key_type' | 'provider' | 'updated_at'>,
  refusals: readonly ReportedRefusal[],
): void {
  statement.with(
    'reported_refusals',
    sql`insert into domain_mail_changes (domain_id, hour, refused_with, count)
      select ${domainOfService}, date_trunc('hour', a.updated_at, 'UTC'), r.refused_with, count(*)
      from json_to_recordset(${JSON.stringify(refusals)}::json) as r (id uuid, refused_with text)
      join ${after} a on a.id = r.id and a.notification_type = 'email' and a.key_type <> 'test' and a.provider <> 'sandbox'
      join (${servicesWithDomain}) on s.id = a.service_id
      group by 1, 2, 3`,
  );
}

/** Merges the appended rows into the daily and hourly ones. */
export async function addUpDomainMail(calendar: Calendar, tx: Tx): Promise<void> {
  await sql`/* prepared: add-up-domain-mail */
    with taken as (delete from domain_mail_changes returning *), volumes as (
      insert into domain_volumes as known (domain_id, day, mailbox, count)
      select domain_id, ${localDay(calendar, 'hour')}, mailbox, sum(count) from taken where mailbox is not null
      group by 1, 2, 3
      order by 1, 2, 3
      on conflict (domain_id, day, mailbox) do update set count = known.count + excluded.count
    )
    insert into domain_refusals as known (domain_id, hour, code, count)
    select domain_id, hour, refused_with, sum(count) from taken where refused_with is not null
    group by 1, 2, 3
    order by 1, 2, 3
    on conflict (domain_id, hour, code) do update set count = known.count + excluded.count`.execute(tx);
}

export async function deleteDomainMailBefore(
  db: Db,
  { day, moment }: { day: string; moment: Timestamp },
): Promise<void> {
  await db.deleteFrom('domain_volumes').where('day', '<', day).execute();
  await db.deleteFrom('domain_refusals').where('hour', '<', moment).execute();
}
