import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';

const columns = ['id', 'user_id', 'name', 'credential_data', 'created_at', 'updated_at', 'logged_in_at'] as const;

export function selectCredentials(db: Db | Tx, userId: string) {
  return db
    .selectFrom('webauthn_credentials')
    .select(columns)
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function insertCredential(
  db: Db,
  row: {
    id: string;
    user_id: string;
    name: string;
    credential_data: string;
    registration_response: string;
    created_at: Timestamp;
  },
) {
  return db.insertInto('webauthn_credentials').values(row).returning(columns).executeTakeFirstOrThrow();
}

/** Returns undefined when the user has no such credential. */
export function updateCredential(
  db: Db | Tx,
  userId: string,
  credentialId: string,
  change: { name?: string; updated_at?: Timestamp; logged_in_at?: Timestamp },
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
