import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DemoSettings } from '../../delivery/settings.ts';
import { networkOf } from '../../platform/http/request-facts.ts';
import type { Platform } from '../../platform/platform.ts';
import type { HttpSettings, Urls } from '../../platform/settings.ts';
import { rememberAddress } from '../../users/sign-in/password-guesses.ts';
import type { UserRecord } from '../../users/user-record.ts';
import { cookieNames, cookieOptions } from './cookies.ts';
import { createSession, findSession, type Session, sessionLifetime_ms } from './sessions.ts';

export interface Visitor {
  user: UserRecord;
  session: Session;
}

type Deps = Platform & { config: { demo: DemoSettings; urls: Urls } };
type SignInDeps = Deps & { config: { http: HttpSettings } };

/** Read for each request and never cached: what ended a session in any process ends it for the next request. */
export async function findSessionOf(app: Deps, request: FastifyRequest): Promise<Session | undefined> {
  const token = request.cookies[cookieNames(app.config).session];
  return token ? findSession(app, token, { passive: isPassive(request) }) : undefined;
}

/** A live part asks, not a person. */
export function isPassive({ headers }: FastifyRequest): boolean {
  return headers['x-live-part'] !== undefined;
}

/** The browser that sends this request is signed in from now on. */
export async function signIn(
  app: SignInDeps,
  user: UserRecord,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  await rememberAddress(app, user.id, networkOf(app, request));
  const token = await createSession(app, user, request.headers['user-agent']?.slice(0, 400) ?? '');
  reply.setCookie(cookieNames(app.config).session, token, {
    ...cookieOptions(app.config),
    maxAge: sessionLifetime_ms / 1_000,
  });
}

export function forgetSession(app: { config: { urls: Urls } }, reply: FastifyReply): void {
  reply.clearCookie(cookieNames(app.config).session, cookieOptions(app.config));
}
