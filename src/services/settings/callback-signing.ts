import { randomBytes } from 'node:crypto';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { EncryptedValues } from '../../platform/secrets/encrypted-values.ts';
import { type CallbackId, selectCallbackType } from './callback-api.sql.ts';
import { getCallback, type TokenOwner, tokenContext } from './callback-api.ts';
import {
  deleteSigningSecret,
  replaceSigningSecrets,
  selectSigningSecrets,
  upsertSigningSecret,
} from './callback-signing.sql.ts';

const purpose = 'callback-signing';
const prefix = 'whsec_';

/** Returns the secret, which is shown only once. It replaces an earlier one immediately. */
export async function createSigningSecret(app: Platform, which: CallbackId, created_by_id: string): Promise<string> {
  const key = randomBytes(32);
  await inTransaction(app.db, async (tx) => {
    const { id, service_id } = await getCallback(tx, which);
    const owner = { service_id, callback_type: await selectCallbackType(tx, id) };
    const encrypted_secret = app.secrets.encrypt(purpose, key, tokenContext(owner));
    const created_at = timestamp(app.clock.now());
    await upsertSigningSecret(tx, { callback_id: id, encrypted_secret, created_by_id, created_at });
  });
  return `${prefix}${key.toString('base64')}`;
}

export async function removeSigningSecret({ db }: Platform, which: CallbackId): Promise<void> {
  const { id } = await getCallback(db, which);
  if (!(await deleteSigningSecret(db, id))) throw notFound();
}

/** Returns undefined when it was encrypted with a key that is not configured. */
export function readSigningKey({ secrets }: Platform, owner: TokenOwner, encrypted: string): Buffer | undefined {
  return secrets.decrypt(purpose, encrypted, tokenContext(owner));
}

export const signingSecrets: EncryptedValues = {
  name: 'secrets that sign callbacks',
  purpose,
  select: selectSigningSecrets,
  replace: replaceSigningSecrets,
};
