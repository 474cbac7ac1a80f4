import type { FastifyReply, FastifyRequest } from 'fastify';
import { failureOfDatabaseError } from '../db/errors.ts';
import { Failure, statusOfKind } from '../failure.ts';
import { failureOfFrameworkError } from './body/body.ts';
import { UnreadBody } from './body/body-memory.ts';
import type { Surface } from './surface.ts';

/** Whatever went wrong, in the words and the body of the surface that was asked. */
export function answerFailure<App>(
  surface: Surface<App>,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): FastifyReply {
  const failure = failureOf(error);
  const status = statusOfKind[failure.kind];
  if (failure.kind === 'unavailable') logOutage(request, error);
  else if (status >= 500) {
    request.log.error({ err: error, route: request.routeOptions?.url, request_id: request.id }, 'request failed');
  }
  if (failure.headers) reply.headers(failure.headers);
  // The framework would close under a client that is still sending, which then sees a reset instead of this answer.
  if (failure instanceof UnreadBody) reply.removeHeader('connection');
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(surface.errorBody(failure, status));
}

let outageLoggedAt = Number.NEGATIVE_INFINITY;

/** Every request fails in an outage, for one reason: saying so for each would fill the disk, which may be that reason. */
function logOutage(request: FastifyRequest, error: unknown): void {
  if (performance.now() - outageLoggedAt < 1_000) return;
  outageLoggedAt = performance.now();
  request.log.error({ err: error, route: request.routeOptions?.url }, 'requests are refused for now');
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return (
    failureOfDatabaseError(error) ??
    failureOfFrameworkError(error) ??
    new Failure('internal', 'InternalServerError', 'Internal server error', { cause: error })
  );
}
