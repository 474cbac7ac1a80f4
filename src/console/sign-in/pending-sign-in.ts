import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import { later, minute_ms, timestamp } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import { getUserRecord, type UserRecord } from '../../users/user-record.ts';
import { cookieNames, cookieOptions } from '../sessions/cookies.ts';

/** The first step of a sign-in is done; the second one is still to come. */
export interface PendingSignIn {
  user_id: string;
  /** The sign-in is void once the password has changed. */
  password_changed_at: string;
  /** `proof`: an email link as a third step, because the address was last proven long ago. */
  step: 'text' | 'email' | 'proof';
  /** The page that was asked for, below /console. */
  next: string;
  /** The message with the code or link, which the demo shows. */
  message_id?: string | undefined;
  /** From a link for a new password: set when the second step succeeds. */
  new_password?: string;
  /** A new account, which becomes active when the second step succeeds. */
  activates?: true;
}

type Deps = Pick<Platform, 'db' | 'clock' | 'secrets'> & { config: Pick<Config, 'urls'> };

const purpose = 'console-sign-in';
const lifetime_ms = 30 * minute_ms;

/** In an encrypted cookie, so that a sign-in that is never finished leaves nothing behind. */
export function keepPendingSignIn(app: Deps, reply: FastifyReply, pending: PendingSignIn): void {
  const expires_at = timestamp(later(app.clock.now(), lifetime_ms));
  const value = app.secrets.encrypt(purpose, JSON.stringify({ ...pending, expires_at }));
  reply.setCookie(cookieNames(app.config).signIn, value, {
    ...cookieOptions(app.config),
    maxAge: lifetime_ms / 1_000,
  });
}

export async function findPendingSignIn(
  app: Deps,
  request: FastifyRequest,
): Promise<{ pending: PendingSignIn; user: UserRecord } | undefined> {
  const text = app.secrets.decrypt(purpose, request.cookies[cookieNames(app.config).signIn] ?? '');
  if (!text) return undefined;
  const pending = JSON.parse(text.toString()) as PendingSignIn & { expires_at: string };
  if (pending.expires_at <= timestamp(app.clock.now())) return undefined;
  const user = await getUserRecord(app.db, pending.user_id);
  const isVoid = user.state === 'inactive' || user.password_changed_at !== pending.password_changed_at;
  return isVoid ? undefined : { pending, user };
}

export function forgetPendingSignIn(app: Deps, reply: FastifyReply): void {
  reply.clearCookie(cookieNames(app.config).signIn, cookieOptions(app.config));
}
