import { createSession } from '../../../src/console/sessions/sessions.ts';
import { timestamp } from '../../../src/platform/clock.ts';
import { newId } from '../../../src/platform/id.ts';
import { creatorPermissions } from '../../../src/users/members/permissions.ts';
import { getUserRecord } from '../../../src/users/user-record.ts';
import { quickHash } from '../fakes/quick-hash.ts';
import type { Harness } from '../harness.ts';
import { ConsoleVisitor } from './console-visitor.ts';

export const password = 'correct horse battery';
let hash: Promise<string> | undefined;

interface Fields {
  name?: string;
  email_address?: string;
  mobile_number?: string | null;
  auth_type?: 'sms_auth' | 'email_auth' | 'webauthn_auth';
  state?: 'pending' | 'active' | 'inactive';
  platform_admin?: boolean;
  read_only_operator?: boolean;
  email_access_validated_at?: string;
}

/** Creates a user whose password is `password`. */
export async function aPerson({ app, clock }: Harness, fields: Fields = {}) {
  hash ??= quickHash(password);
  const id = newId(clock.now());
  const now = timestamp(clock.now());
  await app.db
    .insertInto('users')
    .values({
      id,
      name: 'Ada Lovelace',
      email_address: `person-${id.slice(-12)}@example.org`,
      mobile_number: '07700900460',
      auth_type: 'sms_auth',
      password_hash: await hash,
      state: 'active',
      email_access_validated_at: now,
      password_changed_at: now,
      created_at: now,
      ...fields,
    })
    .execute();
  return getUserRecord(app.db, id);
}

/** Adds a person to a service. The default rights are those of the person who creates a service. */
export async function joinService(
  harness: Harness,
  serviceId: string,
  userId: string,
  permissions: readonly string[] = creatorPermissions,
): Promise<void> {
  await harness.admin('POST', `/service/${serviceId}/users/${userId}`, {
    permissions: permissions.map((permission) => ({ permission })),
  });
}

/** Returns a browser that is signed in, without going through the sign-in pages. */
export async function signedIn(
  harness: Harness,
  userId: string,
  process: Pick<Harness, 'request'> = harness,
): Promise<ConsoleVisitor> {
  const visitor = new ConsoleVisitor(process);
  const user = await getUserRecord(harness.app.db, userId);
  visitor.cookies.set('pennypost_session', await createSession(harness.app, user, 'Test browser'));
  return visitor;
}
