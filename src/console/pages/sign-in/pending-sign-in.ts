import type { FastifyRequest } from 'fastify';
import { getUserRecord, type UserRecord } from '../../../users/user-record.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { SealedCookie } from '../../sessions/sealed-cookie.ts';

/** The first step of a sign-in is done; the second one is still to come. */
export interface PendingSignIn {
  user_id: string;
  /** The sign-in is void once the password has changed. */
  password_changed_at: string;
  /** `proof`: an email link as a third step, because the address was last proven long ago. */
  step: 'text' | 'email' | 'key' | 'proof';
  /** The page that was asked for, below /console. */
  next: string;
  /** The message with the code or link, which the demo shows. */
  message_id?: string | undefined;
  /** From a link for a new password: set when the second step succeeds. */
  new_password?: string;
  /** A new account, which becomes active when the second step succeeds. */
  activates?: true;
  /** Invited to this service or organisation, which the account joins when the second step succeeds. */
  invitation?: { to: 'service' | 'organisation'; id: string };
}

export const pendingSignIn = new SealedCookie<PendingSignIn>('signIn');

/** With `steps`, only a sign-in that waits for one of these: another proof does not replace the one that was asked for. */
export async function findPendingSignIn(
  app: ConsoleApp,
  request: FastifyRequest,
  steps?: readonly PendingSignIn['step'][],
): Promise<{ pending: PendingSignIn; user: UserRecord } | undefined> {
  const pending = pendingSignIn.read(app, request);
  if (!pending || (steps && !steps.includes(pending.step))) return undefined;
  const user = await getUserRecord(app.db, pending.user_id);
  const isVoid = user.state === 'inactive' || user.password_changed_at !== pending.password_changed_at;
  return isVoid ? undefined : { pending, user };
}
