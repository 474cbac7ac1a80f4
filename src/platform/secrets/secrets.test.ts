import { describe, expect, it } from 'vitest';
import { SecretBox } from './secrets.ts';

const [first, second, third] = ['first', 'second', 'third'].map((name) => name.padEnd(32, '.')) as [
  string,
  string,
  string,
];

describe('SecretBox', () => {
  it('decrypts only with the same purpose and row', () => {
    const box = new SecretBox([first]);
    const closed = box.encrypt('a purpose', 'secret', 'row 1');
    expect(box.decrypt('a purpose', closed, 'row 1')?.toString()).toBe('secret');
    expect(box.decrypt('another', closed, 'row 1')).toBeUndefined();
    expect(box.decrypt('a purpose', closed, 'row 2')).toBeUndefined();
    expect(box.decrypt('a purpose', closed)).toBeUndefined();
  });

  it('decrypts with any of its keys and encrypts with the first', () => {
    const old = new SecretBox([first]).encrypt('p', 'secret', 'row');
    const both = new SecretBox([second, first]);
    expect(both.decrypt('p', old, 'row')?.toString()).toBe('secret');
    expect(both.isCurrent(old)).toBe(false);
    const fresh = both.encrypt('p', 'secret', 'row');
    expect(both.isCurrent(fresh)).toBe(true);
    expect(new SecretBox([second]).decrypt('p', fresh, 'row')?.toString()).toBe('secret');
    expect(new SecretBox([second, third]).decrypt('p', old, 'row')).toBeUndefined();
  });

  it('decrypts a ciphertext that was stored earlier', () => {
    const closed = 'Au8hrxOlBKaZnhEMWYLAjwGmOzv0l7h2bj_8grQd5Gpzomxf1S7S-a88iqrS';
    const box = new SecretBox(['the key of a released version, kept']);
    expect(box.decrypt('api-key', closed, 'row 1')?.toString()).toBe('from before');
  });

  it('rejects a ciphertext with any byte altered', () => {
    const box = new SecretBox([first]);
    const closed = Buffer.from(box.encrypt('p', 'secret', 'row'), 'base64url');
    for (let at = 0; at < closed.length; at += 1) {
      const altered = Buffer.from(closed);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(box.decrypt('p', altered.toString('base64url'), 'row')).toBeUndefined();
    }
    for (const text of ['', 'A', 'not ours at all', closed.subarray(0, 20).toString('base64url')]) {
      expect(box.decrypt('p', text, 'row')).toBeUndefined();
    }
  });

  it('recognises a digest made with any of its keys', () => {
    const old = new SecretBox([first]).digest('p', '12345');
    expect(new SecretBox([second, first]).isDigest('p', '12345', old)).toBe(true);
    expect(new SecretBox([second, first]).isDigest('p', '12346', old)).toBe(false);
    expect(new SecretBox([second]).isDigest('p', '12345', old)).toBe(false);
  });
});
