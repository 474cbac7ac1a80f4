import type { FastifyRequest } from 'fastify';
import type { Failure } from '../../platform/failure.ts';
import type { InStores } from '../../stores/stores.ts';
import type { RefusedRequests } from './refused-requests.ts';

interface Deps extends InStores<Deps> {
  refusedRequests: RefusedRequests;
}

/** In the store of the caller. It is not noted where that cannot be found: then nothing about the service can be stored. */
export function noteRefusedRequest(app: Deps, request: FastifyRequest, failure: Failure, status: number): void {
  const { apiCaller } = request;
  if (!apiCaller) return;
  const note = (store: Deps) => store.refusedRequests.note(request, failure, status);
  if (app.stores.isOne) note(app);
  else void (async () => note(await app.stores.of(apiCaller.service_id)))().catch(() => undefined);
}
