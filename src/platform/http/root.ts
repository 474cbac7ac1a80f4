import type { FastifyRequest } from 'fastify';

/**
 * Where links in an answer point: the address the client itself used. Behind a proxy that speaks HTTPS for us only the
 * configured address knows the scheme, so that one is used whenever it is the same host.
 */
export function requestRoot(baseUrl: string): (request: Pick<FastifyRequest, 'host' | 'protocol'>) => string {
  const { host } = new URL(baseUrl);
  return (request) => (request.host === host || !request.host ? baseUrl : `${request.protocol}://${request.host}`);
}
