import { createHash, randomUUID } from 'node:crypto';
import { hour_ms, later, type Timestamp, timestamp } from '../../../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../../../platform/db/database.ts';
import { Failure } from '../../../platform/failure.ts';
import { newId } from '../../../platform/id.ts';
import type { Platform } from '../../../platform/platform.ts';
import { parseEmailAddress } from '../../../recipients/email-address.ts';
import { platformUserId } from '../../platform-user.ts';
import { getUserRecord, type UserRecord } from '../../user-record.ts';
import { insertUser, selectUserByEmail, updateUserRow } from '../../users.sql.ts';
import { lockUser } from '../../users.ts';
import { noPassword } from '../passwords.ts';
import { recordSignIn } from '../sign-in.sql.ts';
import { deleteCredentialsOfUser } from '../webauthn-credentials.sql.ts';
import type { SingleSignOnSettings } from './settings.ts';
import {
  hasIdentity,
  hasIdentityAt,
  insertIdentity,
  insertState,
  selectUserOfIdentity,
  updateIdentityUse,
} from './single-sign-on.sql.ts';

type Deps = Platform & { config: { singleSignOn: SingleSignOnSettings } };

/** Must be longer than the lifetime of the cookie with the state. */
const statesAreKept_ms = hour_ms;

/** Whether this person may sign in to the console with a password, a link or a key. Platform administrators always may. */
export function maySignInLocally(
  { singleSignOn }: { singleSignOn: SingleSignOnSettings },
  user: Pick<UserRecord, 'platform_admin'>,
) {
  return singleSignOn.localSignIn === 'everyone' || user.platform_admin;
}

export function hasSingleSignOn(db: Db, userId: string): Promise<boolean> {
  return hasIdentity(db, userId);
}

/**
 * Finds the user of this identity by issuer and subject, else by email address, else creates one. Throws and stores nothing if the person
 * may not sign in. `state` is the value from the redirect, which works once.
 */
export async function signInWithIdentity(app: Deps, identity: Identity, state: string): Promise<UserRecord> {
  const now = app.clock.now();
  const at = timestamp(now);
  return inTransaction(app.db, async (tx) => {
    if (!(await insertState(tx, hashOf(state), timestamp(later(now, statesAreKept_ms))))) {
      throw new SingleSignOnRefused('used-state', 'This sign-in has been used already. Start again.');
    }
    const userId = (await selectUserOfIdentity(tx, identity)) ?? (await linkUser(tx, identity, now));
    await lockUser(tx, userId);
    const user = await getUserRecord(tx, userId);
    if (user.state === 'inactive') {
      throw new SingleSignOnRefused(
        'archived',
        'Your account is archived. Ask a platform administrator if you need it again.',
      );
    }
    if (user.state === 'pending') await takeOver(tx, userId, at);
    await updateIdentityUse(tx, identity, at);
    await updateUserRow(tx, userId, { ...rolesOf(app.config.singleSignOn, identity), updated_at: at });
    const current_session_id = randomUUID();
    await recordSignIn(tx, userId, { current_session_id, logged_in_at: at, email_access_validated_at: at });
    return getUserRecord(tx, userId);
  });
}

async function linkUser(tx: Tx, identity: Identity, now: Date): Promise<string> {
  // Of two concurrent first sign-ins, the second finds the account that the first created.
  await lockUser(tx, platformUserId);
  const linked = await selectUserOfIdentity(tx, identity);
  if (linked !== undefined) return linked;
  const known = await selectUserByEmail(tx, identity.email_address);
  if (known && (await hasIdentityAt(tx, known.id, identity.issuer))) {
    // The issuer has reassigned the address to another person.
    throw new SingleSignOnRefused(
      'other-subject',
      'The account with your address belongs to another person of the sign-in service. Ask a platform administrator.',
    );
  }
  const user_id = known?.id ?? (await createUser(tx, identity, now));
  await insertIdentity(tx, { ...identity, user_id, now: timestamp(now) });
  return user_id;
}

async function createUser(tx: Tx, { name, email_address }: Identity, now: Date): Promise<string> {
  const id = newId(now);
  const at = timestamp(now);
  await insertUser(tx, {
    ...{ id, name, email_address, password_hash: noPassword, auth_type: 'email_auth', state: 'active' },
    ...{ email_access_validated_at: at, password_changed_at: at, created_at: at },
  });
  return id;
}

/** The person who registered never proved ownership of the address, so their password, number and keys must not open the account. */
async function takeOver(tx: Tx, userId: string, at: Timestamp): Promise<void> {
  await deleteCredentialsOfUser(tx, userId);
  await updateUserRow(tx, userId, {
    ...{ state: 'active', password_hash: noPassword, password_changed_at: at },
    ...{ auth_type: 'email_auth', mobile_number: null },
  });
}

/** A role that no group is mapped to keeps its value. */
function rolesOf({ adminGroups, operatorGroups }: SingleSignOnSettings, { groups }: Identity) {
  const isIn = (wanted: readonly string[]) => wanted.some((group) => groups.includes(group));
  return {
    ...(adminGroups.length > 0 ? { platform_admin: isIn(adminGroups) } : {}),
    ...(operatorGroups.length > 0 ? { read_only_operator: isIn(operatorGroups) } : {}),
  };
}

function hashOf(state: string): string {
  return createHash('sha256').update(state).digest('base64url');
}

type Settings = Pick<SingleSignOnSettings, 'allowedDomains' | 'groupsClaim' | 'emailVerifiedClaim'>;

/** A person as the issuer describes them. */
interface Identity {
  issuer: string;
  subject: string;
  /** An address that the issuer has verified, in an allowed domain. */
  email_address: string;
  name: string;
  groups: string[];
}

const maxLength = 255;

export function neededClaims(settings: Settings & Pick<SingleSignOnSettings, 'adminGroups' | 'operatorGroups'>) {
  const { groupsClaim, emailVerifiedClaim, adminGroups, operatorGroups } = settings;
  const needsGroups = adminGroups.length > 0 || operatorGroups.length > 0;
  return ['email', emailVerifiedClaim, ...(needsGroups ? [groupsClaim] : [])];
}

/** Throws with a message for the person. */
export function readIdentity(settings: Settings, claims: ReadonlyMap<string, unknown>): Identity {
  const text = (name: string) => {
    const value = claims.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const email_address = text('email');
  if (!parseEmailAddress(email_address).ok || email_address.length > maxLength) {
    throw new SingleSignOnRefused(
      'no-address',
      'The sign-in service did not send your email address. Ask the people who run it to send the claim “email”.',
    );
  }
  if (!isTrue(claims.get(settings.emailVerifiedClaim))) {
    throw new SingleSignOnRefused(
      'unverified-address',
      'The sign-in service has not verified your email address. Verify it there, then sign in again.',
    );
  }
  const domain = email_address.slice(email_address.lastIndexOf('@') + 1).toLowerCase();
  if (!settings.allowedDomains.some((allowed) => allowed.toLowerCase() === domain)) {
    throw new SingleSignOnRefused('foreign-domain', `People with an address at ${domain} cannot sign in this way.`);
  }
  const [issuer, subject] = [text('iss'), text('sub')];
  if (subject === '' || subject.length > maxLength)
    throw new SingleSignOnRefused('no-subject', 'The sign-in service did not say who you are.');
  const name = (text('name') || `${text('given_name')} ${text('family_name')}`.trim() || email_address).slice(
    0,
    maxLength,
  );
  return { issuer, subject, email_address, name, groups: groupsIn(claims.get(settings.groupsClaim)) };
}

/** Some issuers send `email_verified` as a string or a number. */
function isTrue(value: unknown): boolean {
  return value === true || value === 'true' || value === 1 || value === '1';
}

function groupsIn(value: unknown): string[] {
  return [value].flat().filter((group): group is string => typeof group === 'string');
}

/** Why a person may not sign in, as logged. */
type Reason =
  | 'no-address'
  | 'unverified-address'
  | 'foreign-domain'
  | 'no-subject'
  | 'used-state'
  | 'archived'
  | 'other-subject';

export class SingleSignOnRefused extends Failure {
  override readonly reason: Reason;

  /** The person sees `sentence`. */
  constructor(reason: Reason, sentence: string) {
    super('forbidden', 'SingleSignOnRefused', sentence);
    this.reason = reason;
  }
}
