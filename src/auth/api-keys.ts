import { randomUUID } from 'node:crypto';
import { day_ms, earlier, type Timestamp, timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { refuseUnlessExists } from '../platform/db/exists.ts';
import { invalidField, notFound } from '../platform/failure.ts';
import { isNetwork } from '../platform/http/networks.ts';
import { canonicalId, newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { EncryptedValues } from '../platform/secrets/encrypted-values.ts';
import type { KeyType } from '../protocol/key-types.ts';
import {
  apiKeyExists,
  insertApiKey,
  lockKeyImports,
  replaceKeySecrets,
  revokeKeys,
  selectApiKeys,
  selectKeySecrets,
  selectLiveApiKey,
  selectServicesWithKeys,
} from './api-keys.sql.ts';
import { recordImport } from './imported.ts';

const secretPurpose = 'api-key';

export const keySecrets: EncryptedValues = {
  name: 'API keys',
  purpose: secretPurpose,
  select: selectKeySecrets,
  replace: replaceKeySecrets,
};

interface KeyId {
  id: string;
  service_id: string;
}

function encryptKeySecret({ secrets }: Platform, key: KeyId, secret: string): string {
  return secrets.encrypt(secretPurpose, secret, contextOf(key));
}

/** Returns undefined when none of the configured keys can decrypt it. */
export function decryptKeySecret(
  { secrets }: Pick<Platform, 'secrets'>,
  key: KeyId,
  encrypted: string,
): string | undefined {
  return secrets.decrypt(secretPurpose, encrypted, contextOf(key))?.toString();
}

/** Binds the ciphertext to its row, so that a secret copied into another row does not decrypt. */
function contextOf({ id, service_id }: KeyId): string {
  return `${service_id} ${id}`.toLowerCase();
}

/** Returns the secret, which is shown only once and stored encrypted. */
export async function createApiKey(
  app: Platform,
  serviceId: string,
  request: {
    name: string;
    key_type: KeyType;
    created_by: string;
    expires_at?: string | null;
    allowed_networks?: string[] | null;
    manage_templates?: boolean;
    manage_reports?: boolean;
    send_over_smtp?: boolean;
    /** The secret that the key had on another server. */
    secret?: string;
  },
): Promise<string> {
  await refuseUnlessExists(app.db, 'services', serviceId);
  const now = app.clock.now();
  const expires_at = request.expires_at ? timestamp(new Date(request.expires_at)) : null;
  if (expires_at !== null && expires_at <= timestamp(now)) throw invalidField('expires_at', 'Must be in the future.');
  const allowed_networks = request.allowed_networks?.map((network) => network.trim()) ?? null;
  refuseUnlessNetworks(allowed_networks);
  const imported = request.secret !== undefined;
  const secret = request.secret === undefined ? randomUUID() : canonicalId(request.secret);
  const id = newId(now);
  await inTransaction(app.db, async (tx) => {
    if (imported) {
      refuseUnlessRandom(secret);
      await refuseIfSecretIsInUse(app, tx, secret);
    }
    await insertApiKey(tx, {
      id,
      service_id: serviceId,
      name: request.name,
      encrypted_secret: encryptKeySecret(app, { id, service_id: serviceId }, secret),
      key_type: request.key_type,
      created_by_id: request.created_by,
      created_at: timestamp(now),
      expires_at,
      allowed_networks,
      manage_templates: request.manage_templates ?? false,
      manage_reports: request.manage_reports ?? false,
      send_over_smtp: request.send_over_smtp ?? false,
      imported,
    });
    if (imported) await recordImport(tx, { noun: 'api_key', id, service_id: serviceId });
  });
  return secret;
}

/** Servers of Notify create secrets of version 4. The nil UUID and those that contain a time can be guessed. */
function refuseUnlessRandom(secret: string): void {
  if (!/^.{14}4.{4}[89ab]/.test(secret)) throw invalidField('secret', 'Must be a UUID of version 4.');
}

const secretsAtOnce = 1_000;

/**
 * A revoked key counts too: its secret must not become valid again. Equal secrets have different ciphertexts, so this decrypts all of them.
 */
async function refuseIfSecretIsInUse({ secrets }: Platform, tx: Tx, secret: string): Promise<void> {
  await lockKeyImports(tx);
  for (let after: string | undefined; ; ) {
    const { values, last } = await selectKeySecrets(tx, after, secretsAtOnce);
    const isSame = ({ place, text }: (typeof values)[number]) =>
      secrets.decrypt(secretPurpose, text, place)?.toString() === secret;
    if (values.some(isSame)) throw invalidField('secret', 'Already in use.');
    if (last === undefined) return;
    after = last;
  }
}

function refuseUnlessNetworks(networks: string[] | null): void {
  if (networks === null) return;
  if (networks.length === 0) throw invalidField('allowed_networks', 'Must name at least one network, or be null.');
  const wrong = networks.find((network) => !isNetwork(network));
  if (wrong !== undefined) throw invalidField('allowed_networks', `Not a valid network: ${wrong}`);
}

export async function listApiKeys(app: Platform, serviceId: string) {
  await refuseUnlessExists(app.db, 'services', serviceId);
  return selectApiKeys(app.db, serviceId, revokedKeysVisibleSince(app.clock.now()));
}

/** Whether the service has a key with this secret that is not revoked. */
export async function hasLiveSecret(
  { db, secrets }: Pick<Platform, 'db' | 'secrets'>,
  serviceId: string,
  secret: string,
): Promise<boolean> {
  const [service] = await selectServicesWithKeys(db, [serviceId]);
  return (service?.keys ?? []).some(
    ({ id, encrypted_secret, revoked_at }) =>
      revoked_at === null && decryptKeySecret({ secrets }, { id, service_id: serviceId }, encrypted_secret) === secret,
  );
}

/** For seven days a revoked key is listed, and requests with it get "API key revoked" instead of "not found". */
export function revokedKeysVisibleSince(now: Date): Timestamp {
  return timestamp(earlier(now, 7 * day_ms));
}

export async function getApiKey(db: Db, serviceId: string, keyId: string) {
  const key = await selectLiveApiKey(db, serviceId, keyId);
  if (!key) throw notFound(`API key not found for id: ${serviceId}`);
  return key;
}

/** `alsoStore` runs in the same transaction. */
export async function revokeApiKey(
  app: Platform,
  serviceId: string,
  keyId: string,
  revokedById?: string,
  alsoStore?: (tx: Tx) => Promise<void>,
): Promise<void> {
  if (!(await apiKeyExists(app.db, serviceId, keyId))) throw notFound();
  const change = { now: timestamp(app.clock.now()), revoked_by_id: revokedById };
  await inTransaction(app.db, async (tx) => {
    await revokeKeys(tx, { service_id: serviceId, id: keyId }, change);
    await alsoStore?.(tx);
  });
}

/** Used when a service is archived. */
export async function revokeAllApiKeys(tx: Tx, serviceId: string, now: Date): Promise<void> {
  await revokeKeys(tx, { service_id: serviceId }, { now: timestamp(now) });
}
