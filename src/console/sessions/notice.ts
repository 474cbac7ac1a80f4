import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Urls } from '../../platform/settings.ts';
import { cookieNames, cookieOptions } from './cookies.ts';

interface Deps {
  config: { urls: Urls };
}

/** For the next page: what the last form has done. */
export function keepNotice(app: Deps, reply: FastifyReply, text: string): void {
  const value = Buffer.from(text).toString('base64url');
  reply.setCookie(cookieNames(app.config).notice, value, { ...cookieOptions(app.config), maxAge: 60 });
}

export function takeNotice(app: Deps, request: FastifyRequest, reply: FastifyReply): string | undefined {
  const name = cookieNames(app.config).notice;
  const value = request.cookies[name];
  if (!value) return undefined;
  reply.clearCookie(name, cookieOptions(app.config));
  return Buffer.from(value, 'base64url').toString();
}
