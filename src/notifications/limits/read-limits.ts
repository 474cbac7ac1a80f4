import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiCallerOf } from '../../auth/api-caller.ts';
import type { Authenticate } from '../../platform/http/surface.ts';
import type { SendState } from '../sending/send-context.ts';
import type { SendingService } from '../sending/sending-service.ts';
import type { ReadLimitSettings } from '../settings.ts';
import { rateLimitExceeded, rateLimitHeaders } from './rate-limits.ts';

interface Deps {
  config: { http: ReadLimitSettings };
  sending: Pick<SendState, 'services' | 'rateLimits'>;
}

const minReadLimit = 3_000;

/**
 * Reads have a separate limit by service and key type, so that reads and sends do not use up each other's. It rises with the send limit of
 * the service.
 */
export function limitReading(app: Deps, authenticate: Authenticate): Authenticate {
  return (request, reply) => {
    const checking = authenticate(request, reply);
    if (!isRead(request)) return checking;
    return checking ? checking.then(() => take(app, request, reply)) : take(app, request, reply);
  };
}

/** Changes of templates count as reads, because they send nothing. */
function isRead({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD' || routeOptions.url?.startsWith('/v2/template') === true;
}

function take(app: Deps, request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
  const takeOf = (service: SendingService | undefined) => {
    if (!service) throw new Error('Service not found after authentication');
    return takeFor(app, service, request, reply);
  };
  const found = app.sending.services.find(apiCallerOf(request).service_id);
  return found instanceof Promise ? found.then(takeOf) : takeOf(found);
}

function takeFor(
  { config, sending }: Deps,
  { rate_limit }: Pick<SendingService, 'rate_limit'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> | undefined {
  const { service_id, key_type } = apiCallerOf(request);
  const limit = config.http.readRateLimit || Math.max(minReadLimit, rate_limit);
  const which = { service_id, window: `read-${key_type}` } as const;
  const apply = (decision: Awaited<ReturnType<typeof sending.rateLimits.take>>) => {
    reply.headers(rateLimitHeaders(limit, decision));
    if (!decision.granted) throw rateLimitExceeded(key_type, limit, decision);
    request.countAs = (requests) => {
      if (requests > 1) reply.headers(rateLimitHeaders(limit, sending.rateLimits.countAs(which, requests, decision)));
    };
  };
  const taken = sending.rateLimits.take(which, limit);
  if (taken instanceof Promise) return taken.then(apply);
  apply(taken);
  return undefined;
}
