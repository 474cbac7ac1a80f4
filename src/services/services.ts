import type { Country } from '../countries/country.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { invalidField, notFound } from '../platform/failure.ts';
import {
  lockService,
  type ServiceQuery,
  selectGoLiveRequests,
  selectService,
  selectServicesByName,
  selectServicesBySearch,
} from './services.sql.ts';

export type { ServiceState } from './services.sql.ts';

export type Service = NonNullable<Awaited<ReturnType<typeof selectService>>>;

export async function findService(db: Db, id: string): Promise<Service | undefined> {
  return selectService(db, id);
}

export async function getService(db: Db, id: string): Promise<Service> {
  const service = await findService(db, id);
  if (!service) throw notFound();
  return service;
}

/** Returns the whole row and locks it until the transaction ends. */
export async function getServiceForUpdate(tx: Tx, id: string) {
  const service = await lockService(tx, id);
  if (!service) throw notFound();
  return service;
}

export async function findServicesByName(db: Db, name: string | undefined) {
  if (!name) throw invalidField('service_name', 'Missing data for required field.');
  return selectServicesByName(db, name);
}

/** Sorted by name, those that are not archived first. */
export function searchServices(db: Db, query: ServiceQuery) {
  return selectServicesBySearch(db, query);
}

/** The one that has waited longest first. */
export function listGoLiveRequests(db: Db, limit: number) {
  return selectGoLiveRequests(db, limit);
}

/** What a service needs of billing, which is above it. */
export interface Allowances {
  /**
   * Recomputes and overwrites the allowance of the current year: for a new service, a service that joins an organisation,
   * and the services of an organisation whose type changes.
   */
  reset(country: Country, tx: Tx, serviceId: string, now: Date): Promise<void>;
}
