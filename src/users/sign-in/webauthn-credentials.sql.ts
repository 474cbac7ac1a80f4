import type { Insertable } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type ConstraintMeanings, withConstraints } from '../../platform/db/errors.ts';
import type { DB } from '../../platform/db/schema.ts';
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

export function insertCredential(db: Db | Tx, row: Insertable<DB['webauthn_credentials']>) {
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

export type ChallengePurpose = 'registration' | 'sign-in';

/** Replaces the previous challenge. */
export async function keepChallenge(
  db: Db | Tx,
  row: { user_id: string; purpose: ChallengePurpose; challenge: string; expires_at: Timestamp },
): Promise<void> {
  const { challenge, expires_at } = row;
  await db
    .insertInto('webauthn_challenges')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'purpose']).doUpdateSet({ challenge, expires_at }))
    .execute();
}

/** Deletes the challenge, so that it works only once. */
export async function takeChallenge(
  tx: Tx,
  userId: string,
  purpose: ChallengePurpose,
  now: Timestamp,
): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('webauthn_challenges')
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .returning(['challenge', 'expires_at'])
    .executeTakeFirst();
  return row && row.expires_at > now ? row.challenge : undefined;
}

export async function deleteChallengesUntil(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('webauthn_challenges').where('expires_at', '<=', moment).execute();
}

/** Selects the keys that were registered for this host. */
export function selectKeysOfSite(db: Db | Tx, userId: string, rpId: string) {
  return db
    .selectFrom('webauthn_credentials')
    .select(['id', 'credential_id', 'public_key', 'sign_count', 'transports'])
    .where('user_id', '=', userId)
    .where('rp_id', '=', rpId)
    .orderBy('created_at')
    .orderBy('id')
    .$narrowType<{ credential_id: string; public_key: Buffer; sign_count: number; transports: string[] }>()
    .execute();
}
