import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import { invalidField, notFound } from '../../platform/failure.ts';
import { nilId } from '../../platform/id.ts';
import type { EncryptedValue, ReplacedValue } from '../../platform/secrets/encrypted-values.ts';

/** Event types that a service can receive callbacks for. */
export const callbackTypes = [
  'delivery_status',
  'message_status',
  'complaint',
  'returned_letter',
  'inbound_sms',
] as const;
export type CallbackType = (typeof callbackTypes)[number];

/** The token is left out: it is never shown again. */
const columns = ['id', 'service_id', 'url', 'updated_by_id', 'created_at', 'updated_at'] as const;

const meanings = {
  service_callback_api_type_key: () =>
    invalidField('name', 'You can only have one URL and bearer token for your service.'),
  service_callback_api_service_id_fkey: () => notFound(),
  service_callback_api_updated_by_id_fkey: () => invalidField('updated_by_id', 'No result found'),
  service_callback_signing_secrets_created_by_id_fkey: () => invalidField('updated_by_id', 'No result found'),
};

export interface CallbackId {
  id: string;
  service_id: string;
  /** Matches only a callback of this type. */
  callback_type?: CallbackType;
}

export function selectCallback(db: Db | Tx, which: CallbackId) {
  let query = db
    .selectFrom('service_callback_api')
    .select(columns)
    .where('id', '=', which.id)
    .where('service_id', '=', which.service_id);
  if (which.callback_type !== undefined) query = query.where('callback_type', '=', which.callback_type);
  return query.executeTakeFirst();
}

export async function selectCallbackType(tx: Tx, id: string): Promise<CallbackType> {
  const row = await tx
    .selectFrom('service_callback_api')
    .select('callback_type')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.callback_type;
}

export async function insertCallback(
  tx: Tx,
  row: {
    id: string;
    service_id: string;
    callback_type: CallbackType;
    url: string;
    encrypted_bearer_token: string;
    updated_by_id: string;
    created_at: Timestamp;
  },
): Promise<void> {
  await withConstraints(meanings, () => tx.insertInto('service_callback_api').values(row).execute());
  await recordVersion(tx, row.id);
}

export async function updateCallbackRow(
  tx: Tx,
  id: string,
  change: { url?: string; encrypted_bearer_token?: string; updated_by_id: string; updated_at: Timestamp },
): Promise<void> {
  await withConstraints(meanings, () =>
    tx
      .updateTable('service_callback_api')
      .set((callback) => ({ ...change, version: callback('version', '+', 1) }))
      .where('id', '=', id)
      .execute(),
  );
  await recordVersion(tx, id);
}

export async function selectTokens(db: Db, after = nilId, limit: number) {
  const { rows: values } = await sql<EncryptedValue>`
    select id, concat(service_id, ' ', callback_type) as place, encrypted_bearer_token as text
    from service_callback_api where id > ${after} order by id limit ${limit}`.execute(db);
  return { values, last: values.at(-1)?.id };
}

export async function replaceTokens(db: Db, values: ReplacedValue[]): Promise<void> {
  await sql`
    update service_callback_api c set encrypted_bearer_token = v.after
    from json_to_recordset(${JSON.stringify(values)}::json) as v (id uuid, before text, after text)
    where c.id = v.id and c.encrypted_bearer_token = v.before`.execute(db);
}

export async function deleteCallbackRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('service_callback_api').where('id', '=', id).execute();
}

const historyColumns = [
  'id',
  'version',
  'service_id',
  'callback_type',
  'url',
  'updated_by_id',
  'created_at',
  'updated_at',
] as const;

async function recordVersion(tx: Tx, id: string): Promise<void> {
  await tx
    .insertInto('service_callback_api_history')
    .columns(historyColumns)
    .expression(tx.selectFrom('service_callback_api').select(historyColumns).where('id', '=', id))
    .execute();
}

export async function upsertSigningSecret(
  tx: Tx,
  row: { callback_id: string; encrypted_secret: string; created_by_id: string; created_at: Timestamp },
): Promise<void> {
  const { callback_id: _id, ...change } = row;
  await withConstraints(meanings, () =>
    tx
      .insertInto('service_callback_signing_secrets')
      .values(row)
      .onConflict((conflict) => conflict.column('callback_id').doUpdateSet(change))
      .execute(),
  );
}

export async function deleteSigningSecret(db: Db, callbackId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('service_callback_signing_secrets')
    .where('callback_id', '=', callbackId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function selectSigningSecrets(db: Db, after = nilId, limit: number) {
  const { rows: values } = await sql<EncryptedValue>`
    select s.callback_id as id, concat(c.service_id, ' ', c.callback_type) as place, s.encrypted_secret as text
    from service_callback_signing_secrets s join service_callback_api c on c.id = s.callback_id
    where s.callback_id > ${after} order by s.callback_id limit ${limit}`.execute(db);
  return { values, last: values.at(-1)?.id };
}

export async function replaceSigningSecrets(db: Db, values: ReplacedValue[]): Promise<void> {
  await sql`
    update service_callback_signing_secrets s set encrypted_secret = v.after
    from json_to_recordset(${JSON.stringify(values)}::json) as v (id uuid, before text, after text)
    where s.callback_id = v.id and s.encrypted_secret = v.before`.execute(db);
}
