import type { FastifyRequest } from 'fastify';
import { type Clock, timestamp } from '../clock.ts';
import type { Actor } from '../db/actor.ts';
import type { HttpSettings } from '../settings.ts';
import { clientAddress, clientNetwork, Networks } from './networks.ts';
import { routeOf } from './subroute.ts';

const maxUserAgent = 400;

/** Returns when and from where a request came, for the audit log. */
export function requestFacts(
  { clock, config }: { clock: Clock; config: { http: HttpSettings } },
  request: FastifyRequest,
): Omit<Actor, 'type'> {
  const { headers, id, method } = request;
  return {
    at: timestamp(clock.now()),
    address: addressOf(config, request),
    user_agent: headers['user-agent']?.slice(0, maxUserAgent),
    request_id: id,
    request: `${method} ${routeOf(request).url}`,
  };
}

/** Returns the network that a request came from, as a key for limits. */
export function networkOf({ config }: { config: { http: HttpSettings } }, request: FastifyRequest): string {
  return clientNetwork(addressOf(config, request));
}

function addressOf(config: { http: HttpSettings }, { raw, headers }: FastifyRequest): string {
  const trusted = new Networks(config.http.trustedProxies);
  return clientAddress(raw.socket.remoteAddress, headers['x-forwarded-for'], trusted);
}

/**
 * Returns the base URL of links in a response: the host that the client used. Behind a TLS-terminating proxy only the configured URL has
 * the right scheme, so that is used if the host matches.
 */
export function requestRoot(baseUrl: string): (request: Pick<FastifyRequest, 'host' | 'protocol'>) => string {
  const { host } = new URL(baseUrl);
  return (request) => (request.host === host || !request.host ? baseUrl : `${request.protocol}://${request.host}`);
}
