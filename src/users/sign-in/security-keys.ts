import { randomUUID } from 'node:crypto';
import { t } from '../../language/text.ts';
import { later, minute_ms, type Timestamp, timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { type Failure, invalid, invalidField, notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import { type AccountMessageSender, accountTemplates } from '../account-messages/account-messages.ts';
import { getUserRecord, type UserRecord } from '../user-record.ts';
import { updateUserRow } from '../users.sql.ts';
import { lockUser } from '../users.ts';
import { pageUrl } from './link-tokens.ts';
import { countFailure, recordSignIn } from './sign-in.sql.ts';
import {
  checkRegistration,
  checkSignIn,
  credentialIdIn,
  type KeySite,
  keySiteOf,
  registrationOptions,
  signInOptions,
} from './webauthn.ts';
import {
  type ChallengePurpose,
  deleteCredentialRow,
  insertCredential,
  keepChallenge,
  selectCredentials,
  selectKeysOfSite,
  takeChallenge,
  updateCredential,
} from './webauthn-credentials.sql.ts';

type Deps = Platform & { config: { urls: Urls } };

const challengeLifetime_ms = 5 * minute_ms;
const maxKeys = 20;

/** Lists a person's keys. `worksHere` is false for keys that were registered with another front end or host name. */
export async function listSecurityKeys(app: Deps, userId: string) {
  const rpId = keySiteOf(app.config)?.rp_id;
  const keys = await selectCredentials(app.db, userId);
  return keys.map(({ id, name, created_at, logged_in_at, rp_id }) => ({
    ...{ id, name, created_at, logged_in_at },
    worksHere: rp_id !== null && rp_id === rpId,
  }));
}

export async function hasKeysHere(app: Deps, userId: string): Promise<boolean> {
  return (await listSecurityKeys(app, userId)).some(({ worksHere }) => worksHere);
}

/** Returns the options that the browser needs to register a key. */
export async function beginRegistration(app: Deps, user: Pick<UserRecord, 'id' | 'name' | 'email_address'>) {
  const site = siteOrRefuse(app);
  const options = await registrationOptions(site, user, await selectKeysOfSite(app.db, user.id, site.rp_id));
  await keep(app, user.id, 'registration', options.challenge);
  return options;
}

export async function registerKey(
  app: Deps,
  userId: string,
  { name, response }: { name: string; response: string },
): Promise<void> {
  const site = siteOrRefuse(app);
  const now = app.clock.now();
  const refusal = await inTransaction(app.db, async (tx) => {
    await lockUser(tx, userId);
    const challenge = await takeChallenge(tx, userId, 'registration', timestamp(now));
    if (challenge === undefined) return tooLate();
    if ((await selectCredentials(tx, userId)).length >= maxKeys) {
      return invalid(`You have ${maxKeys} security keys. Delete one before you add another.`);
    }
    const { value, refused } = await checkRegistration(site, challenge, response);
    if (refused !== undefined) return refuse(app, 'registration', refused);
    await insertCredential(tx, {
      ...value,
      id: newId(now),
      user_id: userId,
      name,
      rp_id: site.rp_id,
      registration_response: Buffer.from(response).toString('base64'),
      created_at: timestamp(now),
    });
    return undefined;
  });
  if (refusal) throw refusal;
}

/** Returns the options that the browser needs to sign in with one of the user's keys. */
export async function beginKeySignIn(app: Deps, userId: string) {
  const site = siteOrRefuse(app);
  const keys = await selectKeysOfSite(app.db, userId, site.rp_id);
  if (keys.length === 0) throw notFound();
  const options = await signInOptions(site, keys);
  await keep(app, userId, 'sign-in', options.challenge);
  return options;
}

/** Performs the second step of a sign-in. A rejected response counts as a failed sign-in of the user. */
export async function signInWithKey(app: Deps, userId: string, response: string): Promise<void> {
  const site = siteOrRefuse(app);
  const now = timestamp(app.clock.now());
  // Throw after the commit, so that the challenge stays used and the failure is counted.
  const refusal = await inTransaction(app.db, async (tx) => {
    // The lock serialises responses: of two with the same signature counter, one is rejected.
    const user = await lockUser(tx, userId);
    const challenge = await takeChallenge(tx, userId, 'sign-in', now);
    if (challenge === undefined) return tooLate();
    const key = await findAnsweringKey(tx, site, userId, response);
    const { value, refused } = key
      ? await checkSignIn(site, challenge, response, key)
      : { value: undefined, refused: 'Not a key of the user' };
    if (!key || refused !== undefined) {
      await countFailure(tx, user, now);
      return refuse(app, 'sign-in', refused ?? '');
    }
    await updateCredential(tx, userId, key.id, { sign_count: value.sign_count, logged_in_at: now });
    await recordSignIn(tx, userId, { current_session_id: randomUUID(), logged_in_at: now });
    return undefined;
  });
  if (refusal) throw refusal;
}

async function findAnsweringKey(tx: Tx, site: KeySite, userId: string, response: string) {
  const credentialId = credentialIdIn(response);
  const keys = await selectKeysOfSite(tx, userId, site.rp_id);
  return keys.find(({ credential_id }) => credential_id === credentialId);
}

/** Notifies the person. Refuses to delete the last key that works here if the person signs in with keys only. */
export async function deleteSecurityKey(
  app: Deps & { accountMessages: AccountMessageSender },
  userId: string,
  keyId: string,
): Promise<void> {
  const rpId = keySiteOf(app.config)?.rp_id;
  await inTransaction(app.db, async (tx) => {
    // Prevents two concurrent requests from deleting the last two keys.
    await lockUser(tx, userId);
    const { auth_type, name, email_address } = await getUserRecord(tx, userId);
    const keys = await selectCredentials(tx, userId);
    const key = keys.find(({ id }) => id === keyId.toLowerCase());
    if (!key) throw notFound();
    const kept = keys.filter((other) => other !== key);
    const isLast = kept.length === 0 || (key.rp_id === rpId && !kept.some(({ rp_id }) => rp_id === rpId));
    if (auth_type === 'webauthn_auth' && isLast) {
      throw invalid('You sign in with security keys only, and this is the last one. Add another before you delete it.');
    }
    await deleteCredentialRow(tx, key.id);
    await app.accountMessages.send(tx, {
      template_id: accountTemplates.securityKeyDeleted,
      to: email_address,
      personalisation: { name, key_name: key.name, support_url: pageUrl(app.config.urls.admin, '/support') },
    });
  });
}

/** Sets whether a person signs in with keys only, or also with a text code or an email link. */
export async function setKeysOnly(app: Deps, userId: string, keysOnly: boolean): Promise<void> {
  const updated_at = timestamp(app.clock.now());
  await inTransaction(app.db, async (tx) => {
    const { mobile_number } = await lockUser(tx, userId);
    const other = mobile_number === null ? 'email_auth' : 'sms_auth';
    if (keysOnly && !(await hasKeysHere({ ...app, db: tx }, userId))) throw invalid('Add a security key first.');
    await updateUserRow(tx, userId, { auth_type: keysOnly ? 'webauthn_auth' : other, updated_at });
  });
}

function keep(app: Deps, user_id: string, purpose: ChallengePurpose, challenge: string): Promise<void> {
  const expires_at = timestamp(later(app.clock.now(), challengeLifetime_ms));
  return keepChallenge(app.db, { user_id, purpose, challenge, expires_at });
}

function siteOrRefuse({ config }: Deps): KeySite {
  const site = keySiteOf(config);
  if (!site)
    throw invalid(t('Security keys need an address with https and a name. Ask the people who run this Pennypost.'));
  return site;
}

function tooLate(): Failure {
  return invalidField(
    'response',
    t('That took longer than five minutes, or another page asked for the key. Try again.'),
  );
}

function refuse({ log }: Deps, purpose: ChallengePurpose, reason: string): Failure {
  log.warn({ event: 'security_key.refused', purpose, reason: reason.slice(0, 200) }, 'A security key was refused');
  return invalidField('response', t('The security key was not accepted. Try again, or use another key.'));
}

export function listCredentials(app: Platform, userId: string) {
  return selectCredentials(app.db, userId);
}

export function createCredential(
  app: Platform,
  userId: string,
  request: { name: string; credential_data: string; registration_response: string },
) {
  const { name, credential_data, registration_response } = request;
  const now = app.clock.now();
  return insertCredential(app.db, {
    id: newId(now),
    user_id: userId,
    name,
    credential_data,
    registration_response,
    created_at: timestamp(now),
  });
}

export async function renameCredential(app: Platform, userId: string, credentialId: string, name: string) {
  const updated_at = timestamp(app.clock.now());
  const credential = await updateCredential(app.db, userId, credentialId, { name, updated_at });
  if (!credential) throw notFound();
  return credential;
}

export async function recordCredentialUse(tx: Tx, userId: string, credentialId: string, now: Timestamp): Promise<void> {
  if (!(await updateCredential(tx, userId, credentialId, { logged_in_at: now }))) throw notFound();
}

export async function deleteCredential(app: Platform, userId: string, credentialId: string): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    // Prevents two concurrent requests from deleting the last two keys.
    await lockUser(tx, userId);
    const credentials = await selectCredentials(tx, userId);
    const credential = credentials.find(({ id }) => id === credentialId.toLowerCase());
    if (!credential) throw notFound();
    if (credentials.length === 1) throw invalid('Cannot delete last remaining webauthn credential for user');
    await deleteCredentialRow(tx, credential.id);
  });
}
