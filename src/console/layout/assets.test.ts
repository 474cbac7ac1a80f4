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

  it('the style sheet knows start and end, not left and right', async () => {
    const { body } = await load('console.css', 'identity');
    const sides =
      /[{;]\s*(?:[\w-]+-(?:left|right)\b[\w-]*:|(?:left|right):|(?:text-align|float|clear):\s*(?:left|right)|border-radius:\s*[^\s;]+\s)[^;}]*/g;
    expect(body.match(sides)).toBeNull();
    const fourSides = body.match(/[{;]\s*(?:margin|padding|inset|border-width):[^;}]*/g) ?? [];
    expect(fourSides.length).toBeGreaterThan(50);
    expect(fourSides.filter(hasUnequalSides)).toEqual([]);
  });

  it('404 for other names', async () => {
    for (const name of ['nothing.css', '..%2Fassets.json', 'console.css.br', 'constructor']) {
      expect((await load(name, 'br')).statusCode).toBe(404);
    }
  });
});

/** A declaration with four lengths sets the right side with its second and the left side with its fourth. */
function hasUnequalSides(declaration: string): boolean {
  const value = declaration.slice(declaration.indexOf(':') + 1).trim();
  const [, right, , left] = value.match(/(?:[^\s(]|\([^()]*(?:\([^()]*\)[^()]*)*\))+/g) ?? [];
  return left !== undefined && left !== right;
}
