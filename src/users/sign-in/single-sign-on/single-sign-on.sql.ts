import type { Timestamp } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';

interface AtIssuer {
  issuer: string;
  subject: string;
}

export async function selectUserOfIdentity(tx: Tx, { issuer, subject }: AtIssuer): Promise<string | undefined> {
  const row = await tx
    .selectFrom('user_identities')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row?.user_id;
}

/** Whether the user has an identity at any issuer. */
export async function hasIdentity(db: Db, userId: string): Promise<boolean> {
  const row = await db.selectFrom('user_identities').select('subject').where('user_id', '=', userId).executeTakeFirst();
  return row !== undefined;
}

export async function hasIdentityAt(tx: Tx, userId: string, issuer: string): Promise<boolean> {
  const row = await tx
    .selectFrom('user_identities')
    .select('subject')
    .where('user_id', '=', userId)
    .where('issuer', '=', issuer)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertIdentity(
  tx: Tx,
  { issuer, subject, user_id, now }: AtIssuer & { user_id: string; now: Timestamp },
): Promise<void> {
  await tx
    .insertInto('user_identities')
    .values({ issuer, subject, user_id, created_at: now, last_used_at: now })
    .execute();
}

export async function updateIdentityUse(tx: Tx, { issuer, subject }: AtIssuer, now: Timestamp): Promise<void> {
  await tx
    .updateTable('user_identities')
    .set({ last_used_at: now })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute();
}

/** Returns false if the state was used before. */
export async function insertState(tx: Tx, state_hash: string, expires_at: Timestamp): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('single_sign_on_states')
    .values({ state_hash, expires_at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export async function deleteStatesUntil(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('single_sign_on_states').where('expires_at', '<=', moment).execute();
}
