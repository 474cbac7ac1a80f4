import type pg from 'pg';
import { decryptKeySecret } from '../../auth/api-keys.ts';
import type { Config } from '../../config.ts';
import { DatabaseClient } from '../../platform/db/database-client.ts';
import { urlsOfHosts } from '../../platform/db/database-hosts.ts';
import { migrationFiles } from '../../platform/db/migrate.ts';
import { SecretBox } from '../../platform/secrets/secrets.ts';
import { readServerFacts, selectSomeKeys } from './doctor.sql.ts';
import { type Checked, type Finding, finding } from './finding.ts';
import { checkStandbys } from './standbys.ts';

const maxClockDifference_ms = 5_000;

/** `url`: may bypass a pooler. */
export function mainDatabase(config: Config, url: string): Checked {
  return { url, hosts: urlsOfHosts(config.database.url ?? '').length, setting: 'DATABASE_URL', of: '' };
}

export async function checkDatabase(config: Config, checked: Checked): Promise<Finding[]> {
  const client = new DatabaseClient({ connectionString: checked.url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    return await checkServer(config, client, checked);
  } catch (error) {
    return [unreachable(error, checked)];
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function checkPool(config: Config, pool: pg.Pool, checked: Checked): Promise<Finding[]> {
  try {
    const client = await pool.connect();
    try {
      return await checkServer(config, client, checked);
    } finally {
      client.release();
    }
  } catch (error) {
    return [unreachable(error, checked)];
  }
}

function unreachable(error: unknown, { setting, of }: Checked): Finding {
  const reason = error instanceof Error ? error.message : String(error);
  return finding(`${of}database`, false, `cannot be reached: ${reason}`, `check ${setting} and that PostgreSQL runs`);
}

async function checkServer(config: Config, client: pg.ClientBase, checked: Checked): Promise<Finding[]> {
  const before = Date.now();
  const facts = await readServerFacts(client);
  const difference = Math.abs(facts.now_ms - (before + Date.now()) / 2);
  const missing = migrationFiles().filter((name) => !facts.migrations.includes(name));
  const found = [
    finding('database', facts.version >= 150_000, `PostgreSQL ${facts.version_text}`, 'use PostgreSQL 15 or newer'),
    finding(
      'schema',
      missing.length === 0,
      missing.length === 0 ? 'up to date' : `${missing.length} migrations are missing`,
      'run `pennypost migrate`, or start the server, which does it too',
    ),
    finding(
      'clock',
      difference <= maxClockDifference_ms,
      `${Math.round(difference)} ms from the database’s clock`,
      'let both machines keep time with NTP: tokens are accurate to 30 s',
    ),
    await checkStandbys(client, checked),
    checkSecretKeys(config, facts.migrations.length > 0 ? await selectSomeKeys(client) : []),
  ];
  return found.map((one) => ({ ...one, name: `${checked.of}${one.name}` }));
}

function checkSecretKeys(config: Config, keys: Awaited<ReturnType<typeof selectSomeKeys>>): Finding {
  const secrets = new SecretBox(config.encryption.keys);
  const ok = keys.every((key) => decryptKeySecret({ secrets }, key, key.encrypted_secret) !== undefined);
  const isCurrent = keys.every(({ encrypted_secret }) => secrets.isCurrent(encrypted_secret));
  const found = isCurrent ? 'decrypts the stored API keys' : `decrypts the stored API keys, ${olderKeys}`;
  return finding(
    'secret key',
    ok,
    ok ? found : 'does not decrypt the stored API keys',
    'add the key that this database was used with to the end of SECRET_KEYS',
  );
}

const olderKeys = 'but they use an older key: once every process has the new one, run `pennypost rekey`';
