import { sql } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { withConstraints } from '../../platform/db/errors.ts';
import { invalidField } from '../../platform/failure.ts';
import { nilId } from '../../platform/id.ts';
import type { EncryptedValue, ReplacedValue } from '../../platform/secrets/encrypted-values.ts';

const meanings = {
  service_callback_signing_secrets_created_by_id_fkey: () => invalidField('updated_by_id', 'No result found'),
};

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
