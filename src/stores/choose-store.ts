import type { FastifyRequest } from 'fastify';
import { isUuid } from '../platform/id.ts';
import type { InStores, Stores } from './stores.ts';

/** The store of the service in the path, or of the caller of the public API. */
export function storeOfService<App extends InStores<App>>(
  stores: Stores<App>,
  { params, apiCaller }: FastifyRequest,
): App | Promise<App> {
  const serviceId = apiCaller?.service_id ?? (params as { service_id?: string }).service_id;
  return isUuid(serviceId) ? stores.of(serviceId.toLowerCase()) : stores.main;
}
