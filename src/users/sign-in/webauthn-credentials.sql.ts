import type { Insertable } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type ConstraintMeanings, withConstraints } from '../../platform/db/errors.ts';
import type { WebauthnCredentials } from '../../platform/db/schema.ts';
import { conflict } from '../../platform/failure.ts';

const columns = ['id', 'user_id', 'name', 'credential_data', 'created_at', 'updated_at', 'logged_in_at'] as const;

const meanings: ConstraintMeanings = {
  webauthn_credentials_credential_id_key: () => conflict('This security key is registered already.'),
};

export function selectCredentials(db: Db | Tx, userId: string) {
  return db
    .selectFrom('webauthn_credentials')
    .select([...columns, 'rp_id'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function insertCredential(db: Db | Tx, row: Insertable<WebauthnCredentials>) {
  return withConstraints(meanings, () =>
    db.insertInto('webauthn_credentials').values(row).returning(columns).executeTakeFirstOrThrow(),
  );
}

/** Returns undefined when the user has no such credential. */
export function updateCredential(
  db: Db | Tx,
  userId: string,
  credentialId: string,
  change: { name?: string; updated_at?: Timestamp; logged_in_at?: Timestamp; sign_count?: number },
) {
  return db
    .updateTable('webauthn_credentials')
    .set(change)
    .where('user_id', '=', userId)
    .where('id', '=', credentialId)
    .returning(columns)
    .executeTakeFirst();
}

export async function deleteCredentialsOfUser(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('webauthn_credentials').where('user_id', '=', userId).execute();
}

export async function deleteCredentialRow(tx: Tx, credentialId: string): Promise<void> {
  await tx.deleteFrom('webauthn_credentials').where('id', '=', credentialId).execute();
}
