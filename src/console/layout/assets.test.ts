import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { useHarness } from '../../../test/kit/harness.ts';
import { assetPath } from './assets.ts';

const harness = useHarness();

const load = (name: string, encoding: string) =>
  harness.http.inject({ url: assetPath(name), headers: { 'accept-encoding': encoding } });

describe('GET /console/assets', () => {
  it('200, compressed and cached forever', async () => {
    const plain = await load('console.css', 'identity');
    expect(plain.headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    const brotli = await load('console.css', 'gzip, deflate, br');
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(plain.body);
    expect((await load('console.css', 'gzip')).headers['content-encoding']).toBe('gzip');
  });

  it('404 for other names', async () => {
    for (const name of ['nothing.css', '..%2Fassets.json', 'console.css.br', 'constructor']) {
      expect((await load(name, 'br')).statusCode).toBe(404);
    }
  });
});
