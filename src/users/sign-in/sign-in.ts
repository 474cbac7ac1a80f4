import { randomUUID } from 'node:crypto';
import { later, minute_ms, type Timestamp, timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { type Failure, forbidden, invalid, invalidField, notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { getUserRecord, type UserRecord } from '../user-record.ts';
import { type LockedUser, lockUser } from '../users.ts';
import { isPassword } from './passwords.ts';
import {
  countFailure,
  countWrongPassword,
  forgetFailures,
  raiseFailedCodeCount,
  recordRightPassword,
  recordSignIn,
  selectPasswordHash,
} from './sign-in.sql.ts';
import { type CodeType, countLiveCodes, markCodesUsed, selectVerifyCodes } from './verify-codes.sql.ts';
import { isCodeDigest, maxWrongCodes } from './verify-codes.ts';
import { recordCredentialUse } from './webauthn-credentials.ts';

const maxFailures = 10;
const maxWebauthnFailures = 5;
const longestRefusal_ms = 15 * minute_ms;

type Deps = Pick<Platform, 'db' | 'clock' | 'secrets'>;

/**
 * From the eleventh wrong password in a row on, checks are refused for a while, and a refusal cannot be told from a wrong
 * password. A check that is refused counts in the record like a wrong one, but makes no refusal longer: the owner of an
 * account must be able to wait it out.
 */
export async function verifyPassword(app: Deps, userId: string, password: string): Promise<void> {
  const arrived = timestamp(app.clock.now());
  const hash = await selectPasswordHash(app.db, userId);
  // Also while checks are refused, so that the time tells nothing; and before the lock, which is then held briefly.
  const matches = await isPassword(password, hash);
  const right = await inTransaction(app.db, async (tx) => {
    const user = await lockUser(tx, userId);
    const now = app.clock.now();
    const at = timestamp(now);
    // By when it arrived: however long the hash took, what was sent while checks were refused is not judged.
    if (user.passwords_refused_until !== null && user.passwords_refused_until > arrived) {
      await countFailure(tx, userId, at);
      return false;
    }
    // A password that was changed meanwhile is not right any more.
    if (matches && (await selectPasswordHash(tx, userId)) === hash) {
      await recordRightPassword(tx, userId, at);
      return true;
    }
    const refusal_ms = refusalAfter_ms(user.failed_password_count + 1);
    await countWrongPassword(tx, userId, at, refusal_ms > 0 ? timestamp(later(now, refusal_ms)) : null);
    return false;
  });
  if (!right) throw invalidField('password', 'Incorrect password');
}

/** Nothing up to the tenth wrong password in a row, then 1 s, 2 s, 4 s and so on. */
function refusalAfter_ms(wrongInARow: number): number {
  if (wrongInARow <= maxFailures) return 0;
  return Math.min(1_000 * 2 ** (wrongInARow - maxFailures - 1), longestRefusal_ms);
}

export async function verifyCode(
  app: Deps,
  userId: string,
  attempt: { code: string; code_type: CodeType },
): Promise<void> {
  // The lock lets one attempt at a time read the counts, be judged and raise them, so no number of attempts at once gets
  // past the limit. A refusal is thrown after the commit: thrown inside, it would undo the counting.
  const refusal = await inTransaction(app.db, async (tx) => {
    const user = await lockUser(tx, userId);
    const now = timestamp(app.clock.now());
    if (user.failed_login_count >= maxFailures) return notFound('Code not found');
    const refusal = await judgeCode(app, tx, user.id, attempt, now);
    if (refusal) {
      await countFailure(tx, userId, now);
      await countWrongCode(tx, user, now);
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
 * Only a right code ends the row of wrong ones, so a known password does not buy more guesses. From the tenth on every
 * wrong code costs all live ones. While there is no live code there is nothing to guess, and nothing is counted.
 */
async function countWrongCode(tx: Tx, user: LockedUser, now: Timestamp): Promise<void> {
  if ((await countLiveCodes(tx, user.id, now)) === 0) return;
  await raiseFailedCodeCount(tx, user.id);
  if (user.failed_code_count + 1 >= maxWrongCodes) await markCodesUsed(tx, user.id);
}

async function judgeCode(
  app: Deps,
  tx: Tx,
  userId: string,
  attempt: { code: string; code_type: CodeType },
  now: Timestamp,
): Promise<Failure | undefined> {
  const codes = await selectVerifyCodes(tx, userId, attempt.code_type);
  if (codes.length === 0) return notFound('Code not found');
  const newest = codes.find(({ code_digest }) => isCodeDigest(app, userId, attempt.code, code_digest));
  if (!newest) return invalid('Code is not valid');
  if (newest.used || newest.expires_at <= now) return invalid('Code has expired');
  return undefined;
}

/** The front end has checked the security key and says how that went. */
export async function completeWebauthnSignIn(
  app: Deps,
  userId: string,
  outcome: { successful: boolean; webauthn_credential_id?: string | null },
): Promise<void> {
  const now = timestamp(app.clock.now());
  await inTransaction(app.db, async (tx) => {
    const user = await lockUser(tx, userId);
    if (user.failed_login_count >= maxWebauthnFailures) throw forbidden('Maximum login count exceeded');
    if (!outcome.successful) return countFailure(tx, userId, now);
    await recordSignIn(tx, userId, { current_session_id: randomUUID(), logged_in_at: now });
    if (outcome.webauthn_credential_id) await recordCredentialUse(tx, userId, outcome.webauthn_credential_id, now);
  });
}

export async function resetFailedLoginCount(app: Deps, userId: string): Promise<UserRecord> {
  await forgetFailures(app.db, userId, timestamp(app.clock.now()));
  return getUserRecord(app.db, userId);
}
