import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { notFound } from '../../platform/failure.ts';
import type { Http } from '../../platform/http/surface.ts';

// In compiled code, the files are in the same folder. From source, they are in the folder of the last build.
const here = fileURLToPath(new URL('..', import.meta.url));
const folder = here.endsWith('/src/console/') ? here.replace(/src\/console\/$/, 'dist/console/') : here;

/** Returns the path of a file that `scripts/console-assets.mjs` writes. */
export function builtFile(...names: string[]): string {
  return join(folder, ...names);
}

interface Built {
  hash: string;
  names: string[];
}

let built: Built | undefined;

function readBuilt(): Built {
  built ??= JSON.parse(readFileSync(builtFile('assets.json'), 'utf8')) as Built;
  return built;
}

/** The path contains the hash of all files, so browsers can cache it permanently. */
export function assetPath(name: string): string {
  return `/console/assets/${readBuilt().hash}/${name}`;
}

const types = new Map([
  ['css', 'text/css; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['svg', 'image/svg+xml'],
  ['txt', 'text/plain; charset=utf-8'],
  ['woff2', 'font/woff2'],
]);

export function assetRoutes(http: Http): void {
  http.get('/console/assets/:hash/:name', async (request, reply) => {
    const { hash, name } = request.params as { hash: string; name: string };
    const current = readBuilt();
    const type = types.get(name.split('.').at(-1) ?? '');
    if (hash !== current.hash || !current.names.includes(name) || !type) throw notFound();
    const encoding = name.endsWith('.woff2')
      ? undefined
      : bestEncoding(String(request.headers['accept-encoding'] ?? ''));
    if (encoding) reply.header('content-encoding', encoding);
    return reply
      .type(type)
      .header('vary', 'accept-encoding')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .serializer((content: Buffer) => content as unknown as string)
      .send(await readFile(builtFile('assets', name + (encoding ? endings[encoding] : ''))));
  });
}

const endings = { br: '.br', gzip: '.gz' };

function bestEncoding(accepted: string): 'br' | 'gzip' | undefined {
  if (/\bbr\b(?!;q=0)/.test(accepted)) return 'br';
  return /\bgzip\b(?!;q=0)/.test(accepted) ? 'gzip' : undefined;
}
