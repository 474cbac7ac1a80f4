import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { shortId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { hmac } from '../platform/secrets/secrets.ts';

/** Names, encryption and links of files sent by email. */

interface DocumentId {
  id: string;
  service_id: string;
}

export function documentPath({ id, service_id }: DocumentId): string {
  return `documents/${service_id}/${id}`;
}

export const recipientPurpose = 'document-recipient';
const digestBytes = 32;

/**
 * Returns the digest that a confirmed address is compared with. It includes the document id, so that equal addresses have different
 * digests. Its key is random and encrypted together with it, because a digest keyed with SECRET_KEYS could not be rotated.
 */
export function sealRecipient({ secrets }: Platform, documentId: string, address: string): string {
  const text = recipientText(documentId, address);
  const key = randomBytes(digestBytes);
  return secrets.encrypt(recipientPurpose, Buffer.concat([hmac(key, text), key]), documentId);
}

export function isRecipient({ secrets }: Platform, documentId: string, address: string, sealed: string): boolean {
  const text = recipientText(documentId, address);
  const opened = secrets.decrypt(recipientPurpose, sealed, documentId);
  if (!opened) return false;
  const [digest, key] = [opened.subarray(0, digestBytes), opened.subarray(digestBytes)];
  return timingSafeEqual(hmac(key, text), digest);
}

function recipientText(documentId: string, address: string): string {
  return `${documentId} ${address}`;
}

export function encrypt(key: Buffer, content: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** Returns undefined if the key is wrong. */
export function decrypt(key: Buffer, encrypted: Buffer): Buffer | undefined {
  if (key.length !== 32 || encrypted.length < 28) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, 12));
  decipher.setAuthTag(encrypted.subarray(-16));
  try {
    return Buffer.concat([decipher.update(encrypted.subarray(12, -16)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Returns the URL of the page that the email links to. `key` is base64url. */
export function documentUrl(baseUrl: string, { id, service_id }: DocumentId, key: string): string {
  return `${baseUrl}/d/${shortId(service_id)}/${shortId(id)}?key=${encodeURIComponent(key)}`;
}

export function digestOfKey(key: Buffer): string {
  return createHash('sha256').update(key).digest('base64url');
}
