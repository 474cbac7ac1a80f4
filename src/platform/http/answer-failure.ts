import type { FastifyReply, FastifyRequest } from 'fastify';
import { failureOfDatabaseError } from '../db/errors.ts';
import { Failure, statusOfKind } from '../failure.ts';
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
  const failure = failureOf(error);
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
  // The framework would close the connection while the client is still sending: it would see a reset instead of this
  // response.
  if (failure instanceof UnreadBody) reply.removeHeader('connection');
  surface.afterFailure?.(app, request, failure, status);
  if (surface.sendErrorPage) return surface.sendErrorPage(failure, status, request, reply);
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(surface.errorBody(failure, status));
}

let outageLoggedAt = Number.NEGATIVE_INFINITY;

/**
 * In an outage every request fails for the same reason: logging each one would fill the disk, which may be that reason.
 */
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
