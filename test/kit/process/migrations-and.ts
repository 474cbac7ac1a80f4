import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';

/** A copy of the migrations with one more file. Deleted after the run. */
export function migrationsAnd(name: string, text: string): URL {
  const folder = mkdtempSync(join(inject('folder'), 'migrations-'));
  cpSync('migrations', folder, { recursive: true });
  writeFileSync(join(folder, name), text);
  return pathToFileURL(`${folder}/`);
}
