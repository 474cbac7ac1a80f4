import { randomUUID } from 'node:crypto';
import { timestamp } from '../platform/clock.ts';
import { inTransaction, type Tx } from '../platform/db/database.ts';
import { Failure, forbidden, invalid, invalidField, notFound } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { sameSecret } from '../platform/secrets.ts';
import { isPassword } from './passwords.ts';
import { countFailure, forgetFailures, recordSignIn, selectPasswordHash } from './sign-in.sql.ts';
import { getUserRecord, type UserRecord } from './user-record.ts';
import { lockUser } from './users.ts';
import { type CodeType, markCodeUsed, selectVerifyCodes } from './verify-codes.sql.ts';
import { codeDigest } from './verify-codes.ts';
import { recordCredentialUse } from './webauthn-credentials.ts';

const maxFailures = 10;
const maxWebauthnFailures = 5;

type Needs = Pick<Platform, 'db' | 'clock' | 'secrets'>;

/** The front end turns locked accounts away before it asks; here a right password always starts afresh. */
export async function verifyPassword(app: Needs, userId: string, password: string): Promise<void> {
  const right = await isPassword(password, await selectPasswordHash(app.db, userId));
  const now = timestamp(app.clock.now());
  if (right) return forgetFailures(app.db, userId, now);
  await countFailure(app.db, userId, now);
  throw invalidField('password', 'Incorrect password');
}

export async function verifyCode(
  app: Needs,
  userId: string,
  attempt: { code: string; code_type: CodeType },
): Promise<void> {
  const now = timestamp(app.clock.now());
  // The lock lets one attempt at a time read the count, be judged and raise it, so no number of attempts at once gets
  // past the limit. A refusal is thrown after the commit: thrown inside, it would undo the counting.
  const refusal = await inTransaction(app.db, async (tx) => {
    const user = await lockUser(tx, userId);
    if (user.failed_login_count >= maxFailures) return notFound('Code not found');
    const judgement = await judgeCode(app, tx, user.id, attempt);
    if (judgement instanceof Failure) {
      await countFailure(tx, userId, now);
      return judgement;
    }
    await markCodeUsed(tx, judgement.id);
    await recordSignIn(tx, userId, {
      current_session_id: randomUUID(),
      logged_in_at: now,
      ...(attempt.code_type === 'email' ? { email_access_validated_at: now } : {}),
    });
    return undefined;
  });
  if (refusal) throw refusal;
}

async function judgeCode(
  app: Needs,
  tx: Tx,
  userId: string,
  attempt: { code: string; code_type: CodeType },
): Promise<{ id: string } | Failure> {
  const codes = await selectVerifyCodes(tx, userId, attempt.code_type);
  if (codes.length === 0) return notFound('Code not found');
  const digest = codeDigest(app, userId, attempt.code);
  const newest = codes.find(({ code_digest }) => sameSecret(code_digest, digest));
  if (!newest) return invalid('Code is not valid');
  if (newest.used || newest.expires_at <= timestamp(app.clock.now())) return invalid('Code has expired');
  return newest;
}

/** The front end has checked the security key and says how that went. */
export async function completeWebauthnSignIn(
  app: Needs,
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

export async function resetFailedLoginCount(app: Needs, userId: string): Promise<UserRecord> {
  await forgetFailures(app.db, userId, timestamp(app.clock.now()));
  return getUserRecord(app.db, userId);
}
