import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import { anyOf } from '../../platform/db/expressions.ts';
import { invalidField } from '../../platform/failure.ts';
import type { Channel } from '../../protocol/channels.ts';

export interface ProviderDetails {
  id: string;
  identifier: string;
  display_name: string;
  notification_type: Channel;
  priority: number;
  active: boolean;
  supports_international: boolean;
  version: number;
  created_by_id: string | null;
  created_by_name: string | null;
  reason: string | null;
  updated_at: Timestamp | null;
}

const columns = [
  'provider_details.id',
  'provider_details.identifier',
  'provider_details.display_name',
  'provider_details.notification_type',
  'provider_details.priority',
  'provider_details.active',
  'provider_details.supports_international',
  'provider_details.version',
  'provider_details.created_by_id',
  'provider_details.reason',
  'provider_details.updated_at',
  'users.name as created_by_name',
] as const;

export function selectProviders(db: Db | Tx): Promise<ProviderDetails[]> {
  return db
    .selectFrom('provider_details')
    .leftJoin('users', 'users.id', 'provider_details.created_by_id')
    .select(columns)
    .orderBy('notification_type', 'desc')
    .orderBy('priority')
    .orderBy('identifier')
    .execute();
}

export function selectProvider(db: Db | Tx, id: string): Promise<ProviderDetails | undefined> {
  return db
    .selectFrom('provider_details')
    .leftJoin('users', 'users.id', 'provider_details.created_by_id')
    .select(columns)
    .where('provider_details.id', '=', id)
    .executeTakeFirst();
}

/** Newest first. */
export function selectProviderVersions(
  db: Db,
  id: string,
): Promise<(ProviderDetails & { created_by_email_address: string | null })[]> {
  return db
    .selectFrom('provider_details_history as provider_details')
    .leftJoin('users', 'users.id', 'provider_details.created_by_id')
    .select([...columns, 'users.email_address as created_by_email_address'])
    .where('provider_details.id', '=', id)
    .orderBy('version', 'desc')
    .execute();
}

/** Returns the text fragments charged per provider since a London day, from the usage rollups. */
export async function selectFragmentsSince(db: Db, londonDay: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ provider: string; fragments: number }>`
    select provider, total(billable_units * rate_multiplier) as fragments from usage_counts
    where notification_type = 'sms' and london_day >= ${londonDay}
    group by provider`.execute(db);
  return new Map(rows.map(({ provider, fragments }) => [provider, fragments]));
}

export interface ProviderChange {
  priority?: number;
  /** The share that failover returns to. */
  resting_priority?: number | undefined;
  active?: boolean;
  reason?: string | null;
  created_by_id?: string;
}

/** Updates the given fields and inserts a version into the history. The version has the reason of this change only. */
export async function updateProvider(tx: Tx, id: string, change: ProviderChange, now: Timestamp): Promise<void> {
  await withConstraints(
    { provider_details_created_by_id_fkey: () => invalidField('created_by', 'No result found') },
    () =>
      tx
        .updateTable('provider_details')
        .set((provider) => ({
          version: provider('version', '+', 1),
          updated_at: now,
          reason: change.reason ?? null,
          priority: change.priority,
          resting_priority: change.resting_priority,
          active: change.active,
          created_by_id: change.created_by_id,
        }))
        .where('id', '=', id)
        .execute(),
  );
  await recordVersions(tx, [id]);
}

async function recordVersions(tx: Tx, ids: string[]): Promise<void> {
  const columns = [
    'id',
    'version',
    'identifier',
    'display_name',
    'notification_type',
    'priority',
    'active',
    'supports_international',
    'created_by_id',
    'reason',
    'updated_at',
  ] as const;
  await tx
    .insertInto('provider_details_history')
    .columns(columns)
    .expression(tx.selectFrom('provider_details').select(columns).where('id', '=', anyOf(ids)))
    .execute();
}

export type BuiltInProvider = Pick<
  ProviderDetails,
  'id' | 'identifier' | 'display_name' | 'notification_type' | 'priority' | 'supports_international'
>;

export async function insertMissingProviders(tx: Tx, providers: BuiltInProvider[]): Promise<void> {
  const inserted = await tx
    .insertInto('provider_details')
    .values(providers.map((provider) => ({ ...provider, resting_priority: provider.priority })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute();
  await recordVersions(
    tx,
    inserted.map(({ id }) => id),
  );
}

/** Creates no version, because nothing that an operator decides has changed. */
export async function updateProviderFacts(tx: Tx, providers: BuiltInProvider[]): Promise<void> {
  await sql`
    update provider_details p set display_name = f.display_name, supports_international = f.supports_international
    from json_to_recordset(${JSON.stringify(providers)}::json)
      as f (id uuid, display_name text, supports_international boolean)
    where p.id = f.id
      and (p.display_name, p.supports_international) is distinct from (f.display_name, f.supports_international)`.execute(
    tx,
  );
}

export interface ProviderShare {
  id: string;
  identifier: string;
  priority: number;
  resting_priority: number;
  active: boolean;
  supports_international: boolean;
  updated_at: Timestamp | null;
}

const shareColumns = [
  'id',
  'identifier',
  'priority',
  'resting_priority',
  'active',
  'supports_international',
  'updated_at',
] as const;

export function selectShares(db: Db, type: Channel): Promise<ProviderShare[]> {
  return db.selectFrom('provider_details').select(shareColumns).where('notification_type', '=', type).execute();
}

/** Locks all rows of a channel, so that concurrent changes see each other. */
export function lockShares(tx: Tx, type: Channel): Promise<ProviderShare[]> {
  return tx
    .selectFrom('provider_details')
    .select(shareColumns)
    .where('notification_type', '=', type)
    .orderBy('id')
    .forUpdate()
    .execute();
}

export interface ShareMove {
  identifier: string;
  notification_type: Channel;
  before: number;
  priority: number;
  reason: string;
  at: Timestamp;
}

/** Selects changes of shares that failover made, newest first. */
export async function selectShareMovesSince(db: Db, byUserId: string, since: Timestamp): Promise<ShareMove[]> {
  const { rows } = await sql<ShareMove>`
    select h.identifier, h.notification_type, previous.priority as before, h.priority, coalesce(h.reason, '') as reason,
      h.updated_at as at
    from provider_details p join provider_details_history h on h.id = p.id
      join provider_details_history previous on previous.id = h.id and previous.version = h.version - 1
    where h.updated_at >= ${since} and h.created_by_id = ${byUserId} and h.priority <> previous.priority
    order by h.updated_at desc, h.identifier limit 100`.execute(db);
  return rows;
}

/** Counts messages handed to each provider since a London day, by channel. */
export async function selectMessagesSince(db: Db, londonDay: string) {
  const { rows } = await sql<{ notification_type: Channel; provider: string; messages: number }>`
    select notification_type, provider, total(notifications_sent) as messages from usage_counts
    where london_day >= ${londonDay} group by notification_type, provider`.execute(db);
  return rows;
}
