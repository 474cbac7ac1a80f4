import { type Insertable, sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { leaseEnd, leaseHasEnded } from '../../platform/db/lease.ts';
import type { DB } from '../../platform/db/schema.ts';
import type { CheckRow, DomainRow } from '../sending-domains.sql.ts';

/** Leases the domains whose check is due, longest overdue first. No two workers get the same one. */
export async function leaseDueDomains(
  db: Db,
  { now, lease_ms, max }: { now: Timestamp; lease_ms: number; max: number },
): Promise<DomainRow[]> {
  const { rows } = await sql<DomainRow>`
    update sending_domains set leased_until = ${leaseEnd(lease_ms)} where id in (
      select id from sending_domains
      where next_check_at <= ${now} and ${leaseHasEnded('leased_until')}
      order by next_check_at limit ${max} for update skip locked
    ) returning *`.execute(db);
  return rows;
}

/** Leases one domain, unless it is being checked or was checked since `before`. */
export async function leaseDomain(
  db: Db,
  id: string,
  { lease_ms, before }: { lease_ms: number; before: Timestamp },
): Promise<DomainRow | undefined> {
  const { rows } = await sql<DomainRow>`
    update sending_domains set leased_until = ${leaseEnd(lease_ms)}
    where id = ${id} and state <> 'retired' and ${leaseHasEnded('leased_until')}
      and (checked_at is null or checked_at <= ${before})
    returning *`.execute(db);
  return rows[0];
}

/** Locks the row until the transaction ends. Returns undefined if this process has lost the lease. */
export async function keepLease(tx: Tx, { id, leased_until }: DomainRow): Promise<DomainRow | undefined> {
  const { rows } = await sql<DomainRow>`
    select * from sending_domains where id = ${id} and leased_until = ${leased_until} for no key update`.execute(tx);
  return rows[0];
}

/** Does not update the version or the time of the last change, because nobody changed the domain. */
export async function recordCheckedDomain(
  tx: Tx,
  id: string,
  row: Pick<DomainRow, 'state' | 'required_failing_since' | 'required_failures' | 'checked_at' | 'next_check_at'>,
): Promise<void> {
  await tx
    .updateTable('sending_domains')
    .set({ ...row, leased_until: null })
    .where('id', '=', id)
    .execute();
}

/** Retires the claims of a name that has been verified for another owner. Checks of them that are under way do not count. */
export async function retireClaims(tx: Tx, { name, except }: { name: string; except: string }): Promise<DomainRow[]> {
  const { rows } = await sql<DomainRow>`
    update sending_domains set state = 'retired', next_check_at = null, leased_until = null
    where name = ${name} and state = 'pending' and id <> ${except} returning *`.execute(tx);
  return rows;
}

export async function replaceChecks(
  tx: Tx,
  domain_id: string,
  checks: readonly (Omit<CheckRow, 'domain_id' | 'evidence'> & { evidence: string })[],
): Promise<void> {
  await tx
    .deleteFrom('sending_domain_checks')
    .where('domain_id', '=', domain_id)
    .where('check_name', 'not in', ['', ...checks.map(({ check_name }) => check_name)])
    .execute();
  if (checks.length === 0) return;
  await tx
    .insertInto('sending_domain_checks')
    .values(checks.map((check) => ({ ...check, domain_id })))
    .onConflict((conflict) =>
      conflict.columns(['domain_id', 'check_name']).doUpdateSet((one) => ({
        verdict: one.ref('excluded.verdict'),
        reason: one.ref('excluded.reason'),
        evidence: one.ref('excluded.evidence'),
        since: one.ref('excluded.since'),
        checked_at: one.ref('excluded.checked_at'),
      })),
    )
    .execute();
}

export async function insertChanges(tx: Tx, rows: Insertable<DB['sending_domain_changes']>[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto('sending_domain_changes').values(rows).execute();
}
