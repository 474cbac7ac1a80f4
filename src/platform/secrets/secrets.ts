import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** The first byte of a ciphertext. */
const formatVersion = 2;
const nonceBytes = 12;
const tagBytes = 16;
/** The header takes six bytes, exactly eight characters in base64url, so the key of a row can be read from a prefix. */
const keyIdBytes = 5;
const headerBytes = 1 + keyIdBytes;

/**
 * Authenticated encryption (AES-256-GCM) with keys derived from SECRET_KEYS, one per purpose, so that a ciphertext made
 * for one purpose can never be used for another. The first key encrypts, every key decrypts. Layout in base64url: version of
 * the format, key id, 12-byte nonce, ciphertext, 16-byte tag. The header and `boundTo` (the row it belongs to) are
 * authenticated too: moved to another row it does not decrypt.
 */
export class SecretBox {
  private readonly keys: Key[];

  constructor(secretKeys: readonly string[]) {
    this.keys = secretKeys.map((secretKey) => new Key(secretKey));
  }

  encrypt(purpose: string, plain: string | Buffer, boundTo = ''): string {
    const key = this.firstKey();
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', key.for(purpose), nonce);
    cipher.setAAD(associatedData(key.header, boundTo));
    const body = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([key.header, nonce, body, cipher.getAuthTag()]).toString('base64url');
  }

  /** Returns undefined if the text is not ours, was altered, or was made for another purpose, row or key. */
  decrypt(purpose: string, text: string, boundTo = ''): Buffer | undefined {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length < headerBytes + nonceBytes + tagBytes) return undefined;
    const header = bytes.subarray(0, headerBytes);
    for (const key of this.keys.filter((known) => known.header.equals(header))) {
      const plain = open(key.for(purpose), bytes.subarray(headerBytes), associatedData(header, boundTo));
      if (plain) return plain;
    }
    return undefined;
  }

  /** Whether it is encrypted with the first key. */
  isCurrent(text: string): boolean {
    return text.startsWith(this.firstKey().header.toString('base64url'));
  }

  /** Returns a keyed digest: without the key, an input with few possible values cannot be brute-forced. */
  digest(purpose: string, text: string): string {
    return hmac(this.firstKey().for(purpose), text).toString('base64url');
  }

  /** Whether it is the digest of this text under any of the keys. */
  isDigest(purpose: string, text: string, digest: string): boolean {
    return this.keys.some((key) => sameSecret(hmac(key.for(purpose), text).toString('base64url'), digest));
  }

  /** Returns a keyed digest of 80 bits that survives a change of case, for the local part of an email address. */
  tag(purpose: string, text: string): string {
    return tagOf(this.firstKey().for(purpose), text);
  }

  /** Returns the tags of some texts under each of the keys. */
  tagsByKey(purpose: string, texts: readonly string[]): string[][] {
    return this.keys.map((key) => texts.map((text) => tagOf(key.for(purpose), text)));
  }

  /** Whether it is the tag of this text under any of the keys. */
  isTag(purpose: string, text: string, tag: string): boolean {
    return this.keys.some((key) => sameSecret(tagOf(key.for(purpose), text), tag));
  }

  private firstKey(): Key {
    const [key] = this.keys;
    if (!key) throw new Error('There is no secret key');
    return key;
  }
}

class Key {
  readonly header: Buffer;
  private readonly secretKey: string;
  private readonly derived = new Map<string, Buffer>();

  constructor(secretKey: string) {
    this.secretKey = secretKey;
    this.header = Buffer.concat([Buffer.from([formatVersion]), this.for('key-id').subarray(0, keyIdBytes)]);
  }

  for(purpose: string): Buffer {
    const cached = this.derived.get(purpose);
    if (cached) return cached;
    const key = Buffer.from(hkdfSync('sha256', this.secretKey, 'pennypost', purpose, 32));
    this.derived.set(purpose, key);
    return key;
  }
}

function associatedData(header: Buffer, boundTo: string): Buffer {
  return Buffer.concat([header, Buffer.from(boundTo)]);
}

function open(key: Buffer, sealed: Buffer, associated: Buffer): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  decipher.setAAD(associated);
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Digits and a to z. */
export const tagLength = 16;

function tagOf(key: Buffer, text: string): string {
  const hex = hmac(key, text).toString('hex', 0, 10);
  return BigInt(`0x${hex}`).toString(36).padStart(tagLength, '0');
}

export function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Constant-time comparison; reveals only the lengths. */
export function sameSecret(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
