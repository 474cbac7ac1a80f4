import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDataDir } from '../../libraries/embedded-postgres/location.ts';

export interface GeneratedSecret {
  name: string;
  file: string;
  value: string;
}

/** The path is also shown in the start-up banner. */
export function secretFile(dataDir: string, name: string): string {
  return join(dataDir, 'secrets', name);
}

/** Returns a secret that is generated on first use and then stays the same. */
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

const minLength = 32;

interface Secrets {
  /** SECRET_KEY */
  key: string | undefined;
  /** SECRET_KEYS */
  keys: string[];
  adminClientSecrets: string[];
  functionalTestsSecrets: string[];
}

/** A secret that can be brute-forced offline protects nothing. A short old key is only accepted by the command that replaces it. */
export function problemsOfSecrets(secrets: Partial<Secrets>, shortKeysMayRead: boolean): string[] {
  const { key, keys = [], adminClientSecrets = [], functionalTestsSecrets = [] } = secrets;
  const name = keys.length > 0 ? 'SECRET_KEYS' : 'SECRET_KEY';
  const given = keys.length > 0 ? keys : [key ?? []].flat();
  const inUse =
    'If the database uses a short key: SECRET_KEYS=<new>,<short> pennypost rekey, then keep only the new one.';
  return [
    ...(key !== undefined && keys.length > 0 ? ['SECRET_KEY and SECRET_KEYS are both set: keep one'] : []),
    ...tooShort(name, shortKeysMayRead ? given.slice(0, 1) : given).map((problem) => `${problem} ${inUse}`),
    ...tooShort('ADMIN_CLIENT_SECRETS', adminClientSecrets),
    ...tooShort('FUNCTIONAL_TESTS_SECRETS', functionalTestsSecrets),
  ];
}

/** Returns an error message if a setting has a short secret, or an empty list. */
function tooShort(name: string, secrets: string[]): string[] {
  // Whitespace around a secret is a quoting mistake, not part of it.
  const short = secrets.map((secret) => secret.trim().length).find((length) => length < minLength);
  if (short === undefined) return [];
  const found = `must have at least ${minLength} characters${secrets.length > 1 ? ' each' : ''}, not ${short}`;
  return [`${name} ${found}: create one with \`openssl rand -hex 32\`.`];
}
