import { describe, expect, it } from 'vitest';
import { decryptFernet, encryptFernet, parseFernetKey } from './fernet.ts';

/** The key and the token of the format's own specification. */
const keyText = 'cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=';
const key = parseFernetKey(keyText) as Buffer;
const published =
  'gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7JcbmrR64jVmpU4IwqDA==';

describe('Fernet', () => {
  it('decrypts the published token', () => {
    expect(decryptFernet(key, published)).toEqual({ text: 'hello', createdAt: new Date('1985-10-26T08:20:00Z') });
  });

  it('decrypts its own tokens, whose length is a multiple of four', () => {
    const now = new Date('2026-11-15T12:00:00Z');
    for (const text of ['', 'a', 'ß'.repeat(15), 'x'.repeat(16), '{"user_id":"1"}']) {
      const token = encryptFernet(key, text, now);
      expect(token).toMatch(/^gAAAAA[\w-]+={0,2}$/);
      expect(token.length % 4).toBe(0);
      expect(decryptFernet(key, token)).toEqual({ text, createdAt: now });
    }
  });

  it('never makes the same token twice', () => {
    const now = new Date('2026-11-15T12:00:00Z');
    expect(encryptFernet(key, 'text', now)).not.toBe(encryptFernet(key, 'text', now));
  });

  it('rejects every altered character, a cut token, another key and another version', () => {
    for (let index = 0; index < published.length - 2; index += 1) {
      const other = published[index] === 'A' ? 'B' : 'A';
      expect(decryptFernet(key, published.slice(0, index) + other + published.slice(index + 1))).toBeUndefined();
    }
    expect(decryptFernet(key, published.slice(0, -8))).toBeUndefined();
    expect(decryptFernet(key, '')).toBeUndefined();
    expect(decryptFernet(key, 'gAAAAA==')).toBeUndefined();
    expect(decryptFernet(parseFernetKey(`${'A'.repeat(43)}=`) as Buffer, published)).toBeUndefined();
  });

  it('accepts keys of 32 bytes in URL-safe base64 only', () => {
    expect(parseFernetKey(keyText.slice(0, -1))).toEqual(key);
    for (const text of ['', 'a secret', keyText.slice(4), `${keyText}AAAA`, keyText.replace('_', '/')]) {
      expect(parseFernetKey(text)).toBeUndefined();
    }
  });
});
