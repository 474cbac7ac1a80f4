import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUuid } from '../../../platform/id.ts';
import type { Urls } from '../../../platform/settings.ts';
import { cookieNames, cookieOptions } from '../../sessions/cookies.ts';

interface Deps {
  config: { urls: Urls };
}

const year_s = 365 * 86_400;

/** The service that this browser opened last. Only a hint: whether the visitor may open it is checked as always. */
export function findLastService(app: Deps, request: FastifyRequest): string | undefined {
  const id = request.cookies[cookieNames(app.config).service];
  return id !== undefined && isUuid(id) ? id : undefined;
}

export function keepLastService(app: Deps, request: FastifyRequest, reply: FastifyReply, id: string): void {
  if (findLastService(app, request) === id) return;
  reply.setCookie(cookieNames(app.config).service, id, { ...cookieOptions(app.config), maxAge: year_s });
}
