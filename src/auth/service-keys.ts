import { InvalidatedCache } from '../platform/cache.ts';
import type { Clock, Timestamp } from '../platform/clock.ts';
import { BatchReader } from '../platform/db/batch-reader.ts';
import { Networks } from '../platform/http/networks.ts';
import type { Platform } from '../platform/platform.ts';
import type { ApiDialect } from '../protocol/dialect.ts';
import type { KeyType } from '../protocol/key-types.ts';
import { selectServicesWithKeys } from './api-keys.sql.ts';
import { decryptKeySecret, revokedKeysVisibleSince } from './api-keys.ts';

export interface ServiceKey {
  id: string;
  key_type: KeyType;
  secret: string;
  revoked_at: Timestamp | null;
  expires_at: Timestamp | null;
  /** Null if the key works from any address. */
  networks: Networks | null;
  manage_templates: boolean;
  manage_reports: boolean;
  /** Whether software may use the key as its SMTP password. */
  send_over_smtp: boolean;
  /** The time at which its last use was recorded, from `performance.now()`. */
  recorded_at: number;
}

export const neverRecorded = Number.NEGATIVE_INFINITY;

/** The fields of a service that authentication of the public API needs. */
export interface ServiceWithKeys {
  id: string;
  active: boolean;
  api_dialect: ApiDialect;
  /** All keys ever created; `reportableKeys` filters out those revoked more than seven days ago. */
  keys: ServiceKey[];
}

/** Keyed by service id. */
export type ServiceKeys = InvalidatedCache<ServiceWithKeys>;

/**
 * Caches keys by service until the service changes. Reading and decrypting them on every request would double its cost.
 * A database notification makes a revocation effective in every process immediately.
 */
export function serviceKeys(app: Platform): ServiceKeys {
  const rows = new BatchReader(
    (ids) => selectServicesWithKeys(app.db, ids),
    ({ id }) => id,
  );
  return new InvalidatedCache(app.changeListener, {
    channel: 'service_changed',
    max_bytes: app.cacheMemory_bytes / 8,
    bytesOf: ({ keys }) => 400 + 400 * keys.length,
    load: async (serviceId) => {
      const service = await rows.find(serviceId);
      if (!service) return undefined;
      const keys = service.keys.map(({ encrypted_secret, allowed_networks, ...key }) => {
        const secret = decryptKeySecret(app, { id: key.id, service_id: service.id }, encrypted_secret);
        if (secret === undefined) throw new Error('Cannot decrypt an API key: is a key missing from SECRET_KEYS?');
        return {
          ...key,
          secret,
          networks: allowed_networks && new Networks(allowed_networks),
          recorded_at: neverRecorded,
        };
      });
      return { ...service, keys };
    },
  });
}

/** Keys that error messages may still refer to; keys revoked long ago count as not found. */
export function reportableKeys(service: ServiceWithKeys, clock: Clock): ServiceKey[] {
  const since = revokedKeysVisibleSince(clock.now());
  return service.keys.filter((key) => key.revoked_at === null || key.revoked_at > since);
}
