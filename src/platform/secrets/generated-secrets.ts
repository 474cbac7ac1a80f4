import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDataDir } from '../../libraries/embedded-postgres/location.ts';

export interface GeneratedSecret {
  name: string;
  file: string;
  value: string;
}

/** File of a generated secret; also shown in the start-up banner. */
export function secretFile(dataDir: string, name: string): string {
  return join(dataDir, 'secrets', name);
}

/** Generated on first use, and fixed from then on. */
export function generatedSecret(dataDir: string, name: string, onGenerated: (secret: GeneratedSecret) => void): string {
  const file = secretFile(dataDir, name);
  if (!existsSync(file)) {
    createDataDir(dataDir);
    mkdirSync(join(dataDir, 'secrets'), { recursive: true, mode: 0o700 });
    try {
      // `wx`: if two processes start at once, the first one's secret wins.
      const value = randomBytes(32).toString('base64url');
      writeFileSync(file, `${value}\n`, { mode: 0o600, flag: 'wx' });
      onGenerated({ name, file, value });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return readFileSync(file, 'utf8').trim();
}
