import type { Db, Tx } from '../platform/db/database.ts';
import { invalidField, notFound } from '../platform/failure.ts';
import { lockService, selectService, selectServicesByName } from './services.sql.ts';

export type Service = NonNullable<Awaited<ReturnType<typeof selectService>>>;

export async function getService(db: Db, id: string): Promise<Service> {
  const service = await selectService(db, id);
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
