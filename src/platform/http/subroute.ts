import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Failure } from '../failure.ts';

declare module 'fastify' {
  interface FastifyRequest {
    subroute: Subroute | undefined;
  }
  interface FastifyInstance {
    /** Validates the body of a subroute, as Fastify does for a route. */
    failureOfBody(request: FastifyRequest, schema: TSchema): Failure | undefined;
  }
}

/**
 * A route below a wildcard route. Surfaces with hundreds of paths use them, because Fastify takes half a millisecond to declare a route.
 */
export type Subroute = Pick<FastifyRequest['routeOptions'], 'url' | 'bodyLimit' | 'config'>;

/** Returns the subroute of a request, or else its route. */
export function routeOf(request: FastifyRequest): Subroute {
  return request.subroute ?? request.routeOptions;
}
