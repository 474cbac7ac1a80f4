import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Fernet tokens (github.com/fernet/spec), which programs with a shared key can read: docs/decisions/0056-front-end-of-notify.md. */

const version = 0x80;
const headerLength = 9;
const ivLength = 16;
const macLength = 32;

/** Parses 32 bytes in URL-safe base64, the key format of every Fernet library; returns undefined for any other text. */
export function parseFernetKey(text: string): Buffer | undefined {
  return /^[\w-]{43}=?$/.test(text) ? Buffer.from(text, 'base64url') : undefined;
}

export function encryptFernet(key: Buffer, text: string, now: Date): string {
  const header = Buffer.alloc(headerLength);
  header.writeUInt8(version);
  header.writeBigUInt64BE(BigInt(Math.floor(now.getTime() / 1_000)), 1);
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv('aes-128-cbc', key.subarray(16), iv);
  const signed = Buffer.concat([header, iv, cipher.update(text, 'utf8'), cipher.final()]);
  const token = Buffer.concat([signed, mac(key, signed)]).toString('base64url');
  // Other readers of the format expect the padding that `base64url` omits.
  return token.padEnd(Math.ceil(token.length / 4) * 4, '=');
}

/** Returns undefined if the token was altered or made with another key. The caller decides how old a token may be. */
export function decryptFernet(key: Buffer, token: string): { text: string; createdAt: Date } | undefined {
  const bytes = Buffer.from(token, 'base64url');
  // A different spelling of the same bytes, with stray bits or characters, is another token.
  if (bytes.toString('base64url') !== token.replace(/={1,2}$/, '')) return undefined;
  if (bytes.length < headerLength + ivLength + macLength || bytes[0] !== version) return undefined;
  const signed = bytes.subarray(0, -macLength);
  if (!timingSafeEqual(mac(key, signed), bytes.subarray(-macLength))) return undefined;
  const decipher = createDecipheriv(
    'aes-128-cbc',
    key.subarray(16),
    signed.subarray(headerLength, headerLength + ivLength),
  );
  const text = Buffer.concat([decipher.update(signed.subarray(headerLength + ivLength)), decipher.final()]).toString();
  return { text, createdAt: new Date(Number(bytes.readBigUInt64BE(1)) * 1_000) };
}

function mac(key: Buffer, signed: Buffer): Buffer {
  return createHmac('sha256', key.subarray(0, 16)).update(signed).digest();
}
