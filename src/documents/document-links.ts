import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { uuidOfHex } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';

/** How a file sent by email is named, locked and linked to. */

interface DocumentId {
  id: string;
  service_id: string;
}

export function documentPath({ id, service_id }: DocumentId): string {
  return `documents/${service_id}/${id}`;
}

/** Bound to the document, so that equal addresses do not show. */
export function digestOfRecipient(app: Pick<Platform, 'secrets'>, documentId: string, address: string): string {
  return app.secrets.digest('document-recipient', `${documentId} ${address}`);
}

export function encrypt(key: Buffer, content: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined when the key is not the right one. */
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

/** The page behind the link in the email; `key` is in base64url. */
export function documentUrl(baseUrl: string, { id, service_id }: DocumentId, key: string): string {
  return `${baseUrl}/d/${shortId(service_id)}/${shortId(id)}?key=${encodeURIComponent(key)}`;
}

/** Ids in links are the 16 bytes of the UUID in base64url: 22 characters instead of 36. */
function shortId(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
}

export function longId(short: string): string | undefined {
  const hex = Buffer.from(short, 'base64url').toString('hex');
  return hex.length === 32 ? uuidOfHex(hex) : undefined;
}

export function digestOfKey(key: Buffer): string {
  return createHash('sha256').update(key).digest('base64url');
}
