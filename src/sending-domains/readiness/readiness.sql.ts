import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { CheckName } from '../checks/check.ts';
import { domainOfService, servicesWithDomain } from './domain-mail.shared.sql.ts';
import type { Mailbox } from './mailboxes.ts';
import type { CheckResult, ReadinessFacts, TemplateOfFiles } from './rows.ts';

/** The senders to evaluate: all services of a domain (null: the installation's), or one service. */
export type Senders = { domain_id: string | null } | { service_id: string };

function serviceIds(senders: Senders) {
  if ('service_id' in senders) return sql`select ${senders.service_id}::uuid`;
  return sql`select s.id from ${servicesWithDomain} where ${domainOfService} is not distinct from ${senders.domain_id}::uuid`;
}

/** Returns null for the domain of the installation, and undefined if there is no such service. */
export async function selectDomainOfService(db: Db, serviceId: string): Promise<string | null | undefined> {
  const { rows } = await sql<{ domain_id: string | null }>`
    select ${domainOfService} as domain_id from ${servicesWithDomain} where s.id = ${serviceId}`.execute(db);
  return rows[0]?.domain_id;
}

export async function selectInstallationDomain(db: Db, name: string) {
  return db
    .selectFrom('sending_domains')
    .select(['id', 'name', 'scope', 'way'])
    .where('scope', '=', 'installation')
    .where('name', '=', name)
    .where('state', '<>', 'retired')
    .executeTakeFirst();
}

export async function selectDomainToEvaluate(db: Db, id: string) {
  return db
    .selectFrom('sending_domains')
    .select(['id', 'name', 'scope', 'way'])
    .where('id', '=', id)
    .where('state', '<>', 'retired')
    .executeTakeFirst();
}

export async function selectChecks(db: Db, domainId: string): Promise<Map<CheckName, CheckResult>> {
  const rows = await db
    .selectFrom('sending_domain_checks')
    .select(['check_name', 'verdict', 'reason', 'evidence'])
    .where('domain_id', '=', domainId)
    .execute();
  return new Map(rows.map(({ check_name, ...check }) => [check_name as CheckName, check as CheckResult]));
}

/** Selects the templates of files with at least `minSent` recipients since a time, most recipients first. Skipped rows do not count. */
export async function selectTemplatesOfFiles(
  db: Db,
  senders: Senders,
  { since, minSent }: { since: Timestamp; minSent: number },
): Promise<TemplateOfFiles[]> {
  const { rows } = await sql<TemplateOfFiles>`
    select t.name, s.name as service_name, sum(j.rows_done - j.rows_skipped)::int as sent, t.has_unsubscribe_link
    from jobs j join templates t on t.id = j.template_id join services s on s.id = j.service_id
    where j.service_id in (${serviceIds(senders)}) and j.notification_type = 'email' and j.key_type <> 'test'
      and coalesce(j.scheduled_for, j.created_at) >= ${since}
    group by t.id, t.name, s.name, t.has_unsubscribe_link
    having sum(j.rows_done - j.rows_skipped) >= ${minSent}
    order by sent desc, t.id`.execute(db);
  return rows;
}

const isSentBy = (senders: Senders) =>
  'service_id' in senders
    ? sql`service_id = ${senders.service_id}`
    : sql`domain_id is not distinct from ${senders.domain_id}::uuid`;

/** Counts the whole hour in which a window begins. */
export async function selectOutcomes(
  db: Db,
  senders: Senders,
  { bouncesSince, complaintsSince }: { bouncesSince: Timestamp; complaintsSince: Timestamp },
): Promise<Pick<ReadinessFacts, 'bounces' | 'complaints'>> {
  const { rows } = await sql<{ sent_of_day: number; bounces: number; sent: number; complaints: number }>`
    select coalesce(sum(sent) filter (where hour >= date_trunc('hour', ${bouncesSince}::timestamptz)), 0)::int as sent_of_day,
      coalesce(sum(hard_bounces) filter (where hour >= date_trunc('hour', ${bouncesSince}::timestamptz)), 0)::int as bounces,
      coalesce(sum(sent), 0)::int as sent, coalesce(sum(complaints), 0)::int as complaints
    from email_outcomes
    where ${isSentBy(senders)} and hour >= date_trunc('hour', ${complaintsSince}::timestamptz)`.execute(db);
  const { sent_of_day = 0, bounces = 0, sent = 0, complaints = 0 } = rows[0] ?? {};
  return { bounces: { part: bounces, of: sent_of_day }, complaints: { part: complaints, of: sent } };
}

/** Selects the most emails on one day, by mailbox provider. */
export async function selectBestDays(
  db: Db,
  domainId: string | null,
  sinceDay: string,
): Promise<{ mailbox: Mailbox; count: number }[]> {
  const { rows } = await sql<{ mailbox: Mailbox; count: number }>`
    select mailbox, max(count)::int as count from domain_volumes
    where domain_id is not distinct from ${domainId}::uuid and day >= ${sinceDay}
    group by mailbox order by count desc, mailbox`.execute(db);
  return rows;
}

export async function selectRefusals(
  db: Db,
  domainId: string | null,
  since: Timestamp,
): Promise<{ code: string; count: number }[]> {
  const { rows } = await sql<{ code: string; count: number }>`
    select code, sum(count)::int as count from domain_refusals
    where domain_id is not distinct from ${domainId}::uuid and hour >= date_trunc('hour', ${since}::timestamptz)
    group by code order by count desc, code`.execute(db);
  return rows;
}

/** Selects the domains that emails come from, except the installation's if it has no row. */
export async function selectDomainsInUse(db: Db): Promise<{ id: string; name: string; scope: string; way: string }[]> {
  return db
    .selectFrom('sending_domains')
    .select(['id', 'name', 'scope', 'way'])
    .where('state', 'in', ['verified', 'warning', 'suspended'])
    .orderBy('name')
    .execute();
}
