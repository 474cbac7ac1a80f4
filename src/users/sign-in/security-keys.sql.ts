import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';

export type ChallengePurpose = 'registration' | 'sign-in';

/** Replaces the challenge before. */
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

/** Deletes the challenge, so that it is used once. */
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

/** The keys that were registered for this host. */
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
