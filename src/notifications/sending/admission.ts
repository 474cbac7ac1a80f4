import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { apiCallerOf } from '../../auth/api-caller.ts';
import { requestRoot } from '../../platform/http/request-facts.ts';
import { publicErrors } from '../../protocol/error-bodies.ts';
import { rateLimitExceeded, rateLimitHeaders } from '../limits/rate-limits.ts';
import { findStoredResponse, readIdempotencyKey, type StoredResponse } from './idempotency.ts';
import type { SendContext, SendDeps } from './send-context.ts';

declare module 'fastify' {
  interface FastifyRequest {
    admission?: Admission;
  }
}

/** A request that passed the checks before its body is read. */
export interface Admission {
  context: SendContext;
  idempotencyKey: string | undefined;
  /** The response to an earlier request with the same Idempotency-Key. */
  stored: StoredResponse | undefined;
}

export const idempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'A request repeated with the same key within 24 hours returns the first response',
    }),
  ),
});

/** 409: the first request with a key is still in progress. 422: it had a different body. */
export const idempotencyErrors = { 409: publicErrors.errorSchema, 422: publicErrors.errorSchema };

/** Checks a request to send before its body is read. Skips `furtherCheck` for a response that is replayed. */
export function admitSending(app: SendDeps, furtherCheck?: (context: SendContext) => void) {
  const rootOf = requestRoot(app.config.urls.api);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const caller = apiCallerOf(request);
    const { api_key_id, key_type, dialect } = caller;
    const found = app.sending.services.find(caller.service_id);
    const service = found instanceof Promise ? await found : found;
    if (!service) throw new Error('Service not found after authentication');
    const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
    const context: SendContext = {
      service,
      dialect,
      key_type,
      api_key_id,
      created_by_id: null,
      now: app.clock.now(),
      root: rootOf(request),
      idempotency: undefined,
    };
    const stored = idempotencyKey === undefined ? undefined : await findStoredResponse(app, service.id, idempotencyKey);
    request.admission = { context, idempotencyKey, stored };
    // A replayed response does not count towards limits.
    if (stored) return;
    const window = { service_id: service.id, window: key_type };
    const taken = app.sending.rateLimits.take(window, service.rate_limit);
    const decision = taken instanceof Promise ? await taken : taken;
    reply.headers(rateLimitHeaders(service.rate_limit, decision));
    if (!decision.granted) throw rateLimitExceeded(key_type, service.rate_limit, decision);
    context.countAs = (requests) => {
      reply.headers(rateLimitHeaders(service.rate_limit, app.sending.rateLimits.countAs(window, requests, decision)));
    };
    furtherCheck?.(context);
  };
}

export function admissionOf({ admission }: FastifyRequest): Admission {
  if (!admission) throw new Error('Request without an admission');
  return admission;
}
