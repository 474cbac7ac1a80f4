import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Authenticated encryption with keys derived from SECRET_KEY, one per purpose, so that a ciphertext made for one purpose
 * can never be presented for another. Layout: version byte, 12-byte nonce, ciphertext, 16-byte tag; base64url.
 */
export class SecretBox {
  private readonly master: string;
  private readonly keys = new Map<string, Buffer>();

  constructor(secretKey: string) {
    this.master = secretKey;
  }

  encrypt(purpose: string, plain: string | Buffer): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.keyFor(purpose), nonce);
    const body = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([version, nonce, body, cipher.getAuthTag()]).toString('base64url');
  }

  /** Undefined when the text is not ours, was altered, or was made for another purpose or key. */
  decrypt(purpose: string, text: string): Buffer | undefined {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length < 29 || bytes[0] !== version[0]) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', this.keyFor(purpose), bytes.subarray(1, 13));
    decipher.setAuthTag(bytes.subarray(-16));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(13, -16)), decipher.final()]);
    } catch {
      return undefined;
    }
  }

  /** A keyed digest: whoever reads it without the key cannot even try out the few texts it may stand for. */
  digest(purpose: string, text: string): string {
    return createHmac('sha256', this.keyFor(purpose)).update(text).digest('base64url');
  }

  private keyFor(purpose: string): Buffer {
    const known = this.keys.get(purpose);
    if (known) return known;
    const key = Buffer.from(hkdfSync('sha256', this.master, 'pennypost', purpose, 32));
    this.keys.set(purpose, key);
    return key;
  }
}

const version = Buffer.from([1]);

/** Takes the same time whatever the texts hold; only their lengths show. */
export function sameSecret(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
