import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createDataDir } from './platform/db/embedded-location.ts';
import * as setting from './platform/setting.ts';

/** Every setting of the product. The reference in docs/configuration.md and .env.example are made from this table. */
export const settings = {
  PORT: setting.integer('Port of the HTTP API; 0 takes any free one.', { fallback: 6011, min: 0, max: 65535 }),
  HOST: setting.text('Address the HTTP API listens on; 0.0.0.0 opens it to the network.', { fallback: '127.0.0.1' }),
  DATA_DIR: setting.text('Folder for everything kept on disk: the embedded database, files, generated secrets.', {
    fallback: './data',
  }),
  DATABASE_URL: setting.optionalText('PostgreSQL >= 15 to use. Unset: an embedded PostgreSQL in the data folder.', {
    secret: true,
  }),
  DATABASE_POOL_SIZE: setting.integer('Most database connections one process opens.', {
    fallback: 20,
    min: 2,
    max: 500,
  }),
  DATABASE_WAIT_S: setting.integer('Seconds to wait at start for a database that cannot be reached yet.', {
    fallback: 30,
    min: 0,
    max: 3600,
  }),
  WORKER_CONCURRENCY: setting.integer('Background jobs that one process runs at the same time.', {
    fallback: 10,
    min: 1,
    max: 200,
  }),
  ADMIN_CLIENT_ID: setting.text('Issuer (`iss`) of the administrative front end’s tokens.', {
    fallback: 'notify-admin',
  }),
  ADMIN_CLIENT_SECRETS: setting.list(
    'Secrets that may sign administrative tokens, separated by commas so that one can replace another without a gap.',
    { fallback: [], fallbackText: 'generated at the first start', secret: true },
  ),
  SECRET_KEY: setting.optionalText(
    'Key from which everything encrypted at rest and every link token is derived. Losing it loses those.',
    { fallbackText: 'generated at the first start', secret: true },
  ),
  BASE_URL: setting.url('Address under which clients reach this API; used in links.', {
    fallback: 'http://localhost:6011',
  }),
  ADMIN_BASE_URL: setting.url('Address of the administrative front end; used in links of account messages.', {
    fallback: 'http://localhost:6012',
  }),
  EMAIL_DOMAIN: setting.text('Domain of the addresses email is sent from.', { fallback: 'notifications.example' }),
  FROM_NUMBER: setting.text('Sender of text messages that a new service starts with; at most 11 characters.', {
    fallback: 'PENNYPOST',
  }),
  LOG_LEVEL: setting.oneOf('Least severe log line that is written.', ['debug', 'info', 'warn', 'error', 'silent'], {
    fallback: 'info',
  }),
  PRINT_PROVIDER: setting.text('Short lower-case name of the letter printer, as in its billing report’s path.', {
    fallback: 'dvla',
  }),
  DEMO: setting.flag('Create a demonstration service with a key and templates.', {
    fallback: undefined,
    fallbackText: 'true with the embedded database, else false',
  }),
};

export type Config = Omit<setting.Values<typeof settings>, 'SECRET_KEY' | 'DEMO'> & {
  SECRET_KEY: string;
  DEMO: boolean;
};

export class ConfigurationError extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n  - ${problems.join('\n  - ')}`,
    );
    this.problems = problems;
  }
}

/** Reads the environment; the first start of a data folder generates the secrets that are not configured. */
export function readConfig(
  environment: Record<string, string | undefined> = process.env,
  onGenerated: (secret: GeneratedSecret) => void = () => {},
): Config {
  const { values, problems } = setting.readSettings(settings, environment);
  if (problems.length > 0) throw new ConfigurationError(problems);
  const DATA_DIR = resolve(values.DATA_DIR);
  const port = environment.PORT && values.PORT !== 0 && !environment.BASE_URL;
  return {
    ...values,
    DATA_DIR,
    BASE_URL: port ? `http://localhost:${values.PORT}` : values.BASE_URL,
    DEMO: values.DEMO ?? values.DATABASE_URL === undefined,
    SECRET_KEY: values.SECRET_KEY ?? generatedSecret(DATA_DIR, 'secret-key', onGenerated),
    ADMIN_CLIENT_SECRETS:
      values.ADMIN_CLIENT_SECRETS.length > 0
        ? values.ADMIN_CLIENT_SECRETS
        : [generatedSecret(DATA_DIR, 'admin-client-secret', onGenerated)],
  };
}

export interface GeneratedSecret {
  name: string;
  file: string;
  value: string;
}

/** Where a generated secret is kept, so that the start-up banner can say it. */
export function secretFile(dataDir: string, name: string): string {
  return join(dataDir, 'secrets', name);
}

function generatedSecret(dataDir: string, name: string, onGenerated: (secret: GeneratedSecret) => void): string {
  const file = secretFile(dataDir, name);
  if (!existsSync(file)) {
    createDataDir(dataDir);
    mkdirSync(join(dataDir, 'secrets'), { recursive: true, mode: 0o700 });
    try {
      // `wx`: of two processes that start at once, the first one's secret stays.
      const value = randomBytes(32).toString('base64url');
      writeFileSync(file, `${value}\n`, { mode: 0o600, flag: 'wx' });
      onGenerated({ name, file, value });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return readFileSync(file, 'utf8').trim();
}
