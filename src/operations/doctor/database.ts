import type pg from 'pg';
import { decryptKeySecret } from '../../auth/api-keys.ts';
import type { Calendar } from '../../countries/calendar.ts';
import { type Clock, earlier, systemClock, timestamp } from '../../platform/clock.ts';
import { DatabaseClient } from '../../platform/db/database-client.ts';
import { migrationFiles } from '../../platform/db/migrate.ts';
import { sessionSettings } from '../../platform/db/pool.ts';
import { urlsOfHosts } from '../../platform/db/servers/database-hosts.ts';
import { compareServers } from '../../platform/db/servers/replication.ts';
import { maxBehind_ms, type Standby } from '../../platform/db/servers/standby.ts';
import type { Platform } from '../../platform/platform.ts';
import { SecretBox } from '../../platform/secrets/secrets.ts';
import type { DatabaseSettings, EncryptionSettings } from '../../platform/settings.ts';
import { readReplication, readServerFacts, selectSomeKeys } from './doctor.sql.ts';
import { type Finding, finding } from './finding.ts';
import { checkTimeZones, checkTimeZonesDaily } from './time-zones.ts';

interface DatabaseConfig {
  database: DatabaseSettings;
  encryption: EncryptionSettings;
}

const maxClockDifference_ms = 5_000;

/** `url` may bypass a pooler. */
export async function checkDatabase(config: DatabaseConfig, url: string, calendar: Calendar): Promise<Finding[]> {
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    return [
      ...(await checkServer(config, client)),
      ...(await checkTimeZones(calendar, client, systemClock.now())),
      ...(await checkReplica(config.database, client)),
    ];
  } catch (error) {
    return [unreachable(error)];
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function checkPool(config: DatabaseConfig, app: Platform): Promise<Finding[]> {
  let found: Finding[];
  try {
    const client = await app.pool.connect();
    try {
      found = await checkServer(config, client);
    } finally {
      client.release();
    }
    return [...found, ...(await checkTimeZonesDaily(app))];
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

const name = 'replica';
const uses = 'exports, reports, searches and backups read from it';
const todo = 'they read from the primary meanwhile; check DATABASE_REPLICA_URL, see docs/operations/scaling.md';

/** Checks whether reads can use the standby in DATABASE_REPLICA_URL. */
async function checkReplica({ replicaUrl }: DatabaseSettings, primary: pg.ClientBase): Promise<Finding[]> {
  if (replicaUrl === undefined) return [];
  const standby = new DatabaseClient({
    connectionString: replicaUrl,
    role: 'standby',
    connectionTimeoutMillis: 5_000,
    ...sessionSettings,
  });
  try {
    await standby.connect();
    const { problem, behind_ms } = await compareServers(primary, standby, maxBehind_ms);
    return [findingAbout(`${standby.host}:${standby.port}`, problem, behind_ms)];
  } catch (error) {
    return [findingAbout(undefined, `cannot be queried (${error instanceof Error ? error.message : error})`, 0)];
  } finally {
    await standby.end().catch(() => undefined);
  }
}

/** Returns the same finding in a running process, from its own checks. */
export function evaluateStandby(standby: Standby | undefined, clock: Clock): Finding[] {
  if (!standby) return [];
  const { server, problem, behind_ms, since_ms } = standby.state;
  const found = findingAbout(server, problem, behind_ms ?? 0);
  const ago_ms = performance.now() - since_ms;
  return [found.ok ? found : { ...found, since: timestamp(earlier(clock.now(), ago_ms)) }];
}

function findingAbout(server: string | undefined, problem: string | undefined, behind_ms: number): Finding {
  const subject = server ?? 'the standby';
  const late = `is ${(behind_ms / 1_000).toFixed(1)} s behind the primary`;
  const isUsed = problem === undefined;
  return {
    ...finding(name, isUsed, isUsed ? `${subject} ${late}: ${uses}` : `${subject} ${problem}`, todo),
    is_minor: true,
  };
}

/** The values of synchronous_commit for which a commit waits for a synchronous standby. */
const waiting = ['on', 'remote_write', 'remote_apply'];

const guide = 'see docs/operations/failover.md';

/** Checks whether a promoted standby would have every accepted message. */
async function checkStandbys(config: { database: DatabaseSettings }, client: pg.ClientBase): Promise<Finding> {
  const replication = await readReplication(client);
  return evaluateReplication(replication, urlsOfHosts(config.database.url ?? '').length);
}

export function evaluateReplication(
  { standbys, synchronous_commit }: Awaited<ReturnType<typeof readReplication>>,
  hosts: number,
): Finding {
  const name = 'standbys';
  if (standbys.length === 0) {
    return hosts === 1
      ? { ...finding(name, true, 'none. If this server fails, you will need a backup.'), is_warning: true }
      : finding(name, false, `none, though DATABASE_URL names ${hosts} hosts`, guide);
  }
  const count = standbys.length === 1 ? '1 standby' : `${standbys.length} standbys`;
  const route = hosts > 1 ? '' : '; DATABASE_URL names one host, which must lead to the new primary after a failover';
  // Roles without pg_read_all_stats only see that standbys exist.
  if (standbys.every(({ sync_state }) => sync_state === null)) {
    return finding(name, hosts === 1, `${count}, synchronous or not${route}`, 'grant pg_read_all_stats to the role');
  }
  const synchronous = standbys.filter(({ sync_state }) => sync_state === 'sync' || sync_state === 'quorum');
  if (synchronous.length === 0) {
    const behind = Math.max(...standbys.map(({ behind_bytes }) => behind_bytes ?? 0));
    const late = Math.max(...standbys.map(({ behind_s }) => behind_s ?? 0));
    const loss = `a failover loses what a standby has not received, now up to ${bytes(behind)} and ${late.toFixed(1)} s`;
    const fix = `make one synchronous (synchronous_mode of Patroni), ${guide}`;
    return finding(name, hosts === 1, `${count}, none synchronous: ${loss}${route}`, fix);
  }
  const found = `${count}, ${synchronous.length} synchronous: a failover loses no accepted message${route}`;
  if (waiting.includes(synchronous_commit)) return finding(name, true, found);
  const ignored = `${count}, ${synchronous.length} synchronous, but synchronous_commit is ${synchronous_commit}`;
  return finding(name, false, ignored, 'commits do not wait for the standby; set it to on for the role');
}

function bytes(count: number): string {
  return count < 1024 ** 2 ? `${Math.ceil(count / 1024)} kB` : `${(count / 1024 ** 2).toFixed(1)} MB`;
}
