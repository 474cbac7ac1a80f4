import { createHash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DemoSettings } from '../../delivery/settings.ts';
import { earlier, hour_ms, minute_ms, timestamp } from '../../platform/clock.ts';
import { notFound } from '../../platform/failure.ts';
import { networkOf } from '../../platform/http/request-facts.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { HttpSettings, Urls } from '../../platform/settings.ts';
import { rememberAddress } from '../../users/sign-in/password-guesses.ts';
import { recordLastSignIn } from '../../users/sign-in/sign-in.ts';
import { isOperator, type UserRecord } from '../../users/user-record.ts';
import { cookieNames, cookieOptions } from './cookies.ts';
import {
  deleteOtherSessions,
  deleteSession,
  deleteSessionsOfUser,
  deleteSessionsUntil,
  insertSession,
  selectLiveSession,
  selectLiveSessionsOfUser,
  updateSession,
} from './sessions.sql.ts';

type Deps = Platform & { config: { demo: DemoSettings } };
type DepsOfRequest = Deps & { config: { urls: Urls } };
type SignInDeps = DepsOfRequest & { config: { http: HttpSettings } };

/** The sessions of operators also end after this time without a request. Not in a demo that only this machine reaches. */
const idle_ms = 30 * minute_ms;
/** The time of last use is updated at most this often. */
const recordUseEvery_ms = minute_ms;

export type Session = NonNullable<Awaited<ReturnType<typeof selectLiveSession>>>;

/** A person who is signed in. */
export interface Visitor {
  user: UserRecord;
  session: Session;
}

/** Returns the token for the cookie. Only its hash is stored. */
export async function createSession(
  app: Deps,
  user: Pick<UserRecord, 'id' | 'password_changed_at' | 'platform_admin'>,
  device: string,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const now = app.clock.now();
  await insertSession(app.db, {
    id: newId(now),
    token_hash: hashOf(token),
    user_id: user.id,
    password_changed_at: user.password_changed_at,
    platform_admin: user.platform_admin,
    device,
    created_at: timestamp(now),
    last_used_at: timestamp(now),
  });
  return token;
}

/** A `passive` request, such as polling, was not made by the person and does not keep the session alive. */
async function findSession(app: Deps, token: string, { passive }: { passive: boolean }) {
  const now = app.clock.now();
  const session = await selectLiveSession(app.db, hashOf(token), oldest(app));
  if (!session || isIdle(app, session)) return undefined;
  if (!passive && session.last_used_at <= timestamp(earlier(now, recordUseEvery_ms))) {
    await updateSession(app.db, session.id, { last_used_at: timestamp(now) });
  }
  return session;
}

/** Sorted by last use, latest first. */
export async function listSessions(app: Deps, userId: string): Promise<Session[]> {
  const sessions = await selectLiveSessionsOfUser(app.db, userId, oldest(app));
  return sessions.filter((session) => !isIdle(app, session));
}

export async function endSession(app: Deps, userId: string, sessionId: string): Promise<void> {
  if (!(await deleteSession(app.db, userId, sessionId))) throw notFound();
}

export function endOtherSessions(app: Deps, userId: string, keptId: string): Promise<void> {
  return deleteOtherSessions(app.db, userId, keptId);
}

export function endAllSessions(app: Deps, userId: string): Promise<void> {
  return deleteSessionsOfUser(app.db, userId);
}

/** Keeps the browser that changed the password signed in. */
export function keepSession(
  app: Deps,
  sessionId: string,
  { password_changed_at }: Pick<UserRecord, 'password_changed_at'>,
): Promise<void> {
  return updateSession(app.db, sessionId, { password_changed_at });
}

export function deleteOldSessions(app: Platform): Promise<void> {
  return deleteSessionsUntil(app.db, oldest(app));
}

/** Read for each request and never cached, so that a session that ended in any process is rejected at the next request. */
export async function findSessionOf(app: DepsOfRequest, request: FastifyRequest): Promise<Session | undefined> {
  const token = request.cookies[cookieNames(app.config).session];
  return token ? findSession(app, token, { passive: isPassive(request) }) : undefined;
}

/** Whether a live part made the request, not a person. */
export function isPassive({ headers }: FastifyRequest): boolean {
  return headers['x-live-part'] !== undefined;
}

/** Signs in the browser that sent this request. */
export async function signIn(
  app: SignInDeps,
  user: UserRecord,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  await rememberAddress(app, user.id, networkOf(app, request));
  await recordLastSignIn(app, user.id);
  const token = await createSession(app, user, request.headers['user-agent']?.slice(0, 400) ?? '');
  reply.setCookie(cookieNames(app.config).session, token, {
    ...cookieOptions(app.config),
    maxAge: lifetime_ms(app) / 1_000,
  });
}

export function forgetSession(app: { config: { urls: Urls } }, reply: FastifyReply): void {
  reply.clearCookie(cookieNames(app.config).session, cookieOptions(app.config));
}

function isIdle(app: Deps, session: Session): boolean {
  const { demo } = app.config;
  if (!isOperator(session) || (demo.enabled && demo.isOnlyHere)) return false;
  return session.last_used_at <= timestamp(earlier(app.clock.now(), idle_ms));
}

function oldest(app: Platform): string {
  return timestamp(earlier(app.clock.now(), lifetime_ms(app)));
}

/** The maximum time between sign-in and the end of a session. */
function lifetime_ms({ country }: Platform): number {
  return country.signIn.sessionHours * hour_ms;
}

/** A plain hash is enough, because the token is random and, unlike a password, cannot be guessed. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
