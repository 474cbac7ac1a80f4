import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { failureOfDatabaseError } from '../db/errors.ts';
import { Failure, statusOfKind } from '../failure.ts';
import { drawRandomBytes } from '../id.ts';
import { failureOfFrameworkError } from './body/body.ts';
import { UnreadBody } from './body/body-memory.ts';
import { routeOf } from './subroute.ts';
import type { Surface } from './surface.ts';

/** Sends an error in the format of its surface. */
export function answerFailure<App>(
  app: App,
  surface: Surface<App>,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): FastifyReply {
  const thrown = failureOf(error);
  const failure = surface.translate?.(app, request, thrown) ?? thrown;
  const status = statusOfKind[failure.kind];
  if (failure.kind === 'unavailable') logOutage(request, error);
  else if (status >= 500) {
    request.log.error(
      {
        event: 'request.failed',
        err: error,
        route: routeOf(request)?.url,
        request_id: request.id,
        trace_id: request.span?.traceId,
      },
      'A request failed',
    );
  }
  if (failure.headers) reply.headers(failure.headers);
  // Fastify would close the connection while the client is still sending, which would see a reset instead of this response.
  if (failure instanceof UnreadBody) reply.removeHeader('connection');
  surface.afterFailure?.(app, request, failure, status);
  if (surface.sendErrorPage) return surface.sendErrorPage(app, failure, status, request, reply);
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(surface.errorBody(failure, status));
}

let outageLoggedAt = Number.NEGATIVE_INFINITY;

/** In an outage, every request fails for the same reason. Logging each one could fill the disk, and a full disk may be the reason. */
function logOutage(request: FastifyRequest, error: unknown): void {
  if (performance.now() - outageLoggedAt < 1_000) return;
  outageLoggedAt = performance.now();
  request.log.error(
    { event: 'requests.unavailable', err: error, route: routeOf(request)?.url },
    'Requests fail with 503',
  );
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return (
    failureOfDatabaseError(error) ??
    failureOfFrameworkError(error) ??
    new Failure('internal', 'InternalServerError', 'Internal server error', { cause: error })
  );
}

export const everyResponse = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'strict-transport-security': 'max-age=31536000',
  'cache-control': 'no-store, no-cache, private, must-revalidate',
};

/** Any origin may call the API: callers authenticate with a token, which browsers never add by themselves. */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'Content-Type,Authorization',
  'access-control-allow-methods': 'GET,PUT,POST,DELETE,PATCH',
};

/** Security and tracing headers on everything, errors included. */
export function addHeaders(http: FastifyInstance, app: { draining(): boolean }): void {
  http.addHook('onRequest', (request, reply, done) => {
    reply.headers(everyResponse);
    // Makes clients with persistent connections reconnect, and so reach another process.
    if (app.draining()) reply.header('connection', 'close');
    reply.header('x-b3-traceid', request.id);
    reply.header('x-b3-spanid', singleHeader(request.headers['x-b3-spanid']) ?? request.id.slice(-16));
    // An invalid content type does not reject a body: JSON is parsed regardless of it.
    if (!isMediaType(request.headers['content-type'])) delete request.headers['content-type'];
    done();
  });
}

function isMediaType(value: string | undefined): boolean {
  return value === undefined || value === 'application/json' || /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;.*)?$/.test(value);
}

/** Returns the caller's trace id, so that a message can be traced through both systems, or a new one. */
export function requestId(request: { headers: Record<string, string | string[] | undefined> }): string {
  return singleHeader(request.headers['x-b3-traceid']) ?? drawRandomBytes(16).toString('hex');
}

/** Accepts only valid trace ids: anything else could inject text into logs and headers. */
function singleHeader(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && /^[0-9a-fA-F-]{8,64}$/.test(value) ? value : undefined;
}
