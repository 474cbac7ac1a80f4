import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ApiCaller, apiCallerOf } from '../../auth/api-caller.ts';
import type { Config } from '../../config.ts';
import type { Authenticate } from '../../platform/http/surface.ts';
import type { SendState } from '../sending/send-state.ts';
import type { SendingService } from '../sending/sending-service.ts';
import { rateLimitExceeded, rateLimitHeaders } from './rate-limits.ts';

type Needs = { config: Pick<Config, 'READ_RATE_LIMIT'>; sending: Pick<SendState, 'services' | 'rateLimits'> };

const leastReadLimit = 3_000;

/**
 * Reading has a limit of its own, by service and kind of key as sending has, so that neither uses up the other's. Whoever
 * may send a lot may read as much.
 */
export function limitReading(app: Needs, authenticate: Authenticate): Authenticate {
  return (request, reply) => {
    const checking = authenticate(request, reply);
    if (!isReading(request)) return checking;
    return checking ? checking.then(() => take(app, request, reply)) : take(app, request, reply);
  };
}

/** A preview changes nothing, although its values come in a body. */
function isReading({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD' || routeOptions.url?.endsWith('/preview') === true;
}

function take(app: Needs, request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
  const caller = apiCallerOf(request);
  const takeOf = (service: SendingService | undefined) => {
    if (!service) throw new Error('A service vanished while it was reading');
    return takeFor(app, caller, service, reply);
  };
  const found = app.sending.services.find(caller.service_id);
  return found instanceof Promise ? found.then(takeOf) : takeOf(found);
}

function takeFor(
  { config, sending }: Needs,
  { service_id, key_type }: ApiCaller,
  { rate_limit }: Pick<SendingService, 'rate_limit'>,
  reply: FastifyReply,
): Promise<void> | undefined {
  const limit = config.READ_RATE_LIMIT || Math.max(leastReadLimit, rate_limit);
  const answer = (decision: Awaited<ReturnType<typeof sending.rateLimits.take>>) => {
    reply.headers(rateLimitHeaders(limit, decision));
    if (!decision.granted) throw rateLimitExceeded(key_type, limit, decision);
  };
  const taken = sending.rateLimits.take({ service_id, window: `read-${key_type}` }, limit);
  if (taken instanceof Promise) return taken.then(answer);
  answer(taken);
  return undefined;
}
