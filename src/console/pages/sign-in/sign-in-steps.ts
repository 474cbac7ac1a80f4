import type { FastifyRequest } from 'fastify';
import { t } from '../../../language/text.ts';
import { day_ms, earlier, timestamp } from '../../../platform/clock.ts';
import { Failure, invalidField } from '../../../platform/failure.ts';
import { networkOf } from '../../../platform/http/request-facts.ts';
import { sendEmailVerification } from '../../../users/sign-in/account-links.ts';
import { isRightGuess } from '../../../users/sign-in/password-guesses.ts';
import { hasKeysHere } from '../../../users/sign-in/security-keys.ts';
import { resetFailedLoginCount, verifyCode } from '../../../users/sign-in/sign-in.ts';
import { maySignInLocally } from '../../../users/sign-in/single-sign-on/single-sign-on.ts';
import { type CodeAttempt, sendEmailCode, sendSmsCode } from '../../../users/sign-in/verify-codes.ts';
import { getUserRecord, type UserRecord } from '../../../users/user-record.ts';
import { activateUser, findUserByEmail, updatePassword, updateUser } from '../../../users/users.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { PageRequest, Redirection } from '../../page.ts';
import { EncryptedCookie } from '../../sessions/cookies.ts';
import { signIn } from '../../sessions/sessions.ts';
import { acceptInvitation } from '../invitations/invitations.ts';

/** After this many days, a link must prove the address again, unless the country sets another period. */
const proofLasts_days = 90;

/** Only platform administrators sign in without the single sign-on issuer. */
const useIssuer = {
  to: '/sign-in',
  notice: t('Use single sign-on. Only platform administrators can sign in another way.'),
};

type Exchange = Pick<PageRequest, 'http' | 'reply'>;

/** Returns the user with this address and password. Wrong passwords are counted and, after a while, cause an exponential backoff. */
export async function checkPassword(
  app: ConsoleApp,
  request: FastifyRequest,
  form: { email_address: string; password: string },
): Promise<UserRecord> {
  const found = await findUserByEmail(app, form.email_address);
  // An account that only uses single sign-on is treated as not found.
  const user_id = found && maySignInLocally(app.config, found) ? found.id : undefined;
  const isRight = await isRightGuess(app, { ...form, user_id, from: networkOf(app, request) });
  const user = isRight && user_id !== undefined ? await getUserRecord(app.db, user_id) : undefined;
  // The same message for every reason, so that it does not reveal which addresses have accounts.
  if (user?.state !== 'active' && user?.state !== 'pending') {
    throw invalidField('email_address', t('The email address or the password is wrong.'));
  }
  return user;
}

/** Called after a correct password: sends what the second step needs. */
export async function beginSecondStep(
  app: ConsoleApp,
  { reply }: Exchange,
  user: UserRecord,
  more: Pick<PendingSignIn, 'next' | 'new_password' | 'activates' | 'invitation'>,
): Promise<Redirection> {
  if (!maySignInLocally(app.config, user)) return useIssuer;
  const pending = { user_id: user.id, password_changed_at: user.password_changed_at, ...more };
  if (user.auth_type === 'webauthn_auth' || (await hasKeysHere(app, user.id))) {
    pendingSignIn.set(app, reply, { ...pending, step: 'key' });
    return { to: pageOf('key') };
  }
  return beginMessageStep(app, { reply }, user, pending);
}

/** Starts a second step with a text code or an email link. */
export async function beginMessageStep(
  app: ConsoleApp,
  { reply }: Pick<Exchange, 'reply'>,
  user: UserRecord,
  before: Omit<PendingSignIn, 'step' | 'message_id'>,
): Promise<Redirection> {
  const step = user.auth_type === 'sms_auth' ? 'text' : 'email';
  const pending = { ...before, step } as const;
  pendingSignIn.set(app, reply, { ...pending, message_id: await sendStep(app, pending) });
  return { to: pageOf(step) };
}

/** Returns the id of the message; undefined if enough messages were sent already. */
export function sendStep(
  app: ConsoleApp,
  { user_id, step, next }: Pick<PendingSignIn, 'user_id' | 'step' | 'next'>,
): Promise<string | undefined> {
  if (step === 'text') return sendSmsCode(app, user_id, { for: 'sign-in' });
  return sendEmailCode(app, user_id, { next: next === '' ? null : pageUrl(next) });
}

export function pageOf(step: PendingSignIn['step']): string {
  if (step === 'key') return '/sign-in/security-key';
  return step === 'text' ? '/sign-in/code' : '/sign-in/inbox';
}

/** A new account must confirm its address first. */
export async function askToConfirm(app: ConsoleApp, user: UserRecord): Promise<Redirection> {
  await sendEmailVerification(app, user.id);
  return { to: '/sign-in/confirm-address' };
}

const sentences = new Map([
  ['Code is not valid', t('The code is wrong. Check the latest message.')],
  ['Code has expired', t('The code has expired. Ask for a new one.')],
  ['Code not found', t('The code is no longer valid. Ask for a new one.')],
]);

/** Accepts codes with and without spaces. */
export function readCode(typed: string): string {
  const code = typed.replaceAll(/[\s-]/g, '');
  if (!/^\d{5}$/.test(code)) throw invalidField('code', t('Enter the 5 digits of the code.'));
  return code;
}

/** Throws a problem of the field `code`, for any reason. */
export async function checkCode(app: ConsoleApp, userId: string, attempt: CodeAttempt): Promise<void> {
  try {
    await verifyCode(app, userId, attempt);
  } catch (error) {
    const sentence = error instanceof Failure ? sentences.get(error.message) : undefined;
    throw sentence === undefined ? error : invalidField('code', sentence);
  }
}

/** Called after the second step: signs the browser in, unless the address must be proved again. */
export async function completeSignIn(
  app: ConsoleApp,
  { http: request, reply }: Exchange,
  pending: Pick<PendingSignIn, 'user_id' | 'step' | 'next' | 'new_password' | 'activates' | 'invitation'>,
): Promise<Redirection> {
  if (!maySignInLocally(app.config, await getUserRecord(app.db, pending.user_id))) return useIssuer;
  if (pending.new_password !== undefined) {
    await updatePassword(app, pending.user_id, pending.new_password);
    await resetFailedLoginCount(app, pending.user_id);
    // The link for a new password arrived by email, which proves the address.
    await updateUser(app, pending.user_id, { email_access_validated_at: timestamp(app.clock.now()) });
  }
  const known = await getUserRecord(app.db, pending.user_id);
  const user = pending.activates && known.state === 'pending' ? await activateUser(app, known.id) : known;
  if (pending.invitation) await acceptInvitation(app, pending.invitation, user.id);
  if ((pending.step === 'text' || pending.step === 'key') && isProofOld(app, user)) {
    const { id: user_id, password_changed_at } = user;
    const proof = { user_id, password_changed_at, step: 'proof' as const, next: pending.next };
    pendingSignIn.set(app, reply, { ...proof, message_id: await sendStep(app, proof) });
    return { to: pageOf('proof') };
  }
  pendingSignIn.clear(app, reply);
  await signIn(app, user, request, reply);
  return { to: pending.next };
}

function isProofOld(app: ConsoleApp, user: UserRecord): boolean {
  const { emailCheckDays } = app.country.signIn;
  const oldest = earlier(app.clock.now(), (emailCheckDays ?? proofLasts_days) * day_ms);
  return user.email_access_validated_at <= timestamp(oldest);
}

/** A sign-in whose first step is done and whose second step is pending. */
interface PendingSignIn {
  user_id: string;
  /** The sign-in becomes invalid when the password changes. */
  password_changed_at: string;
  /** `proof`: an email link as a third step, because the address was proved too long ago. */
  step: 'text' | 'email' | 'key' | 'proof';
  /** The requested page, below /console. */
  next: string;
  /** The message with the code or link, which the demo shows. */
  message_id?: string | undefined;
  /** A password that was chosen after opening a link. It is set when the second step succeeds. */
  new_password?: string;
  /** Set for a new account, which becomes active when the second step succeeds. */
  activates?: true;
  /** The service or organisation that the account joins when the second step succeeds. */
  invitation?: { to: 'service' | 'organisation'; id: string };
}

export const pendingSignIn = new EncryptedCookie<PendingSignIn>('signIn');

/** With `steps`, finds only a sign-in that waits for one of these steps: another proof does not replace the requested one. */
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
