import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { DB } from '../../platform/db/schema.ts';

export async function selectPasswordHash(db: Db | Tx, userId: string): Promise<string | undefined> {
  const row = await db.selectFrom('users').select('password_hash').where('id', '=', userId).executeTakeFirst();
  return row?.password_hash;
}

type Counted = Pick<
  Selectable<DB['users']>,
  'id' | 'failed_login_count' | 'failed_password_count' | 'failed_code_count'
>;

export async function countFailure(tx: Tx, user: Counted, now: Timestamp): Promise<void> {
  await updateUser(tx, user.id, { failed_login_count: user.failed_login_count + 1, updated_at: now });
}

export async function countWrongPassword(
  tx: Tx,
  user: Counted,
  now: Timestamp,
  refusedUntil: Timestamp | null,
): Promise<void> {
  await updateUser(tx, user.id, {
    failed_login_count: user.failed_login_count + 1,
    updated_at: now,
    failed_password_count: user.failed_password_count + 1,
    passwords_refused_until: refusedUntil,
  });
}

/** `lockedAt` ends all console sessions that began before it. */
export async function countWrongCode(tx: Tx, user: Counted, lockedAt: Timestamp | undefined): Promise<void> {
  const locked = lockedAt === undefined ? {} : { locked_at: lockedAt };
  await updateUser(tx, user.id, { failed_code_count: user.failed_code_count + 1, ...locked });
}

/** Column values that reset failed passwords. */
const noFailedPasswords = { failed_login_count: 0, failed_password_count: 0, passwords_refused_until: null };
/** Column values that reset failed passwords and codes. */
export const noFailures = { ...noFailedPasswords, failed_code_count: 0 };

export async function recordCorrectPassword(tx: Tx, userId: string, now: Timestamp): Promise<void> {
  await updateUser(tx, userId, { ...noFailedPasswords, updated_at: now });
}

export async function resetFailures(tx: Tx, userId: string, now: Timestamp): Promise<void> {
  await updateUser(tx, userId, { ...noFailures, updated_at: now });
}

export async function recordSignIn(
  tx: Tx,
  userId: string,
  change: {
    current_session_id: string;
    logged_in_at: Timestamp;
    email_access_validated_at?: Timestamp;
    failed_code_count?: 0;
  },
): Promise<void> {
  await updateUser(tx, userId, { ...change, failed_login_count: 0, updated_at: change.logged_in_at });
}

export async function updateLastSignIn(db: Db, userId: string, logged_in_at: Timestamp): Promise<void> {
  await updateUser(db, userId, { logged_in_at });
}

async function updateUser(db: Db | Tx, userId: string, change: Updateable<DB['users']>): Promise<void> {
  await db.updateTable('users').set(change).where('id', '=', userId).execute();
}

export type CodeType = 'sms' | 'email';

export async function insertVerifyCode(
  tx: Tx,
  row: {
    id: string;
    user_id: string;
    code_type: CodeType;
    code_digest: string;
    expires_at: Timestamp;
    created_at: Timestamp;
  },
): Promise<void> {
  await tx.insertInto('verify_codes').values(row).execute();
}

/** Unused, unexpired codes of both types. */
export async function countLiveCodes(db: Db | Tx, userId: string, now: Timestamp): Promise<number> {
  const { count } = await db
    .selectFrom('verify_codes')
    .select((code) => code.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('used', '=', false)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return count;
}

export async function countCodesSince(tx: Tx, userId: string, moment: Timestamp): Promise<number> {
  const { count } = await tx
    .selectFrom('verify_codes')
    .select((code) => code.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('created_at', '>', moment)
    .executeTakeFirstOrThrow();
  return count;
}

/** Newest first. */
export function selectVerifyCodes(tx: Tx, userId: string, codeType: CodeType) {
  return tx
    .selectFrom('verify_codes')
    .select(['code_digest', 'used', 'expires_at'])
    .where('user_id', '=', userId)
    .where('code_type', '=', codeType)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Without a type, marks the codes of both types as used. */
export async function markCodesUsed(tx: Tx, userId: string, codeType?: CodeType): Promise<void> {
  let query = tx
    .updateTable('verify_codes')
    .set({ used: true })
    .where('user_id', '=', userId)
    .where('used', '=', false);
  if (codeType !== undefined) query = query.where('code_type', '=', codeType);
  await query.execute();
}

export async function deleteVerifyCodesUntil(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('verify_codes').where('created_at', '<=', moment).execute();
}

export type GuessRow = Awaited<ReturnType<typeof lockGuesses>>[number];

/** Creates missing rows. Locks all of them until the transaction ends, which blocks other guesses with the same counts. */
export function lockGuesses(tx: Tx, rows: readonly { counted: string; user_id: string | null }[], now: Timestamp) {
  // Lock in the same order in all transactions, to prevent deadlocks.
  const inOrder = [...rows].sort((left, right) => (left.counted < right.counted ? -1 : 1));
  return tx
    .insertInto('password_guesses')
    .values(inOrder.map((row) => ({ ...row, wrong_count: 0, counted_since: now })))
    .onConflict((conflict) => conflict.column('counted').doUpdateSet({ user_id: sql`excluded.user_id` }))
    .returningAll()
    .execute();
}

export async function saveGuesses(tx: Tx, rows: Insertable<DB['password_guesses']>[]): Promise<void> {
  await tx
    .insertInto('password_guesses')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('counted').doUpdateSet({
        wrong_count: sql`excluded.wrong_count`,
        counted_since: sql`excluded.counted_since`,
        refused_until: sql`excluded.refused_until`,
      }),
    )
    .execute();
}

export async function upsertSignInAddress(
  db: Db,
  row: { counted: string; user_id: string },
  signed_in_at: Timestamp,
): Promise<void> {
  await db
    .insertInto('password_guesses')
    .values({ ...row, wrong_count: 0, counted_since: signed_in_at, signed_in_at })
    .onConflict((conflict) => conflict.column('counted').doUpdateSet({ user_id: row.user_id, signed_in_at }))
    .execute();
}

export async function resetGuessesOfUser(tx: Tx, userId: string): Promise<void> {
  await tx
    .updateTable('password_guesses')
    .set({ wrong_count: 0, refused_until: null })
    .where('user_id', '=', userId)
    .execute();
}

export async function deleteGuessesUntil(
  db: Db,
  { counted, signedIn }: { counted: Timestamp; signedIn: Timestamp },
): Promise<void> {
  await db
    .deleteFrom('password_guesses')
    .where('counted_since', '<=', counted)
    .where((row) => row.or([row('signed_in_at', 'is', null), row('signed_in_at', '<=', signedIn)]))
    .execute();
}
