import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Beside the compiled files; from the source, in the folder of the last build.
const here = fileURLToPath(new URL('.', import.meta.url));
const folder = here.endsWith('/src/console/') ? here.replace(/src\/console\/$/, 'dist/console/') : here;

/** The path of a file that `scripts/console-assets.mjs` writes. */
export function builtFile(...names: string[]): string {
  return join(folder, ...names);
}
