import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Failure } from '../failure.ts';

declare module 'fastify' {
  interface FastifyRequest {
    subroute: Subroute | undefined;
  }
  interface FastifyInstance {
    /** Validates the body of a subroute, as the framework does it for a route. */
    failureOfBody(request: FastifyRequest, schema: TSchema): Failure | undefined;
  }
}

/**
 * What a wildcard route found below it. For surfaces with hundreds of addresses: the framework takes half a millisecond to
 * declare a route.
 */
export type Subroute = Pick<FastifyRequest['routeOptions'], 'url' | 'bodyLimit' | 'config'>;

/** The subroute of a request, or else its route. */
export function routeOf(request: FastifyRequest): Subroute {
  return request.subroute ?? request.routeOptions;
}
