import { InvalidatedCache } from '../platform/cache.ts';
import { minute_ms } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import { findStoreNumber, insertServiceStore } from './service-stores.sql.ts';

export { findEmptiestStore, isHere, updateServiceStore } from './service-stores.sql.ts';

/** The number of a service's store, by id of the service. */
export type ServiceStores = InvalidatedCache<number>;

export const mainStore = 0;

/** A new service gets the open store with the fewest services, if there is more than the main one. */
export function placeService(tx: Tx, serviceId: string): Promise<void> {
  return insertServiceStore(tx, serviceId);
}

/** Cached until the service changes: with several stores, every request asks. */
export function serviceStores(main: Pick<Platform, 'db' | 'changeListener'>): ServiceStores {
  return new InvalidatedCache(main.changeListener, {
    channel: 'service_changed',
    max: 100_000,
    // A safety net if a change notification is lost.
    ttl_ms: minute_ms,
    load: (serviceId) => findHome(main.db, serviceId),
  });
}

/** The store that a service is at home in. */
export async function findHome(main: Db, serviceId: string): Promise<number> {
  return (await findStoreNumber(main, serviceId)) ?? mainStore;
}
