import { randomUUID } from 'node:crypto';
import { later, type Timestamp, timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { type Failure, forbidden, invalid, invalidField, notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { getUserRecord, type UserRecord } from '../user-record.ts';
import { maxFailures } from '../users.sql.ts';
import { type LockedUser, lockUser } from '../users.ts';
import { lockoutAfter_ms } from './password-guesses.ts';
import { isPassword, noPassword } from './passwords.ts';
import { recordCredentialUse } from './security-keys.ts';
import {
  countFailure,
  countLiveCodes,
  countWrongCode,
  countWrongPassword,
  markCodesUsed,
  recordCorrectPassword,
  recordSignIn,
  resetFailures,
  resetGuessesOfUser,
  selectPasswordHash,
  selectVerifyCodes,
  updateLastSignIn,
} from './sign-in.sql.ts';
import { type CodeAttempt, isCodeDigest, maxWrongCodes } from './verify-codes.ts';

/** After ten failures of any kind, the API rejects a user's codes, and the official front end the sign-in. */
export function isLocked({ state, failed_login_count }: Pick<UserRecord, 'state' | 'failed_login_count'>): boolean {
  return state === 'active' && failed_login_count >= maxFailures;
}

const maxWebauthnFailures = 5;

/**
 * After the eleventh consecutive wrong password, checks are locked out for a while. A locked-out check looks like a wrong
 * password. It increments the failure count but does not extend the lockout, so that the account's owner can wait for
 * its end.
 */
export async function verifyPassword(app: Platform, userId: string, password: string): Promise<void> {
  const arrived = timestamp(app.clock.now());
  const hash = await selectPasswordHash(app.db, userId);
  // Hash even during a lockout, so that response times reveal nothing. Hash before taking the lock, to hold it only briefly.
  const matches = await isPassword(password, hash);
  const right = await inTransaction(app.db, async (tx) => {
    const user = await lockUser(tx, userId);
    // An account without a password cannot be guessed, so strangers must not be able to lock it.
    if (hash === noPassword) return false;
    const now = app.clock.now();
    const at = timestamp(now);
    // Compare with the arrival time: a request sent during the lockout is rejected however long hashing took.
    if (user.passwords_refused_until !== null && user.passwords_refused_until > arrived) {
      await countFailure(tx, user, at);
      return false;
    }
    // Reject the old password if it was changed while hashing.
    if (matches && (await selectPasswordHash(tx, userId)) === hash) {
      await recordCorrectPassword(tx, userId, at);
      return true;
    }
    const lockout_ms = lockoutAfter_ms(user.failed_password_count + 1, maxFailures);
    await countWrongPassword(tx, user, at, lockout_ms > 0 ? timestamp(later(now, lockout_ms)) : null);
    return false;
  });
  if (!right) throw invalidField('password', 'Incorrect password');
}

/** Accounts created by single sign-on have none. */
export async function hasPassword(db: Db, userId: string): Promise<boolean> {
  return (await selectPasswordHash(db, userId)) !== noPassword;
}

export async function verifyCode(app: Platform, userId: string, attempt: CodeAttempt): Promise<void> {
  // The lock serialises reading, checking and incrementing the counts, so concurrent attempts cannot exceed the limit.
  // Throw after the commit: inside the transaction, it would roll back the count.
  const refusal = await inTransaction(app.db, async (tx) => {
    const user = await lockUser(tx, userId);
    const now = timestamp(app.clock.now());
    // The contract of the API. In the console, wrong passwords from a stranger must not block the owner's second step.
    const isOfApi = attempt.purpose.for === 'api';
    if (isOfApi && user.failed_login_count >= maxFailures) return notFound('Code not found');
    const refusal = await checkCode(app, tx, user, attempt, now);
    if (refusal) {
      await countFailure(tx, user, now);
      await voidCodesIfGuessed(tx, user, now);
      return refusal;
    }
    await markCodesUsed(tx, user.id, attempt.code_type);
    await recordSignIn(tx, userId, {
      current_session_id: randomUUID(),
      logged_in_at: now,
      failed_code_count: 0,
      ...(attempt.code_type === 'email' ? { email_access_validated_at: now } : {}),
    });
    return undefined;
  });
  if (refusal) throw refusal;
}

/**
 * Only a correct code resets the count of wrong codes, so repeating the password step allows no more guesses. From the tenth wrong code on,
 * each one invalidates all live codes and ends all console sessions, because the sender knows the password. Attempts without a live code do
 * not count.
 */
async function voidCodesIfGuessed(tx: Tx, user: LockedUser, now: Timestamp): Promise<void> {
  if ((await countLiveCodes(tx, user.id, now)) === 0) return;
  const isGuessed = user.failed_code_count + 1 >= maxWrongCodes;
  await countWrongCode(tx, user, isGuessed ? now : undefined);
  if (isGuessed) await markCodesUsed(tx, user.id);
}

async function checkCode(
  app: Platform,
  tx: Tx,
  user: LockedUser,
  attempt: CodeAttempt,
  now: Timestamp,
): Promise<Failure | undefined> {
  const codes = await selectVerifyCodes(tx, user.id, attempt.code_type);
  if (codes.length === 0) return notFound('Code not found');
  const newest = codes.find(({ code_digest }) => isCodeDigest(app, user, attempt, code_digest));
  if (!newest) return invalid('Code is not valid');
  if (newest.used || newest.expires_at <= now) return invalid('Code has expired');
  return undefined;
}

/** Records the result of a security key check that the front end performed. */
export async function completeWebauthnSignIn(
  app: Platform,
  userId: string,
  outcome: { successful: boolean; webauthn_credential_id?: string | null },
): Promise<void> {
  const now = timestamp(app.clock.now());
  await inTransaction(app.db, async (tx) => {
    const user = await lockUser(tx, userId);
    if (user.failed_login_count >= maxWebauthnFailures) throw forbidden('Maximum login count exceeded');
    if (!outcome.successful) return countFailure(tx, user, now);
    await recordSignIn(tx, userId, { current_session_id: randomUUID(), logged_in_at: now });
    if (outcome.webauthn_credential_id) await recordCredentialUse(tx, userId, outcome.webauthn_credential_id, now);
  });
}

/** For sign-ins without a code or key: the first one of an account, and those with a link. Codes and keys record their own. */
export async function recordLastSignIn({ db, clock }: Platform, userId: string): Promise<void> {
  await updateLastSignIn(db, userId, timestamp(clock.now()));
}

export async function resetFailedLoginCount(app: Platform, userId: string): Promise<UserRecord> {
  return inTransaction(app.db, async (tx) => {
    await resetFailures(tx, userId, timestamp(app.clock.now()));
    await resetGuessesOfUser(tx, userId);
    return getUserRecord(tx, userId);
  });
}
