import type { FastifyRequest } from 'fastify';

/**
 * Base URL of links in a response: the host that the client used. Behind a TLS-terminating proxy only the configured
 * URL has the right scheme, so that is used if the host matches.
 */
export function requestRoot(baseUrl: string): (request: Pick<FastifyRequest, 'host' | 'protocol'>) => string {
  const { host } = new URL(baseUrl);
  return (request) => (request.host === host || !request.host ? baseUrl : `${request.protocol}://${request.host}`);
}
