import type { FastifyRequest } from 'fastify';
import { idInPath } from '../platform/id.ts';
import type { InStores, Stores } from './stores.ts';

/** The store of the service in the path, or of the caller of the public API. */
export function storeOfService<App extends InStores<App>>(
  stores: Stores<App>,
  { params, apiCaller }: FastifyRequest,
): App | Promise<App> {
  if (apiCaller) return stores.of(apiCaller.service_id);
  const serviceId = idInPath((params as { service_id?: string }).service_id ?? '');
  return serviceId === undefined ? stores.main : stores.of(serviceId);
}
