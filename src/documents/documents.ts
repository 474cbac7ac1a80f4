import { earlier, hour_ms, minute_ms, timestamp } from '../platform/clock.ts';
import { nilId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { EncryptedValues } from '../platform/secrets/encrypted-values.ts';
import { sameSecret } from '../platform/secrets/secrets.ts';
import { parseEmailAddress } from '../recipients/email-address.ts';
import { decrypt, digestOfKey, documentPath, isRecipient, recipientPurpose } from './document-links.ts';
import {
  countDocumentAttempt,
  deleteDocument,
  deleteDocumentAttempts,
  deleteExpiredDocuments,
  replaceSealedRecipients,
  selectDocument,
  selectDocumentsAfter,
  selectSealedRecipients,
} from './documents.sql.ts';

export type StoredDocument = NonNullable<Awaited<ReturnType<typeof selectDocument>>>;

/** The content is decrypted to check the key. With a wrong key, the response reveals nothing about the document. */
export type Lookup =
  | { found: 'document'; document: StoredDocument; content: Buffer }
  | { found: 'nothing' }
  | { found: 'expired'; document: StoredDocument }
  | { found: 'locked' };

export async function findDocument(app: Platform, serviceId: string, documentId: string, key: string): Promise<Lookup> {
  const document = await selectDocument(app.db, serviceId, documentId);
  if (!document) return { found: 'nothing' };
  const secret = Buffer.from(key, 'base64url');
  if (document.key_digest !== null && !sameSecret(digestOfKey(secret), document.key_digest)) return { found: 'locked' };
  const stored = await app.files.get(document.shared_path ?? documentPath(document));
  if (!stored) return { found: 'nothing' };
  const content = document.key_digest === null ? decrypt(secret, stored) : stored;
  if (!content) return { found: 'locked' };
  const isOver = document.available_until <= timestamp(app.clock.now());
  return isOver ? { found: 'expired', document } : { found: 'document', document, content };
}

const purpose = 'document-access';
const confirmedFor_ms = hour_ms;
const maxAttempts = 50;
const attemptWindow_ms = 5 * minute_ms;

type Confirmation = { confirmed: string } | 'wrong' | 'too-many';

/** Grants access for an hour to a caller who knows the address that the email was sent to. */
export async function confirmRecipient(
  app: Platform,
  document: Pick<StoredDocument, 'id' | 'recipient_digest'>,
  emailAddress: string,
): Promise<Confirmation> {
  const now = app.clock.now();
  const since = timestamp(earlier(now, attemptWindow_ms));
  if ((await countDocumentAttempt(app.db, document.id, timestamp(now), since)) > maxAttempts) return 'too-many';
  const parsed = parseEmailAddress(emailAddress);
  if (!parsed.ok || !isRecipient(app, document.id, parsed.address, document.recipient_digest ?? '')) return 'wrong';
  return { confirmed: app.secrets.encrypt(purpose, `${document.id} ${now.getTime() + confirmedFor_ms}`) };
}

export function isConfirmed(
  app: Platform,
  document: Pick<StoredDocument, 'id' | 'recipient_digest'>,
  signed: string | undefined,
): boolean {
  if (document.recipient_digest === null) return true;
  const text = signed === undefined ? undefined : app.secrets.decrypt(purpose, signed)?.toString();
  const [id, until] = text?.split(' ') ?? [];
  return id === document.id && Number(until) > app.clock.now().getTime();
}

export const documentRecipients: EncryptedValues = {
  name: 'recipients of files',
  purpose: recipientPurpose,
  select: selectSealedRecipients,
  replace: replaceSealedRecipients,
};

/** Deletes expired documents with their files, and attempts outside the window. */
export async function deleteOldDocuments(app: Platform): Promise<void> {
  const now = app.clock.now();
  for (;;) {
    const gone = await deleteExpiredDocuments(app.db, timestamp(now), 100);
    for (const document of gone) await app.files.remove(documentPath(document));
    if (gone.length === 0) break;
  }
  await deleteDocumentAttempts(app.db, timestamp(earlier(now, attemptWindow_ms)));
}

const batchSize = 1_000;

/**
 * Finds files that were sent to an address. Only files that require confirmation store the address, as a separate digest for each, so every
 * one is compared.
 */
export async function findDocumentsOf(app: Platform, emailAddress: string, serviceId: string | undefined) {
  const found = [];
  for (let after = nilId; ; ) {
    const batch = await selectDocumentsAfter(app.db, after, batchSize);
    for (const { recipient_digest, ...document } of batch) {
      if (serviceId !== undefined && document.service_id !== serviceId) continue;
      if (isRecipient(app, document.id, emailAddress, recipient_digest ?? '')) found.push(document);
    }
    const last = batch.at(-1);
    if (!last) return found;
    after = last.id;
  }
}

/** Files of a template are kept for its other recipients. */
export async function eraseDocuments(
  app: Platform,
  emailAddress: string,
  serviceId: string | undefined,
): Promise<number> {
  const documents = await findDocumentsOf(app, emailAddress, serviceId);
  for (const document of documents) {
    await deleteDocument(app.db, document.id);
    if (document.shared_path === null) await app.files.remove(documentPath(document));
  }
  return documents.length;
}
