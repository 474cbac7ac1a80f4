import { type Timestamp, timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { invalid, notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { lockUser } from '../users.ts';
import {
  deleteCredentialRow,
  insertCredential,
  selectCredentials,
  updateCredential,
} from './webauthn-credentials.sql.ts';

export function listCredentials(app: Platform, userId: string) {
  return selectCredentials(app.db, userId);
}

export function createCredential(
  app: Platform,
  userId: string,
  request: { name: string; credential_data: string; registration_response: string },
) {
  const { name, credential_data, registration_response } = request;
  const now = app.clock.now();
  return insertCredential(app.db, {
    id: newId(now),
    user_id: userId,
    name,
    credential_data,
    registration_response,
    created_at: timestamp(now),
  });
}

export async function renameCredential(app: Platform, userId: string, credentialId: string, name: string) {
  const updated_at = timestamp(app.clock.now());
  const credential = await updateCredential(app.db, userId, credentialId, { name, updated_at });
  if (!credential) throw notFound();
  return credential;
}

export async function recordCredentialUse(tx: Tx, userId: string, credentialId: string, now: Timestamp): Promise<void> {
  if (!(await updateCredential(tx, userId, credentialId, { logged_in_at: now }))) throw notFound();
}

export async function deleteCredential(app: Platform, userId: string, credentialId: string): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    // Prevents two concurrent requests from deleting the last two keys.
    await lockUser(tx, userId);
    const credentials = await selectCredentials(tx, userId);
    const credential = credentials.find(({ id }) => id === credentialId.toLowerCase());
    if (!credential) throw notFound();
    if (credentials.length === 1) throw invalid('Cannot delete last remaining webauthn credential for user');
    await deleteCredentialRow(tx, credential.id);
  });
}
