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

  it('stay below their limits', async () => {
    const size = async (name: string) => (await load(name, 'br')).rawPayload.length;
    const scripts = ['console.js', 'copy.js', 'live.js', 'menus.js', 'passwords.js', 'quick-start.js'];
    const sizes = await Promise.all(scripts.map(size));
    expect(await size('console.css')).toBeLessThan(12_000);
    expect(sizes.reduce((sum, one) => sum + one, 0)).toBeLessThan(12_000);
    expect(await size('newsreader.woff2')).toBeLessThan(80_000);
  });

  it('404 for other names', async () => {
    for (const name of ['nothing.css', '..%2Fassets.json', 'console.css.br', 'constructor']) {
      expect((await load(name, 'br')).statusCode).toBe(404);
    }
  });
});
