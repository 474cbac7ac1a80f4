import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { t } from '../language/text.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { withConstraints } from '../platform/db/errors.ts';
import { anyOf, likeContains } from '../platform/db/expressions.ts';
import type { DB } from '../platform/db/schema.ts';
import { invalidField } from '../platform/failure.ts';

export type DomainRow = Selectable<DB['sending_domains']>;
export type DomainState = DomainRow['state'];
export type ProviderRecord = Omit<Selectable<DB['sending_domain_records']>, 'domain_id'>;

/** Who can use a domain. */
export type DomainOwner =
  | { scope: 'service'; service_id: string }
  | { scope: 'organisation'; organisation_id: string }
  | { scope: 'installation' };

export function sameOwner(owner: DomainOwner) {
  return {
    scope: owner.scope,
    service_id: owner.scope === 'service' ? owner.service_id : null,
    organisation_id: owner.scope === 'organisation' ? owner.organisation_id : null,
  };
}

export const domainInUse = t('Domain is already in use');

const meanings = {
  sending_domains_service_id_fkey: () => invalidField('service_id', 'No result found'),
  sending_domains_organisation_id_fkey: () => invalidField('organisation_id', 'No result found'),
  sending_domains_created_by_id_fkey: () => invalidField('created_by_id', 'No result found'),
};

export function selectDomain(db: Db | Tx, id: string): Promise<DomainRow | undefined> {
  return db.selectFrom('sending_domains').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Locks the row until the transaction ends. */
export function lockDomain(tx: Tx, id: string): Promise<DomainRow | undefined> {
  return tx.selectFrom('sending_domains').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

export interface DomainQuery {
  service_id?: string | undefined;
  organisation_id?: string | undefined;
  scope?: DomainRow['scope'] | undefined;
  /** Undefined: all states except retired. */
  state?: DomainState | undefined;
  /** Matches any part of the name. */
  text?: string | undefined;
}

export async function selectDomains(
  db: Db | Tx,
  query: DomainQuery,
  page: { skip: number; limit: number } = { skip: 0, limit: maxListed },
): Promise<{ rows: DomainRow[]; total: number }> {
  let found = db.selectFrom('sending_domains');
  if (query.service_id !== undefined) found = found.where('service_id', '=', query.service_id);
  if (query.organisation_id !== undefined) found = found.where('organisation_id', '=', query.organisation_id);
  if (query.scope !== undefined) found = found.where('scope', '=', query.scope);
  if (query.text) found = found.where('name', 'like', likeContains(query.text.toLowerCase()));
  found = query.state === undefined ? found.where('state', '<>', 'retired') : found.where('state', '=', query.state);
  const [rows, { total }] = await Promise.all([
    found.selectAll().orderBy('name').orderBy('id').limit(page.limit).offset(page.skip).execute(),
    found.select((one) => one.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
}

const maxListed = 1_000;

/** Serialises requests that add a domain for the same owner, so that the limit is exact. */
export async function countDomainsForUpdate(tx: Tx, owner: DomainOwner): Promise<number> {
  const { scope, service_id, organisation_id } = sameOwner(owner);
  const key = `sending-domains ${service_id ?? organisation_id ?? scope}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from sending_domains where ${isOf(owner)} and state <> 'retired'`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Serialises the transactions that verify or add a domain with this name, until they end. */
export async function lockName(tx: Tx, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`sending-domain ${name}`}, 0))`.execute(tx);
}

/** Whether an owner has proved that the name is theirs. */
export async function isVerified(db: Db | Tx, name: string, owner?: DomainOwner): Promise<boolean> {
  let found = db
    .selectFrom('sending_domains')
    .select('id')
    .where('name', '=', name)
    .where('state', 'in', ['verified', 'warning', 'suspended']);
  if (owner) found = found.where(isOf(owner));
  return (await found.executeTakeFirst()) !== undefined;
}

/** Whether the owner has claimed the name, and no check has verified or retired the claim yet. */
export async function isClaimed(tx: Tx, name: string, owner: DomainOwner): Promise<boolean> {
  const claim = tx.selectFrom('sending_domains').select('id').where('name', '=', name).where('state', '=', 'pending');
  return (await claim.where(isOf(owner)).executeTakeFirst()) !== undefined;
}

function isOf(owner: DomainOwner) {
  const { scope, service_id, organisation_id } = sameOwner(owner);
  return sql<boolean>`scope = ${scope} and service_id is not distinct from ${service_id}::uuid
    and organisation_id is not distinct from ${organisation_id}::uuid`;
}

/** Returns the state of the domain that an owner uses; null if it uses none. */
export async function selectStateOfDefault(tx: Tx, owner: DomainOwner): Promise<DomainState | null> {
  const { service_id, organisation_id } = sameOwner(owner);
  const { rows } = await sql<{ state: DomainState }>`
    select d.state from sending_domains d where d.id in (
      select sending_domain_id from services where id = ${service_id}::uuid
      union all select sending_domain_id from organisations where id = ${organisation_id}::uuid
    )`.execute(tx);
  return rows[0]?.state ?? null;
}

export async function insertDomain(
  tx: Tx,
  row: Insertable<DB['sending_domains']>,
  records: readonly ProviderRecord[],
): Promise<void> {
  await withConstraints(meanings, () => tx.insertInto('sending_domains').values(row).execute());
  await insertRecords(tx, row.id, records);
}

async function insertRecords(tx: Tx, domain_id: string, records: readonly ProviderRecord[]): Promise<void> {
  if (records.length === 0) return;
  await tx
    .insertInto('sending_domain_records')
    .values(records.map((record) => ({ ...record, domain_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function replaceRecords(tx: Tx, domain_id: string, records: readonly ProviderRecord[]): Promise<void> {
  await tx.deleteFrom('sending_domain_records').where('domain_id', '=', domain_id).execute();
  await insertRecords(tx, domain_id, records);
}

/** After this, emails use the installation's return path until a check has found that bounces to the new one arrive. */
export async function forgetBounceCheck(tx: Tx, domain_id: string, now: Timestamp): Promise<void> {
  await tx
    .updateTable('sending_domain_checks')
    .set({ verdict: 'unknown', reason: 'not-checked', evidence: '{"queries":[]}', since: now })
    .where('domain_id', '=', domain_id)
    .where('check_name', '=', 'mx')
    .execute();
}

export async function updateDomain(
  tx: Tx,
  id: string,
  change: Updateable<DB['sending_domains']>,
  now: Timestamp,
): Promise<void> {
  await tx
    .updateTable('sending_domains')
    .set((domain) => ({ ...change, version: domain('version', '+', 1), updated_at: now }))
    .where('id', '=', id)
    .execute();
}

export type KeyRow = Omit<Selectable<DB['sending_domain_keys']>, 'encrypted_private_key'>;
export type CheckRow = Selectable<DB['sending_domain_checks']>;

const keyColumns = [
  'id',
  'domain_id',
  'selector',
  'algorithm',
  'public_key',
  'state',
  'passed_since',
  'signing_from',
  'retire_at',
  'created_at',
] as const;

/** Selects the details of domains that are in other tables, ordered by creation and name. */
export async function selectDetails(db: Db | Tx, ids: readonly string[]) {
  const [keys, records, checks, chosen] = await Promise.all([
    db
      .selectFrom('sending_domain_keys')
      .select(keyColumns)
      .where('domain_id', '=', anyOf([...ids]))
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
    db
      .selectFrom('sending_domain_records')
      .selectAll()
      .where('domain_id', '=', anyOf([...ids]))
      .orderBy('purpose', 'desc')
      .orderBy('name')
      .execute(),
    db
      .selectFrom('sending_domain_checks')
      .selectAll()
      .where('domain_id', '=', anyOf([...ids]))
      .orderBy('check_name')
      .execute(),
    // The installation's domain has no owner who could choose another one.
    sql<{ id: string }>`
      select d.id from sending_domains d
      left join services s on s.id = d.service_id left join organisations o on o.id = d.organisation_id
      where d.id = any(${[...ids]}::uuid[])
        and (d.scope = 'installation' or d.id in (s.sending_domain_id, o.sending_domain_id))`.execute(db),
  ]);
  return { keys, records, checks, chosen: new Set(chosen.rows.map(({ id }) => id)) };
}

export async function deleteChangesBefore(db: Db, before: Timestamp): Promise<void> {
  await db.deleteFrom('sending_domain_changes').where('changed_at', '<', before).execute();
}

/** Selects the domains that a service and its organisation use. */
export function selectChosenDomains(db: Db, serviceId: string) {
  return db
    .selectFrom('services')
    .leftJoin('organisations', 'organisations.id', 'services.organisation_id')
    .select(['services.sending_domain_id', 'organisations.sending_domain_id as organisation_domain_id'])
    .where('services.id', '=', serviceId)
    .executeTakeFirst();
}

export async function countStates(db: Db): Promise<{ state: DomainState; count: number }[]> {
  return db
    .selectFrom('sending_domains')
    .select((one) => ['state', one.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
}

/** Returns the longest times, in seconds, for which a domain in use has failed its required checks, and has not been checked. */
export async function selectProblems(db: Db, now: Timestamp): Promise<{ failing_s: number; unchecked_s: number }> {
  const { rows } = await sql<{ failing_s: number; unchecked_s: number }>`
    select coalesce(extract(epoch from ${now}::timestamptz - min(required_failing_since)), 0)::float8 as failing_s,
      coalesce(extract(epoch from ${now}::timestamptz - min(checked_at)), 0)::float8 as unchecked_s
    from sending_domains where state in ('verified', 'warning', 'suspended')`.execute(db);
  return rows[0] ?? { failing_s: 0, unchecked_s: 0 };
}
