import type { FastifyRequest } from 'fastify';
import { type Clock, timestamp } from '../clock.ts';
import type { Actor } from '../db/actor.ts';
import { clientAddress, Networks } from './networks.ts';
import { routeOf } from './subroute.ts';

const maxUserAgent = 400;

/** When and from where a request came, for the audit log. */
export function requestFacts(
  { clock, config }: { clock: Clock; config: { http: { trustedProxies: string[] } } },
  request: FastifyRequest,
): Omit<Actor, 'type'> {
  const { raw, headers, id, method } = request;
  const trusted = new Networks(config.http.trustedProxies);
  return {
    at: timestamp(clock.now()),
    address: clientAddress(raw.socket.remoteAddress, headers['x-forwarded-for'], trusted),
    user_agent: headers['user-agent']?.slice(0, maxUserAgent),
    request_id: id,
    request: `${method} ${routeOf(request).url}`,
  };
}
