import { randomUUID } from 'node:crypto';
import { type Timestamp, timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { OperatorError } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { getUserRecord, type UserRecord } from '../user-record.ts';
import { selectUserByEmail } from '../users.sql.ts';
import { lockUser } from '../users.ts';
import { createLinkToken, readLinkToken } from './link-tokens.ts';
import { recordSignIn } from './sign-in.sql.ts';
import { resetFailedLoginCount } from './sign-in.ts';

/** Creates a link that an operator gives to a person who is locked out. It works once, without a password or code. */
export async function createOperatorLink(app: Platform, email: string): Promise<string> {
  const found = await selectUserByEmail(app.db, email);
  const user = found && (await getUserRecord(app.db, found.id));
  if (user?.state !== 'active') throw new OperatorError(`There is no active account with the address ${email}.`);
  return createLinkToken(app, 'operator', { user_id: user.id, logged_in_at: user.logged_in_at });
}

/** Returns undefined if the link has expired or was altered, or the person has signed in since. */
export async function findOperatorLink(app: Platform, token: string): Promise<UserRecord | undefined> {
  const link = readLinkToken(app, 'operator', token);
  if (link.state !== 'valid') return undefined;
  const user = await getUserRecord(app.db, link.payload.user_id);
  return user.state === 'active' && user.logged_in_at === link.payload.logged_in_at ? user : undefined;
}

export async function signInWithOperatorLink(app: Platform, token: string): Promise<UserRecord | undefined> {
  const link = readLinkToken(app, 'operator', token);
  if (link.state !== 'valid') return undefined;
  const { user_id } = link.payload;
  const logged_in_at: Timestamp = timestamp(app.clock.now());
  const isSignedIn = await inTransaction(app.db, async (tx) => {
    // Of two concurrent requests, the second sees the sign-in of the first.
    await lockUser(tx, user_id);
    if (!(await findOperatorLink({ ...app, db: tx }, token))) return false;
    await recordSignIn(tx, user_id, { current_session_id: randomUUID(), logged_in_at });
    return true;
  });
  return isSignedIn ? resetFailedLoginCount(app, user_id) : undefined;
}
