import { InvalidatedCache } from '../platform/cache.ts';
import { type Clock, minute_ms, type Timestamp } from '../platform/clock.ts';
import { Networks } from '../platform/http/networks.ts';
import type { Platform } from '../platform/platform.ts';
import { type KeyType, selectServiceWithKeys } from './api-keys.sql.ts';
import { decryptKeySecret, revokedKeysAreKnownSince } from './api-keys.ts';

export interface ServiceKey {
  id: string;
  key_type: KeyType;
  secret: string;
  /** When it was revoked. */
  expiry_date: Timestamp | null;
  /** When it stops working by itself. */
  expires_at: Timestamp | null;
  /** Null: it may be used from anywhere. */
  networks: Networks | null;
}

/** A service as the public API's authentication sees it. */
export interface ServiceWithKeys {
  id: string;
  active: boolean;
  /** Every one there ever was: `knownKeys` leaves out those that were revoked long ago. */
  keys: ServiceKey[];
}

/** By id of the service. */
export type ServiceKeys = InvalidatedCache<ServiceWithKeys>;

/**
 * Keys by service, remembered until the service changes. Decrypting and reading on every request would double its cost;
 * a notice from the database makes a revocation count everywhere at once.
 */
export function serviceKeys(app: Pick<Platform, 'db' | 'changeListener' | 'secrets'>): ServiceKeys {
  return new InvalidatedCache(app.changeListener, {
    channel: 'service_changed',
    most: 10_000,
    // A floor, should a change ever go unannounced.
    forgetAfter_ms: minute_ms,
    load: async (serviceId) => {
      const service = await selectServiceWithKeys(app.db, serviceId);
      if (!service) return undefined;
      const keys = service.keys.map(({ encrypted_secret, allowed_networks, ...key }) => {
        const secret = decryptKeySecret(app, { id: key.id, service_id: service.id }, encrypted_secret);
        if (secret === undefined) throw new Error('An API key cannot be decrypted: does SECRET_KEYS lack a key?');
        return { ...key, secret, networks: allowed_networks && new Networks(allowed_networks) };
      });
      return { ...service, keys };
    },
  });
}

/** Keys that may still be named in an answer: long revoked ones are as if they had never been. */
export function knownKeys(service: ServiceWithKeys, clock: Clock): ServiceKey[] {
  const since = revokedKeysAreKnownSince(clock.now());
  return service.keys.filter((key) => key.expiry_date === null || key.expiry_date > since);
}
