import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { withConstraints } from '../platform/db/errors.ts';
import { invalidField } from '../platform/failure.ts';
import { nilId } from '../platform/id.ts';
import type { EncryptedValue, ReplacedValue } from '../platform/secrets/encrypted-values.ts';

export type KeyType = 'normal' | 'team' | 'test';

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
] as const;

export function selectServiceWithKeys(db: Db, serviceId: string) {
  return db
    .selectFrom('services')
    .where('services.id', '=', serviceId)
    .select((service) => [
      'services.id',
      'services.active',
      jsonArrayFrom(
        service
          .selectFrom('api_keys')
          .whereRef('api_keys.service_id', '=', 'services.id')
          .select((key) => [
            'api_keys.id',
            'api_keys.key_type',
            'api_keys.encrypted_secret',
            'api_keys.allowed_networks',
            'api_keys.manage_templates',
            // The driver does not parse datetimes inside JSON, so format them here.
            key
              .fn<Timestamp | null>('to_char', ['api_keys.expiry_date', key.val('YYYY-MM-DD"T"HH24:MI:SS.US"Z"')])
              .as('expiry_date'),
            key
              .fn<Timestamp | null>('to_char', ['api_keys.expires_at', key.val('YYYY-MM-DD"T"HH24:MI:SS.US"Z"')])
              .as('expires_at'),
          ]),
      ).as('keys'),
    ])
    .executeTakeFirst();
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
  },
): Promise<void> {
  return withConstraints(
    {
      api_keys_live_name_key: () => invalidField('name', `Duplicate API key name '${row.name}'`),
      api_keys_created_by_id_fkey: () => invalidField('created_by', 'No result found'),
    },
    async () => {
      await tx.insertInto('api_keys').values(row).execute();
      await insertHistory(tx, row.id);
    },
  );
}

/** Live keys, and keys revoked after that time. */
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
  const revoked = await withConstraints(
    { api_keys_created_by_id_fkey: () => invalidField('created_by', 'No result found') },
    () =>
      tx
        .updateTable('api_keys')
        .set((key) => ({
          expiry_date: change.now,
          updated_at: change.now,
          version: key('version', '+', 1),
          ...(change.revoked_by_id ? { created_by_id: change.revoked_by_id } : {}),
        }))
        .where('service_id', '=', which.service_id)
        .$if(which.id !== undefined, (query) => query.where('id', '=', which.id ?? ''))
        .where('expiry_date', 'is', null)
        .returning('id')
        .execute(),
  );
  for (const { id } of revoked) await insertHistory(tx, id);
}

/** Who made a key, and what it is called. */
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
] as const;

async function insertHistory(tx: Tx, keyId: string): Promise<void> {
  await tx
    .insertInto('api_keys_history')
    .columns(historyColumns)
    .expression(tx.selectFrom('api_keys').select(historyColumns).where('id', '=', keyId))
    .execute();
}
