import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { withConstraints } from '../platform/db/errors.ts';
import { invalidField } from '../platform/failure.ts';

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
