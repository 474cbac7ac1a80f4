import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { uuidOfHex } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { hmac } from '../platform/secrets/secrets.ts';

/** How a file sent by email is named, locked and linked to. */

interface DocumentId {
  id: string;
  service_id: string;
}

export function documentPath({ id, service_id }: DocumentId): string {
  return `documents/${service_id}/${id}`;
}

export const recipientPurpose = 'document-recipient';
const digestBytes = 32;
/** A digest alone, as in the first form of secrets; in the second it is encrypted together with its key. */
const bareDigest = /^[\w-]{43}$/;

/**
 * What an address is compared with later: a digest, bound to the document so that equal addresses do not show. Its key is
 * random and encrypted beside it, because a digest under SECRET_KEYS could not move on to another key.
 */
export function sealRecipient({ secrets }: Pick<Platform, 'secrets'>, documentId: string, address: string): string {
  const text = recipientText(documentId, address);
  if (secrets.form === 1) return secrets.digest(recipientPurpose, text);
  const key = randomBytes(digestBytes);
  return secrets.encrypt(recipientPurpose, Buffer.concat([hmac(key, text), key]), documentId);
}

export function isRecipient(
  { secrets }: Pick<Platform, 'secrets'>,
  documentId: string,
  address: string,
  sealed: string,
): boolean {
  const text = recipientText(documentId, address);
  if (bareDigest.test(sealed)) return secrets.isDigest(recipientPurpose, text, sealed);
  const opened = secrets.decrypt(recipientPurpose, sealed, documentId);
  if (!opened) return false;
  const [digest = Buffer.alloc(0), ...keys] = inPieces(opened);
  return keys.some((key) => timingSafeEqual(hmac(key, text), digest));
}

/** Content of the second form for what is there in any form: a bare digest keeps the keys that it may be made with. */
export function openRecipient({ secrets }: Pick<Platform, 'secrets'>, documentId: string, sealed: string) {
  if (!bareDigest.test(sealed)) return secrets.decrypt(recipientPurpose, sealed, documentId);
  return Buffer.concat([Buffer.from(sealed, 'base64url'), ...secrets.keysFor(recipientPurpose)]);
}

function recipientText(documentId: string, address: string): string {
  return `${documentId} ${address}`;
}

function inPieces(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / digestBytes }, (_, index) =>
    bytes.subarray(index * digestBytes, (index + 1) * digestBytes),
  );
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
