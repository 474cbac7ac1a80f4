import { timestamp } from '../platform/clock.ts';
import { inTransaction, type Tx } from '../platform/db/database.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { hashPassword } from './passwords.ts';
import { addOrganisationMember, addServiceMember, removeServiceMember, type ServicePermission } from './permissions.ts';
import type { UserRecord } from './user-record.ts';
import { insertUser, selectUserByEmail, updateUserRow } from './users.sql.ts';

interface FunctionalTestUser extends Pick<UserRecord, 'name' | 'email_address' | 'auth_type' | 'state'> {
  mobile_number: string | null;
  password: string;
  permissions: ServicePermission[];
  service_id: string;
  organisation_id?: string | null;
}

/** Creates these users, or brings them back to this state: a test that failed half-way leaves them in any other. */
export async function putFunctionalTestUsers(
  { db, clock }: Pick<Platform, 'db' | 'clock'>,
  users: FunctionalTestUser[],
): Promise<void> {
  const now = clock.now();
  const hashed = await Promise.all(
    users.map(async (user) => ({ ...user, password_hash: await hashPassword(user.password) })),
  );
  await inTransaction(db, async (tx) => {
    for (const { service_id, organisation_id, permissions, password: _, ...account } of hashed) {
      const user_id = await putAccount(tx, account, now);
      await removeServiceMember(tx, { service_id, user_id });
      await addServiceMember(tx, { service_id, user_id, permissions }, now);
      if (organisation_id) await addOrganisationMember(tx, { organisation_id, user_id, permissions: [] }, now);
    }
  });
}

async function putAccount(
  tx: Tx,
  account: Pick<UserRecord, 'name' | 'email_address' | 'mobile_number' | 'auth_type' | 'state'> & {
    password_hash: string;
  },
  now: Date,
): Promise<string> {
  const at = timestamp(now);
  const known = await selectUserByEmail(tx, account.email_address);
  const id = known?.id ?? newId(now);
  const row = { ...account, password_changed_at: at, email_access_validated_at: at, failed_login_count: 0 };
  if (known) await updateUserRow(tx, id, { ...row, updated_at: at });
  else await insertUser(tx, { ...row, id, created_at: at });
  return id;
}
