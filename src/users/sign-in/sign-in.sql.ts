import type { Updateable } from 'kysely';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Users } from '../../platform/db/schema.ts';
import type { LockedUser } from '../users.ts';

export async function selectPasswordHash(db: Db | Tx, userId: string): Promise<string | undefined> {
  const row = await db.selectFrom('users').select('password_hash').where('id', '=', userId).executeTakeFirst();
  return row?.password_hash;
}

/** From the tenth failure of any kind on, the API refuses codes. */
export const maxFailures = 10;

type Counted = Pick<LockedUser, 'id' | 'failed_login_count' | 'failed_password_count' | 'failed_code_count'>;

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

/** With `lockedAt`, sessions of the console from before that end. */
export async function countWrongCode(tx: Tx, user: Counted, lockedAt: Timestamp | undefined): Promise<void> {
  const locked = lockedAt === undefined ? {} : { locked_at: lockedAt };
  await updateUser(tx, user.id, { failed_code_count: user.failed_code_count + 1, ...locked });
}

/** Column values without failed passwords. */
const noFailedPasswords = { failed_login_count: 0, failed_password_count: 0, passwords_refused_until: null };
/** Column values without failed passwords and codes. */
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

async function updateUser(db: Db | Tx, userId: string, change: Updateable<Users>): Promise<void> {
  await db.updateTable('users').set(change).where('id', '=', userId).execute();
}
