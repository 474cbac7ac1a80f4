import type pg from 'pg';
import { decryptKeySecret } from '../../auth/api-keys.ts';
import { DatabaseClient } from '../../platform/db/database-client.ts';
import { migrationFiles } from '../../platform/db/migrate.ts';
import { SecretBox } from '../../platform/secrets/secrets.ts';
import type { DatabaseSettings, EncryptionSettings } from '../../platform/settings.ts';
import { readServerFacts, selectSomeKeys } from './doctor.sql.ts';
import { type Finding, finding } from './finding.ts';
import { checkReplica } from './replica.ts';
import { checkStandbys } from './standbys.ts';

interface DatabaseConfig {
  database: DatabaseSettings;
  encryption: EncryptionSettings;
}

const maxClockDifference_ms = 5_000;

/** `url`: may bypass a pooler. */
export async function checkDatabase(config: DatabaseConfig, url: string): Promise<Finding[]> {
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    return [...(await checkServer(config, client)), ...(await checkReplica(config.database, client))];
  } catch (error) {
    return [unreachable(error)];
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function checkPool(config: DatabaseConfig, pool: pg.Pool): Promise<Finding[]> {
  try {
    const client = await pool.connect();
    try {
      return await checkServer(config, client);
    } finally {
      client.release();
    }
  } catch (error) {
    return [unreachable(error)];
  }
}

function unreachable(error: unknown): Finding {
  const reason = error instanceof Error ? error.message : String(error);
  return finding('database', false, `cannot be reached: ${reason}`, 'check DATABASE_URL and that PostgreSQL runs');
}

async function checkServer(config: DatabaseConfig, client: pg.ClientBase): Promise<Finding[]> {
  const before = Date.now();
  const facts = await readServerFacts(client);
  const difference = Math.abs(facts.now_ms - (before + Date.now()) / 2);
  const missing = migrationFiles().filter((name) => !facts.migrations.includes(name));
  return [
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
    await checkStandbys(config, client),
    checkSecretKeys(config, facts.migrations.length > 0 ? await selectSomeKeys(client) : []),
  ];
}

function checkSecretKeys(config: DatabaseConfig, keys: Awaited<ReturnType<typeof selectSomeKeys>>): Finding {
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
