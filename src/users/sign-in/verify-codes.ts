import { randomInt, randomUUID } from 'node:crypto';
import { day_ms, earlier, later, minute_ms, timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import type { FrontEndSettings } from '../../protocol/settings.ts';
import { type AccountMessageSender, accountTemplates } from '../account-messages/account-messages.ts';
import { type LockedUser, lockUser } from '../users.ts';
import { createAccountToken, pageUrl } from './link-tokens.ts';
import { type CodeType, countCodesSince, countLiveCodes, insertVerifyCode } from './sign-in.sql.ts';

const codeLifetime_ms = 30 * minute_ms;
const maxLiveCodes = 5;
const codeDigits = 5;
/** Consecutive wrong codes after which a user's codes are invalidated. */
export const maxWrongCodes = 10;
const maxCodesADayAfterThat = 20;
const codePurpose = 'verify-code';

type Deps = Platform & {
  accountMessages: AccountMessageSender;
  config: { urls: Urls; frontEnd: FrontEndSettings };
};

/** Silently sends nothing while five codes are live. */
export async function hasTooManyCodes(app: Platform, userId: string): Promise<boolean> {
  return (await countLiveCodes(app.db, userId, timestamp(app.clock.now()))) >= maxLiveCodes;
}

/**
 * What a code may be used for. `api`: a front end sends it to any number and checks it for any purpose, so it is bound only to the user.
 * The console's codes either sign in or confirm a new number, and work for nothing else.
 */
type CodePurpose = { for: 'api'; to?: string | null } | { for: 'sign-in' } | { for: 'new-number'; to: string };

/** Returns the id of the message; undefined if none was sent. */
export function sendSmsCode(app: Deps, userId: string, purpose: CodePurpose): Promise<string | undefined> {
  const code = newSmsCode();
  return sendCode(app, userId, { code_type: 'sms', code, purpose }, async (tx, user) => {
    const recipient = ('to' in purpose && purpose.to) || user.mobile_number;
    if (recipient === null) throw invalid("Recipient can't be empty");
    const { smsCode } = accountTemplates;
    const personalisation = { verify_code: code };
    const { language } = user;
    return app.accountMessages.send(tx, { template_id: smsCode, to: recipient, personalisation, language });
  });
}

/** Returns the id of the message; undefined if none was sent. */
export function sendEmailCode(
  app: Deps,
  userId: string,
  link: { email_auth_link_host?: string | null; next?: string | null },
): Promise<string | undefined> {
  const code = randomUUID();
  return sendCode(app, userId, { code_type: 'email', code, purpose: { for: 'sign-in' } }, async (tx, user) => {
    const token = createAccountToken(app, 'email-auth', { user_id: user.id, secret_code: code });
    const base = link.email_auth_link_host || app.config.urls.admin;
    const url = pageUrl(base, `/email-auth/${token}`, link.next);
    const { emailCode } = accountTemplates;
    return app.accountMessages.send(tx, {
      template_id: emailCode,
      to: user.email_address,
      personalisation: { name: user.name, url },
    });
  });
}

async function sendCode(
  app: Deps,
  userId: string,
  { code_type, code, purpose }: { code_type: CodeType; code: string; purpose: CodePurpose },
  send: (tx: Tx, user: LockedUser) => Promise<{ id: string }>,
): Promise<string | undefined> {
  const now = app.clock.now();
  return inTransaction(app.db, async (tx) => {
    // The lock makes the count exact under concurrent requests.
    const user = await lockUser(tx, userId);
    if ((await countLiveCodes(tx, userId, timestamp(now))) >= maxLiveCodes) return undefined;
    // Invalidated codes do not count as live. Without this limit, an attacker could guess once at each of thousands of codes.
    if (user.failed_code_count >= maxWrongCodes) {
      const today = await countCodesSince(tx, userId, timestamp(earlier(now, day_ms)));
      if (today >= maxCodesADayAfterThat) return undefined;
    }
    await insertVerifyCode(tx, {
      id: newId(now),
      user_id: user.id,
      code_type,
      code_digest: app.secrets.digest(codePurpose, codeText(user, { code_type, code, purpose })),
      expires_at: timestamp(later(now, codeLifetime_ms)),
      created_at: timestamp(now),
    });
    return (await send(tx, user)).id;
  });
}

/** A code that a person typed or opened as a link, and what it is used for. */
export interface CodeAttempt {
  code: string;
  code_type: CodeType;
  purpose: CodePurpose;
}

/** Also matches digests that were made with an older key, before a key rotation. */
export function isCodeDigest(app: Platform, user: LockedUser, attempt: CodeAttempt, digest: string): boolean {
  return app.secrets.isDigest(codePurpose, codeText(user, attempt), digest);
}

/** The text whose keyed hash is stored. An unkeyed hash of five digits is trivial to brute-force. */
function codeText(user: LockedUser, { code, code_type, purpose }: CodeAttempt): string {
  return JSON.stringify([user.id, ...boundTo(user, code_type, purpose), code]);
}

/** Binds a code to the address or number that it was sent to: it stops working when the user's changes. */
function boundTo(user: LockedUser, code_type: CodeType, purpose: CodePurpose): (string | null)[] {
  if (code_type === 'email') return ['email', user.email_address];
  if (purpose.for === 'api') return ['api'];
  return [purpose.for, purpose.for === 'new-number' ? purpose.to : user.mobile_number];
}

/** No repeated adjacent digits, which makes codes easier to read from a phone. */
export function newSmsCode(): string {
  const digits = [randomInt(10)];
  while (digits.length < codeDigits) {
    const last = digits.at(-1) ?? 0;
    digits.push((last + 1 + randomInt(9)) % 10);
  }
  return digits.join('');
}
