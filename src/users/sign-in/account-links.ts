import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { invalidField, notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import type { FrontEndSettings } from '../../protocol/settings.ts';
import {
  type AccountMessage,
  type AccountMessageSender,
  accountTemplates,
  mayRequestMessage,
  type RequestedMessage,
} from '../account-messages/account-messages.ts';
import { getUserRecord } from '../user-record.ts';
import { selectUserByEmail } from '../users.sql.ts';
import { type AccountLink, createAccountToken, type LinkPayloads, pageUrl, readAccountToken } from './link-tokens.ts';

type Deps = Platform & {
  accountMessages: AccountMessageSender;
  config: { urls: Urls; frontEnd: FrontEndSettings };
};

/** The console sends a few links an hour and silently drops further requests. The contract of the API has no limit. */
const limited = { isLimited: true };

export async function sendPasswordReset(
  app: Deps,
  request: { email: string; admin_base_url?: string; next?: string },
  { isLimited } = limited,
): Promise<void> {
  const user = await selectUserByEmail(app.db, request.email);
  if (!user) throw notFound();
  const token = createAccountToken(app, 'reset-password', {
    email: user.email_address,
    created_at: timestamp(app.clock.now()),
  });
  await send(app, isLimited && { kind: 'reset-password', user }, {
    template_id: accountTemplates.passwordReset,
    to: request.email,
    personalisation: {
      user_name: user.name,
      url: pageUrl(request.admin_base_url || app.config.urls.admin, `/new-password/${token}`, request.next),
    },
  });
}

export async function sendEmailVerification(
  app: Deps,
  userId: string,
  { adminBaseUrl, isLimited }: { adminBaseUrl?: string | null; isLimited: boolean } = limited,
): Promise<void> {
  const user = await getUserRecord(app.db, userId);
  const token = createAccountToken(app, 'verify-email', { user_id: user.id, email: user.email_address });
  await send(app, isLimited && { kind: 'verify-email', user }, {
    template_id: accountTemplates.emailVerification,
    to: user.email_address,
    personalisation: {
      name: user.name,
      url: pageUrl(adminBaseUrl || app.config.urls.admin, `/verify-email/${token}`),
    },
  });
}

/** Sends a link to the new address, which proves ownership when opened. Changes nothing yet. Returns whether it was sent. */
export async function sendChangeEmailVerification(
  app: Deps,
  userId: string,
  email: string,
  { isLimited } = limited,
): Promise<boolean> {
  const user = await getUserRecord(app.db, userId);
  const base = app.config.urls.admin;
  const token = createAccountToken(app, 'change-email', { user_id: user.id, email });
  return send(app, isLimited && { kind: 'change-email', user }, {
    template_id: accountTemplates.changeEmail,
    to: email,
    language: user.language,
    personalisation: {
      name: user.name,
      url: pageUrl(base, `/your-account/email/confirm/${token}`),
      feedback_url: pageUrl(base, '/support'),
    },
  });
}

export async function sendAlreadyRegistered(app: Deps, email: string): Promise<void> {
  const base = app.config.urls.admin;
  await send(app, false, {
    template_id: accountTemplates.alreadyRegistered,
    to: email,
    personalisation: {
      signin_url: pageUrl(base, '/sign-in'),
      forgot_password_url: pageUrl(base, '/forgot-password'),
      feedback_url: pageUrl(base, '/support'),
    },
  });
}

async function send(
  app: Deps,
  limit: false | { kind: RequestedMessage; user: { id: string } },
  message: AccountMessage,
): Promise<boolean> {
  return inTransaction(app.db, async (tx) => {
    if (limit && !(await mayRequestMessage(app, tx, limit.kind, limit.user.id))) return false;
    await app.accountMessages.send(tx, message);
    return true;
  });
}

/** Returns the contents of a link sent to a user. A password link is valid until the password changes. */
export async function readAccountLink<P extends AccountLink>(
  app: Platform & { config: { frontEnd: FrontEndSettings } },
  purpose: P,
  token: string,
): Promise<LinkPayloads[P]> {
  const link = readAccountToken(app, purpose, token);
  if (link.state === 'broken') throw invalidField('token', 'Link is not valid');
  const used = link.state === 'valid' && 'created_at' in link.payload && (await changedSince(app, link.payload));
  if (link.state === 'expired' || used) throw invalidField('token', 'Link has expired');
  return link.payload;
}

async function changedSince(app: Platform, link: { email: string; created_at: string }): Promise<boolean> {
  const user = await selectUserByEmail(app.db, link.email);
  return user === undefined || user.password_changed_at > link.created_at;
}
