import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction } from '../../platform/db/database.ts';
import { invalidField, notFound } from '../../platform/failure.ts';
import { isInsideName, isLoopbackName } from '../../platform/http/networks.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { EncryptedValues } from '../../platform/secrets/encrypted-values.ts';
import type { CallbackSettings } from '../settings.ts';
import {
  type CallbackId,
  type CallbackType,
  deleteCallbackRow,
  deleteSigningSecret,
  insertCallback,
  replaceSigningSecrets,
  replaceTokens,
  selectCallback,
  selectCallbackType,
  selectSigningSecrets,
  selectTokens,
  updateCallbackRow,
  upsertSigningSecret,
} from './callback-api.sql.ts';

export { type CallbackType, callbackTypes } from './callback-api.sql.ts';

type Deps = Platform & { config: { callbacks: CallbackSettings } };

export const CallbackUrl = Type.String({ maxLength: 2_000, description: 'https' });
export const BearerToken = Type.String({ minLength: 10, maxLength: 2_000 });

export const tokenPurpose = 'callback-token';

export const callbackTokens: EncryptedValues = {
  name: 'tokens of callbacks',
  purpose: tokenPurpose,
  select: selectTokens,
  replace: replaceTokens,
};

/** Identifies a callback: a service has one per type. Copies of its token in the queue are bound to the same owner. */
interface TokenOwner {
  service_id: string;
  callback_type: CallbackType;
}

export function encryptToken({ secrets }: Platform, owner: TokenOwner, token: string): string {
  return secrets.encrypt(tokenPurpose, token, tokenContext(owner));
}

/** Returns undefined if none of the configured keys can decrypt it. */
export function decryptToken({ secrets }: Platform, owner: TokenOwner, encrypted: string): string | undefined {
  return secrets.decrypt(tokenPurpose, encrypted, tokenContext(owner))?.toString();
}

function tokenContext({ service_id, callback_type }: TokenOwner): string {
  return `${service_id} ${callback_type}`.toLowerCase();
}

export async function getCallback(db: Db, which: CallbackId) {
  const callback = await selectCallback(db, which);
  if (!callback) throw notFound();
  return callback;
}

export async function createCallback(
  app: Deps,
  service_id: string,
  request: { callback_type: CallbackType; url: string; bearer_token: string; updated_by_id: string },
) {
  const { bearer_token, ...row } = request;
  refuseUnlessUrlMayBeCalled(app, row.url);
  const now = app.clock.now();
  const id = newId(now);
  return inTransaction(app.db, async (tx) => {
    const encrypted_bearer_token = encryptToken(app, { ...row, service_id }, bearer_token);
    await insertCallback(tx, { ...row, id, service_id, encrypted_bearer_token, created_at: timestamp(now) });
    return getCallback(tx, { id, service_id });
  });
}

export async function updateCallback(
  app: Deps,
  which: CallbackId,
  request: { url?: string; bearer_token?: string; updated_by_id: string },
) {
  const { bearer_token, ...change } = request;
  if (change.url !== undefined) refuseUnlessUrlMayBeCalled(app, change.url);
  return inTransaction(app.db, async (tx) => {
    const { id, service_id, url } = await getCallback(tx, which);
    const callback_type = await selectCallbackType(tx, id);
    // Do not send the stored token to a new origin: whoever sets the URL may not know the token.
    const token = bearer_token ?? (change.url !== undefined && !isSameOrigin(change.url, url) ? noToken : undefined);
    await updateCallbackRow(tx, id, {
      ...change,
      ...(token === undefined
        ? {}
        : { encrypted_bearer_token: encryptToken(app, { service_id, callback_type }, token) }),
      updated_at: timestamp(app.clock.now()),
    });
    return getCallback(tx, which);
  });
}

/** Stored until a token is set for the new URL. Until then, requests have neither a token nor a signature derived from it. */
const noToken = '';

function isSameOrigin(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}

export async function deleteCallback({ db }: Deps, which: CallbackId): Promise<void> {
  const { id } = await getCallback(db, which);
  await deleteCallbackRow(db, id);
}

/** Why a callback URL is rejected. `inside`: plain http to this machine or its network. */
export type UrlProblem = 'not-https' | 'inside' | 'password';

/** Callbacks contain personal data, so they need https; plain http is for test setups inside the same network. */
export function findUrlProblem({ config }: { config: Deps['config'] }, url: string): UrlProblem | undefined {
  if (!URL.canParse(url)) return 'not-https';
  const { protocol, hostname, username, password } = new URL(url);
  const { allowPrivate, allowLoopback } = config.callbacks;
  const mayBePlain = (allowPrivate && isInsideName(hostname)) || (allowLoopback && isLoopbackName(hostname));
  if (protocol !== 'https:' && !(protocol === 'http:' && mayBePlain)) {
    return protocol === 'http:' && isInsideName(hostname) ? 'inside' : 'not-https';
  }
  // URLs are stored in plain text and shown, while tokens are encrypted.
  return username !== '' || password !== '' ? 'password' : undefined;
}

function refuseUnlessUrlMayBeCalled(app: Deps, url: string): void {
  const problem = findUrlProblem(app, url);
  if (problem === 'password') throw invalidField('url', 'Must not contain a user name or password.');
  if (problem) throw invalidField('url', 'Not a valid https url.');
}

const signingPurpose = 'callback-signing';
const signingPrefix = 'whsec_';

/** Returns the secret, which is shown only once. It replaces an earlier one immediately. */
export async function createSigningSecret(app: Platform, which: CallbackId, created_by_id: string): Promise<string> {
  const key = randomBytes(32);
  await inTransaction(app.db, async (tx) => {
    const { id, service_id } = await getCallback(tx, which);
    const owner = { service_id, callback_type: await selectCallbackType(tx, id) };
    const encrypted_secret = app.secrets.encrypt(signingPurpose, key, tokenContext(owner));
    const created_at = timestamp(app.clock.now());
    await upsertSigningSecret(tx, { callback_id: id, encrypted_secret, created_by_id, created_at });
  });
  return `${signingPrefix}${key.toString('base64')}`;
}

export async function removeSigningSecret({ db }: Platform, which: CallbackId): Promise<void> {
  const { id } = await getCallback(db, which);
  if (!(await deleteSigningSecret(db, id))) throw notFound();
}

/** Returns undefined if none of the configured keys can decrypt it. */
export function readSigningKey({ secrets }: Platform, owner: TokenOwner, encrypted: string): Buffer | undefined {
  return secrets.decrypt(signingPurpose, encrypted, tokenContext(owner));
}

export const signingSecrets: EncryptedValues = {
  name: 'secrets that sign callbacks',
  purpose: signingPurpose,
  select: selectSigningSecrets,
  replace: replaceSigningSecrets,
};
