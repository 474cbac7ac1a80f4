import { timestamp } from '../platform/clock.ts';
import { inTransaction, type Tx } from '../platform/db/database.ts';
import { invalidField } from '../platform/failure.ts';
import { canonicalId, newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { deleteOrganisationMemberships } from './members/permissions.sql.ts';
import {
  addOrganisationMember,
  addServiceMember,
  removeServiceMember,
  type ServicePermission,
} from './members/permissions.ts';
import { platformServiceId } from './platform-user.ts';
import { hashPassword } from './sign-in/passwords.ts';
import { markCodesUsed, noFailures } from './sign-in/sign-in.sql.ts';
import type { UserRecord } from './user-record.ts';
import { insertUser, selectUserByEmail, updateUserRow } from './users.sql.ts';

interface FunctionalTestUser extends Pick<UserRecord, 'name' | 'email_address' | 'auth_type' | 'state'> {
  mobile_number: string | null;
  password: string;
  permissions: ServicePermission[];
  service_id: string;
  organisation_id?: string | null;
}

/**
 * Creates these users, or resets them to this state after an earlier test. It resets only users that it created: the client of the browser
 * tests must not be able to take over other accounts.
 */
export async function putFunctionalTestUsers({ db, clock }: Platform, users: FunctionalTestUser[]): Promise<void> {
  // Members of the platform service can read all users' sign-in messages.
  if (users.some(({ service_id }) => canonicalId(service_id) === platformServiceId)) {
    throw invalidField('service_id', 'Must not be the service of the platform.');
  }
  const hashed = await Promise.all(
    users.map(async (user) => ({ ...user, password_hash: await hashPassword(user.password) })),
  );
  const now = clock.now();
  await inTransaction(db, async (tx) => {
    for (const { service_id, organisation_id, permissions, password: _, ...account } of hashed) {
      const user_id = await createOrResetUser(tx, account, now);
      await removeServiceMember(tx, { service_id, user_id });
      await addServiceMember(tx, { service_id, user_id, permissions }, now);
      if (organisation_id) await addOrganisationMember(tx, { organisation_id, user_id, permissions: [] }, now);
    }
  });
}

async function createOrResetUser(
  tx: Tx,
  account: Pick<UserRecord, 'name' | 'email_address' | 'mobile_number' | 'auth_type' | 'state'> & {
    password_hash: string;
  },
  now: Date,
): Promise<string> {
  const at = timestamp(now);
  const { name, email_address, mobile_number, auth_type, state, password_hash } = account;
  const row = {
    ...{ name, email_address, mobile_number, auth_type, state, password_hash },
    ...noFailures,
    platform_admin: false,
    read_only_operator: false,
    current_session_id: null,
    password_changed_at: at,
    email_access_validated_at: at,
  };
  const existing = await selectUserByEmail(tx, email_address);
  if (!existing) {
    const id = newId(now);
    await insertUser(tx, { ...row, id, created_for_tests: true, created_at: at });
    return id;
  }
  if (!existing.created_for_tests) throw invalidField('email_address', 'User was not created by functional tests');
  await updateUserRow(tx, existing.id, { ...row, updated_at: at });
  await markCodesUsed(tx, existing.id);
  await deleteOrganisationMemberships(tx, existing.id);
  return existing.id;
}
