import { later, timestamp } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import { decryptFernet, encryptFernet } from '../../platform/secrets/fernet.ts';
import type { FrontEndSettings } from '../../protocol/settings.ts';

/** The contents and lifetime of each link. docs/operations/link-tokens.md describes the format. */
export interface LinkPayloads {
  'reset-password': { email: string; created_at: string };
  'verify-email': { user_id: string; email: string };
  'change-email': { user_id: string; email: string };
  'email-auth': { user_id: string; secret_code: string };
  'service-invite': { invite_id: string };
  'organisation-invite': { invite_id: string };
  operator: { user_id: string; logged_in_at: string | null };
}
type LinkPurpose = keyof LinkPayloads;

const hour_s = 3_600;
export const linkLifetimes_s: Record<LinkPurpose, number> = {
  'reset-password': hour_s,
  'verify-email': hour_s,
  'change-email': hour_s,
  'email-auth': hour_s / 2,
  'service-invite': 48 * hour_s,
  'organisation-invite': 48 * hour_s,
  operator: hour_s / 2,
};

export function createLinkToken<P extends LinkPurpose>(app: Platform, purpose: P, payload: LinkPayloads[P]): string {
  const expires_at = timestamp(later(app.clock.now(), linkLifetimes_s[purpose] * 1000));
  return app.secrets.encrypt(keyPurpose(purpose), JSON.stringify({ expires_at, payload }));
}

type LinkToken<P extends LinkPurpose> =
  | { state: 'valid'; payload: LinkPayloads[P] }
  | { state: 'expired' }
  | { state: 'broken' };

export function readLinkToken<P extends LinkPurpose>(app: Platform, purpose: P, token: string): LinkToken<P> {
  const text = app.secrets.decrypt(keyPurpose(purpose), token);
  if (!text) return { state: 'broken' };
  // A token that decrypts was created by this application, so its shape needs no validation.
  const { expires_at, payload } = JSON.parse(text.toString()) as { expires_at: string; payload: LinkPayloads[P] };
  if (expires_at <= timestamp(app.clock.now())) return { state: 'expired' };
  return { state: 'valid', payload };
}

/** Links whose tokens the front end of GOV.UK Notify decrypts itself. It passes the tokens of invitations to the API. */
export type AccountLink = Extract<LinkPurpose, 'reset-password' | 'verify-email' | 'change-email' | 'email-auth'>;
type AccountDeps = Platform & { config: { frontEnd: FrontEndSettings } };

/** That front end ignores `purpose`. Here, it prevents the use of a token for another purpose. */
export function createAccountToken<P extends AccountLink>(
  app: AccountDeps,
  purpose: P,
  payload: LinkPayloads[P],
): string {
  const { linkTokenKey } = app.config.frontEnd;
  if (!linkTokenKey) return createLinkToken(app, purpose, payload);
  return encryptFernet(linkTokenKey, JSON.stringify({ ...payload, purpose }, inFrontEndFormat), app.clock.now());
}

/** Also reads tokens that were created before the key was configured. */
export function readAccountToken<P extends AccountLink>(app: AccountDeps, purpose: P, token: string): LinkToken<P> {
  const { linkTokenKey } = app.config.frontEnd;
  const found = linkTokenKey && decryptFernet(linkTokenKey, token);
  if (!found) return readLinkToken(app, purpose, token);
  const { purpose: made, ...payload } = JSON.parse(found.text, fromFrontEndFormat);
  if (made !== purpose) return { state: 'broken' };
  const expiresAt = later(found.createdAt, linkLifetimes_s[purpose] * 1_000);
  return expiresAt <= app.clock.now() ? { state: 'expired' } : { state: 'valid', payload };
}

function inFrontEndFormat(key: string, value: unknown): unknown {
  return key === 'created_at' ? String(value).replace('T', ' ').replace('Z', '') : value;
}

function fromFrontEndFormat(key: string, value: unknown): unknown {
  return key === 'created_at' ? `${String(value).replace(' ', 'T')}Z` : value;
}

function keyPurpose(purpose: LinkPurpose): string {
  return `link:${purpose}`;
}

/** Returns the URL of a page of the admin front end, for a link in a message. */
export function pageUrl(base: string, path: string, next?: string | null): string {
  return `${base}${path}${next ? `?${new URLSearchParams({ next })}` : ''}`;
}
