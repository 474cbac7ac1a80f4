import { randomUUID } from 'node:crypto';
import { day_ms, earlier, type Timestamp, timestamp } from '../platform/clock.ts';
import { inTransaction, type Tx } from '../platform/db/database.ts';
import { notFound } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import {
  apiKeyExists,
  insertApiKey,
  type KeyType,
  revokeKeys,
  selectApiKeys,
  selectLiveApiKey,
  serviceExists,
} from './api-keys.sql.ts';

export type { KeyType } from './api-keys.sql.ts';

type Needs = Pick<Platform, 'db' | 'secrets' | 'clock'>;

/** Returns the secret: it is shown this once and kept only encrypted. */
export async function createApiKey(
  app: Needs,
  serviceId: string,
  request: { name: string; key_type: KeyType; created_by: string },
): Promise<string> {
  await refuseUnlessServiceExists(app, serviceId);
  const now = app.clock.now();
  const secret = randomUUID();
  await inTransaction(app.db, (tx) =>
    insertApiKey(tx, {
      id: newId(now),
      service_id: serviceId,
      name: request.name,
      encrypted_secret: app.secrets.encrypt('api-key', secret),
      key_type: request.key_type,
      created_by_id: request.created_by,
      created_at: timestamp(now),
    }),
  );
  return secret;
}

export async function listApiKeys(app: Needs, serviceId: string) {
  await refuseUnlessServiceExists(app, serviceId);
  return selectApiKeys(app.db, serviceId, revokedKeysAreKnownSince(app.clock.now()));
}

/** For seven days a revoked key is listed, and whoever uses it is told what it is. */
export function revokedKeysAreKnownSince(now: Date): Timestamp {
  return timestamp(earlier(now, 7 * day_ms));
}

export async function getApiKey(app: Needs, serviceId: string, keyId: string) {
  const key = await selectLiveApiKey(app.db, serviceId, keyId);
  if (!key) throw notFound(`API key not found for id: ${serviceId}`);
  return key;
}

export async function revokeApiKey(app: Needs, serviceId: string, keyId: string, revokedById?: string): Promise<void> {
  if (!(await apiKeyExists(app.db, serviceId, keyId))) throw notFound();
  await inTransaction(app.db, (tx) =>
    revokeKeys(
      tx,
      { service_id: serviceId, id: keyId },
      { now: timestamp(app.clock.now()), revoked_by_id: revokedById },
    ),
  );
}

/** For a service that is archived. */
export async function revokeAllApiKeys(tx: Tx, serviceId: string, now: Date): Promise<void> {
  await revokeKeys(tx, { service_id: serviceId }, { now: timestamp(now) });
}

async function refuseUnlessServiceExists(app: Needs, serviceId: string): Promise<void> {
  if (!(await serviceExists(app.db, serviceId))) throw notFound();
}
