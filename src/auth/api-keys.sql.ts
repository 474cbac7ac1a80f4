import { type RawBuilder, sql } from 'kysely';
import { forApi, t } from '../language/text.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { withConstraints } from '../platform/db/errors.ts';
import { invalidField } from '../platform/failure.ts';
import { nilId } from '../platform/id.ts';
import type { EncryptedValue, ReplacedValue } from '../platform/secrets/encrypted-values.ts';
import type { ApiDialect } from '../protocol/dialect.ts';
import type { KeyType } from '../protocol/key-types.ts';

const columns = [
  'api_keys.id',
  'name',
  'key_type',
  'created_by_id as created_by',
  'created_at',
  'updated_at',
  'expiry_date',
  'expires_at',
  'allowed_networks',
  'last_used_at',
  'version',
  'manage_templates',
  'manage_reports',
  'send_over_smtp',
  'imported',
] as const;

interface ServiceWithKeysRow {
  id: string;
  active: boolean;
  api_dialect: ApiDialect;
  keys: {
    id: string;
    key_type: KeyType;
    encrypted_secret: string;
    allowed_networks: string[] | null;
    manage_templates: boolean;
    manage_reports: boolean;
    send_over_smtp: boolean;
    revoked_at: Timestamp | null;
    expires_at: Timestamp | null;
  }[];
}

/** The driver does not parse datetimes inside JSON, so they are formatted here. */
export async function selectServicesWithKeys(db: Db, serviceIds: string[]): Promise<ServiceWithKeysRow[]> {
  const wireTime = (column: RawBuilder<unknown>) => sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
  const { rows } = await sql<ServiceWithKeysRow>`/* prepared: services-with-keys */
    select services.id, services.active, services.api_dialect, (
      select coalesce(json_agg(json_build_object('id', key.id, 'key_type', key.key_type,
        'encrypted_secret', key.encrypted_secret, 'allowed_networks', key.allowed_networks,
        'manage_templates', key.manage_templates, 'manage_reports', key.manage_reports,
        'send_over_smtp', key.send_over_smtp,
        'revoked_at', ${wireTime(sql`key.expiry_date`)}, 'expires_at', ${wireTime(sql`key.expires_at`)})), '[]')
      from api_keys key where key.service_id = services.id
    ) as keys
    from services where services.id = any (${serviceIds}::uuid[])`.execute(db);
  return rows;
}

export function insertApiKey(
  tx: Tx,
  row: {
    id: string;
    service_id: string;
    name: string;
    encrypted_secret: string;
    key_type: KeyType;
    created_by_id: string;
    created_at: Timestamp;
    expires_at: Timestamp | null;
    allowed_networks: string[] | null;
    manage_templates: boolean;
    manage_reports: boolean;
    send_over_smtp: boolean;
    imported: boolean;
  },
): Promise<void> {
  return withConstraints(
    {
      api_keys_live_name_key: () =>
        invalidField(
          'name',
          forApi(
            `Duplicate API key name '${row.name}'`,
            t('Enter another name. A key is already called “{name}”.', { name: row.name }),
          ),
        ),
      api_keys_created_by_id_fkey: () => invalidField('created_by', 'No result found'),
    },
    async () => {
      await tx.insertInto('api_keys').values(row).execute();
      await insertHistory(tx, row.id);
    },
  );
}

/** Includes keys revoked after `revokedSince`. */
export function selectApiKeys(db: Db, serviceId: string, revokedSince: Timestamp) {
  return keysWithUse(db)
    .select(columns)
    .where('service_id', '=', serviceId)
    .where((key) => key.or([key('expiry_date', 'is', null), key('expiry_date', '>', revokedSince)]))
    .orderBy('created_at')
    .orderBy('api_keys.id')
    .execute();
}

export function selectLiveApiKey(db: Db, serviceId: string, keyId: string) {
  return keysWithUse(db)
    .select(columns)
    .where('service_id', '=', serviceId)
    .where('api_keys.id', '=', keyId)
    .where('expiry_date', 'is', null)
    .executeTakeFirst();
}

function keysWithUse(db: Db) {
  return db.selectFrom('api_keys').leftJoin('api_key_uses', 'api_key_uses.api_key_id', 'api_keys.id');
}

/** A key that is already revoked keeps its first revocation time. */
export async function revokeKeys(
  tx: Tx,
  which: { service_id: string; id?: string },
  change: { now: Timestamp; revoked_by_id?: string },
): Promise<void> {
  let query = tx
    .updateTable('api_keys')
    .set((key) => ({
      expiry_date: change.now,
      updated_at: change.now,
      version: key('version', '+', 1),
      ...(change.revoked_by_id ? { created_by_id: change.revoked_by_id } : {}),
    }))
    .where('service_id', '=', which.service_id)
    .where('expiry_date', 'is', null);
  if (which.id !== undefined) query = query.where('id', '=', which.id);
  const revoke = query.returning('id');
  const revoked = await withConstraints(
    { api_keys_created_by_id_fkey: () => invalidField('created_by', 'No result found') },
    () => revoke.execute(),
  );
  for (const { id } of revoked) await insertHistory(tx, id);
}

export function selectKeyAuthor(db: Db | Tx, keyId: string) {
  return db.selectFrom('api_keys').select(['name', 'created_by_id']).where('id', '=', keyId).executeTakeFirstOrThrow();
}

export async function apiKeyExists(db: Db, serviceId: string, keyId: string): Promise<boolean> {
  const row = await db
    .selectFrom('api_keys')
    .select('id')
    .where('service_id', '=', serviceId)
    .where('id', '=', keyId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Serialises imports, so that two concurrent imports of the same secret cannot both succeed. */
export async function lockKeyImports(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('imported keys', 0))`.execute(tx);
}

export async function selectKeySecrets(db: Db, after = nilId, limit: number) {
  const { rows: values } = await sql<EncryptedValue>`
    select id, concat(service_id, ' ', id) as place, encrypted_secret as text
    from api_keys where id > ${after} order by id limit ${limit}`.execute(db);
  return { values, last: values.at(-1)?.id };
}

export async function replaceKeySecrets(db: Db, values: ReplacedValue[]): Promise<void> {
  await sql`
    update api_keys k set encrypted_secret = v.after
    from json_to_recordset(${JSON.stringify(values)}::json) as v (id uuid, before text, after text)
    where k.id = v.id and k.encrypted_secret = v.before`.execute(db);
}

const historyColumns = [
  'id',
  'version',
  'service_id',
  'name',
  'key_type',
  'created_by_id',
  'created_at',
  'updated_at',
  'expiry_date',
  'expires_at',
  'allowed_networks',
  'manage_templates',
  'manage_reports',
  'send_over_smtp',
  'imported',
] as const;

async function insertHistory(tx: Tx, keyId: string): Promise<void> {
  await tx
    .insertInto('api_keys_history')
    .columns(historyColumns)
    .expression(tx.selectFrom('api_keys').select(historyColumns).where('id', '=', keyId))
    .execute();
}

/** Writes in id order, so that two processes cannot deadlock. Skips deleted keys. */
export async function upsertKeyUses(db: Db, uses: { api_key_id: string; last_used_at: Timestamp }[]): Promise<void> {
  await sql`
    insert into api_key_uses as existing (api_key_id, last_used_at)
    select u.api_key_id, u.last_used_at
    from json_to_recordset(${JSON.stringify(uses)}::json) as u (api_key_id uuid, last_used_at timestamptz)
    where exists (select from api_keys k where k.id = u.api_key_id)
    order by u.api_key_id
    on conflict (api_key_id) do update set last_used_at = greatest(existing.last_used_at, excluded.last_used_at)`.execute(
    db,
  );
}
