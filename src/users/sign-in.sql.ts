import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';

export async function selectPasswordHash(db: Db, userId: string): Promise<string | undefined> {
  const row = await db.selectFrom('users').select('password_hash').where('id', '=', userId).executeTakeFirst();
  return row?.password_hash;
}

/** One statement, so that failures that happen at once are all counted. */
export async function countFailure(db: Db | Tx, userId: string, now: Timestamp): Promise<void> {
  await db
    .updateTable('users')
    .set((user) => ({ failed_login_count: user('failed_login_count', '+', 1), updated_at: now }))
    .where('id', '=', userId)
    .execute();
}

export async function forgetFailures(db: Db | Tx, userId: string, now: Timestamp): Promise<void> {
  await db.updateTable('users').set({ failed_login_count: 0, updated_at: now }).where('id', '=', userId).execute();
}

export async function recordSignIn(
  tx: Tx,
  userId: string,
  change: { current_session_id: string; logged_in_at: Timestamp; email_access_validated_at?: Timestamp },
): Promise<void> {
  await tx
    .updateTable('users')
    .set({ ...change, failed_login_count: 0, updated_at: change.logged_in_at })
    .where('id', '=', userId)
    .execute();
}
