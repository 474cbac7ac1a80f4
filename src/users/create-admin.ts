import type { Insertable } from 'kysely';
import { inEnglish } from '../language/text.ts';
import { timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import type { DB } from '../platform/db/schema.ts';
import { notFound, OperatorError } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { Urls } from '../platform/settings.ts';
import type { FrontEndSettings } from '../protocol/settings.ts';
import { parseEmailAddress } from '../recipients/email-address.ts';
import { platformUserId } from './platform-user.ts';
import { createAccountToken, pageUrl } from './sign-in/link-tokens.ts';
import { hashPassword, noPassword } from './sign-in/passwords.ts';
import { refusalOfMobileNumber } from './user-formats.ts';
import { getUserRecord, type UserRecord } from './user-record.ts';
import { insertUser, selectPlatformAdmins, selectUserByEmail } from './users.sql.ts';
import { lockUser } from './users.ts';

type Deps = Platform & { config: { urls: Urls; frontEnd: FrontEndSettings } };

interface NewAdmin {
  name: string;
  email_address: string;
  mobile_number: string;
}

/** Whether a platform administrator exists who is not archived, with or without a password. */
export async function hasPlatformAdmin(db: Db): Promise<boolean> {
  return (await selectPlatformAdmins(db)).length > 0;
}

/**
 * Creates the first platform administrator, who signs in with email links. Throws not-found once there is one; of two concurrent calls, one
 * succeeds.
 */
export async function createAdminWithPassword(
  app: Platform,
  { name, email_address, password }: { name: string; email_address: string; password: string },
): Promise<UserRecord> {
  const password_hash = await hashPassword(password);
  const now = app.clock.now();
  return inTransaction(app.db, async (tx) => {
    await lockUser(tx, platformUserId);
    if ((await selectPlatformAdmins(tx)).length > 0) throw notFound();
    const account = { name, email_address, password_hash, auth_type: 'email_auth' as const };
    return getUserRecord(tx, await insertAdmin(tx, account, now));
  });
}

/**
 * Returns a link to choose the password, so that no password appears in arguments or the environment. Run again before a password is
 * chosen, it returns a new link for the same address.
 */
export async function createFirstAdmin(app: Deps, admin: NewAdmin): Promise<string> {
  refuseUnlessValid(app, admin);
  const now = app.clock.now();
  await inTransaction(app.db, async (tx) => {
    // Prevents two concurrent commands from both creating the first administrator.
    await lockUser(tx, platformUserId);
    const admins = await selectPlatformAdmins(tx);
    if (admins.length === 0) return void (await insertNewAdmin(tx, admin, now));
    const waiting = admins.find(({ password_hash }) => password_hash === noPassword);
    if (waiting?.email_address.toLowerCase() !== admin.email_address.toLowerCase()) {
      throw new OperatorError(
        `There is a platform administrator already: ${admins[0]?.email_address}. They can create others in the administrative front end.`,
      );
    }
  });
  const created_at = timestamp(now);
  const token = createAccountToken(app, 'reset-password', { email: admin.email_address, created_at });
  return pageUrl(app.config.urls.admin, `/new-password/${token}`);
}

async function insertNewAdmin(tx: Tx, admin: NewAdmin, now: Date): Promise<void> {
  if (await selectUserByEmail(tx, admin.email_address)) {
    throw new OperatorError(`${admin.email_address} has an account already. Name another address.`);
  }
  await insertAdmin(tx, { ...admin, password_hash: noPassword }, now);
}

async function insertAdmin(
  tx: Tx,
  account: Pick<Insertable<DB['users']>, 'name' | 'email_address' | 'mobile_number' | 'password_hash' | 'auth_type'>,
  now: Date,
): Promise<string> {
  const at = timestamp(now);
  const id = newId(now);
  await insertUser(tx, {
    ...account,
    id,
    state: 'active',
    platform_admin: true,
    email_access_validated_at: at,
    password_changed_at: at,
    created_at: at,
  });
  return id;
}

function refuseUnlessValid({ country }: Platform, { name, email_address, mobile_number }: NewAdmin): void {
  const refusal = refusalOfMobileNumber(country, mobile_number);
  const problems = [
    name.trim() === '' && 'The name is empty.',
    !(parseEmailAddress(email_address).ok && email_address.length <= 255) && 'The email address is not valid.',
    refusal && `The mobile number is not valid. ${inEnglish(refusal)}.`,
  ].filter((problem) => typeof problem === 'string');
  if (problems.length > 0) throw new OperatorError(problems.join('\n'));
}
