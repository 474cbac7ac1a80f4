import { type Insertable, type Selectable, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { DB } from '../../platform/db/schema.ts';
import type { GuardReason, GuardState, HourOfEmails } from './evaluate.ts';

export interface GuardRow extends Omit<Selectable<DB['service_guard']>, 'state' | 'because'> {
  state: GuardState;
  because: GuardReason | null;
}

/** Selects services with new outcomes, whether they are added up or not, and those with a warning that was last evaluated before `hour`. */
export async function selectServicesToEvaluate(db: Db, hour: Timestamp): Promise<string[]> {
  const { rows } = await sql<{ service_id: string }>`
    select service_id from email_outcomes where not judged
    union
    select service_id from email_outcome_changes
    union
    select service_id from service_guard where state = 'warned' and judged_at < ${hour}
    order by 1`.execute(db);
  return rows.map(({ service_id }) => service_id);
}

/** Locks the outcomes of the service, so that concurrent workers evaluate one after the other. */
export async function markEvaluated(tx: Tx, serviceId: string): Promise<void> {
  await sql`
    with found as (
      select hour, domain_id from email_outcomes where service_id = ${serviceId} and not judged
      order by hour, domain_id for update
    )
    update email_outcomes o set judged = true from found
    where o.service_id = ${serviceId} and o.hour = found.hour and o.domain_id is not distinct from found.domain_id`.execute(
    tx,
  );
}

/** Includes outcomes that are not added up yet. */
export async function selectHours(db: Db | Tx, serviceId: string, since: Timestamp): Promise<HourOfEmails[]> {
  const { rows } = await sql<Omit<HourOfEmails, 'hour'> & { hour: Timestamp }>`
    select hour, sum(sent)::int8 as sent, sum(hard_bounces)::int8 as hard_bounces, sum(complaints)::int8 as complaints
    from email_outcome_counts where service_id = ${serviceId} and hour >= ${since} group by hour`.execute(db);
  return rows.map((row) => ({ ...row, hour: new Date(row.hour) }));
}

export async function selectGuard(db: Db | Tx, serviceId: string): Promise<GuardRow | undefined> {
  const row = await db.selectFrom('service_guard').selectAll().where('service_id', '=', serviceId).executeTakeFirst();
  return row as GuardRow | undefined;
}

export async function lockGuard(tx: Tx, serviceId: string): Promise<GuardRow | undefined> {
  // An advisory lock, because the row may not exist yet.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`guard ${serviceId}`}, 0))`.execute(tx);
  return selectGuard(tx, serviceId);
}

export async function upsertGuard(tx: Tx, row: Insertable<DB['service_guard']>): Promise<void> {
  const { service_id: _, ...changes } = row;
  await tx
    .insertInto('service_guard')
    .values(row)
    .onConflict((conflict) => conflict.column('service_id').doUpdateSet(changes))
    .execute();
}

export async function selectPausedServices(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('service_guard').select('service_id').where('state', '=', 'paused').execute();
  return rows.map(({ service_id }) => service_id);
}

export async function countGuardStates(db: Db): Promise<{ state: GuardState; services: number }[]> {
  const { rows } = await sql<{ state: GuardState; services: number }>`
    select state, count(*)::int as services from service_guard where state <> 'ok' group by state`.execute(db);
  return rows;
}

/** Counts services that are currently exempt from pauses. */
export async function countExempt(db: Db, now: Timestamp): Promise<number> {
  const exempt = db.selectFrom('service_guard').where('exempt_until', '>', now);
  const { services } = await exempt.select((row) => row.fn.countAll<number>().as('services')).executeTakeFirstOrThrow();
  return Number(services);
}

/** Filters of the operators' list. */
const guardGroups = ['paused', 'warned', 'exempt'] as const;
export type GuardGroup = (typeof guardGroups)[number];

/** Selects services that are paused, warned or exempt, in this order, and the newest first within each. */
export async function selectGuarded(
  db: Db,
  { group, now, skip, limit }: { group: GuardGroup | undefined; now: Timestamp; skip: number; limit: number },
) {
  let found = db.selectFrom('service_guard').innerJoin('services', 'services.id', 'service_guard.service_id');
  if (group === 'exempt') found = found.where('exempt_until', '>', now);
  else if (group !== undefined) found = found.where('state', '=', group);
  else found = found.where((row) => row.or([row('state', '<>', 'ok'), row('exempt_until', '>', now)]));
  const [rows, { total }] = await Promise.all([
    found
      .select(['service_id', 'services.name', 'state', 'because', 'rate', 'since', 'exempt_until'])
      .orderBy(sql`array_position(array['paused', 'warned', 'ok'], state)`)
      .orderBy('since', 'desc')
      .orderBy('service_id')
      .limit(limit)
      .offset(skip)
      .execute(),
    found.select((row) => row.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
}
