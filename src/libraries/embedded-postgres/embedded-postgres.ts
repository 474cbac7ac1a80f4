import { existsSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { addressOf, chooseAddress, type Transport, toUrl, usualTransport } from './address.ts';
import { findBinaries } from './binaries.ts';
import { findOrCreateLocation } from './location.ts';
import { takeOwnership } from './ownership.ts';
import {
  type Cluster,
  createClusterIfMissing,
  findRunningServer,
  type Log,
  requestShutDown,
  shutDown,
  superuser,
} from './server.ts';
import { isNobody } from './user.ts';

interface EmbeddedPostgresOptions {
  dataDir: string;
  log: Log;
  /** PostgreSQL settings that override our defaults. */
  settings?: Record<string, string>;
  /** How clients connect. The default depends on the operating system. */
  transport?: Transport;
}

export interface EmbeddedPostgres {
  connection: { host: string; port: number; password: string | undefined; user: string; database: string; ssl: false };
  /** Can be used as DATABASE_URL. */
  url: string;
  /** The folder of the database: <dataDir>/postgres, unless the server's user cannot access that. */
  location: string;
  stop(): Promise<void>;
}

const databaseName = 'pennypost';

/** For a small machine shared with the application: 2 cores, a few gigabytes. Durability is PostgreSQL's default. */
const defaultSettings = {
  max_connections: '200',
  shared_buffers: '256MB',
  work_mem: '8MB',
  maintenance_work_mem: '128MB',
  effective_cache_size: '1GB',
  // Fewer, larger checkpoints: after each one, the first change of a page writes the whole page to the WAL.
  checkpoint_timeout: '15min',
  max_wal_size: '2GB',
  // Reuses WAL files instead of creating new ones.
  min_wal_size: '512MB',
  wal_compression: 'on',
  random_page_cost: '1.1',
  // Parallel plans cost more than they gain on two cores, and need more than the 64 MB /dev/shm of a container.
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Excludes ERROR: unique violations are expected, and their text would log personal data.
  log_min_messages: 'log',
  unix_socket_permissions: '0700',
};

/**
 * Starts the PostgreSQL from the npm packages, or takes over a server left running by a process that was killed.
 * Restarts the server if it dies while we run.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log } = options;
  const location = findOrCreateLocation(dataDir);
  if (dirname(location.folder) !== realpathSync(dataDir)) {
    log.info(
      { event: 'postgres.moved', location: location.folder },
      `The database is stored outside ${dataDir}, where its server can access it`,
    );
    if (location.folder.startsWith(tmpdir())) {
      log.warn(
        { event: 'postgres.temporary', location: location.folder },
        'The database is in a temporary folder, which the system may clear',
      );
    }
  }
  if (location.user && isNobody(location.user)) {
    log.warn(
      { event: 'postgres.shared_user' },
      'PostgreSQL runs as nobody, which other programs may use too: run Pennypost as a dedicated user, or create one (useradd --system pennypost) before its first start as root',
    );
  }
  const binaries = findBinaries(location.user);
  const data = join(location.folder, 'data');
  const cluster: Cluster = {
    ...location,
    data,
    address: await chooseAddress(location, data, options.transport ?? usualTransport),
    binaries,
    // The version is part of the name so that a new version counts as a difference in settings: see hasCurrentSettings.
    settings: { ...defaultSettings, cluster_name: `pennypost-${binaries.version}`, ...options.settings },
    log,
  };
  if (await createClusterIfMissing(cluster))
    log.info({ event: 'postgres.created', location: location.folder }, 'Created the database');

  const stop = await keepRunning(cluster, dataDir);
  const connection = { ...cluster.address, user: superuser, database: databaseName, ssl: false as const };
  return { connection, url: toUrl(cluster.address, superuser, databaseName), location: location.folder, stop };
}

/** Returns the URL of a server that another process runs in this folder, for commands that only connect to it. */
export function findRunningEmbeddedPostgres(dataDir: string): string | undefined {
  if (!existsSync(dataDir)) return undefined;
  const location = findOrCreateLocation(dataDir);
  const running = findRunningServer({ data: join(location.folder, 'data') });
  if (running?.status !== 'ready') return undefined;
  return toUrl(addressOf(running, location.folder), superuser, databaseName);
}

/** Owns the server until the returned function is called, and restarts it if it dies. */
async function keepRunning(cluster: Cluster, dataDir: string): Promise<() => Promise<void>> {
  const { log } = cluster;
  let owner: pg.Client | undefined;
  let stopping: Promise<void> | undefined;
  let recovering: Promise<void> | undefined;

  async function take(): Promise<void> {
    const taken = await takeOwnership(cluster, dataDir);
    taken.once('end', () => {
      if (owner !== taken) return;
      owner = undefined;
      if (stopping === undefined) recovering = recover();
    });
    try {
      await createDatabaseIfMissing(taken);
    } catch (error) {
      await taken.end();
      throw error;
    }
    owner = taken;
  }

  async function recover(): Promise<void> {
    log.warn({ event: 'postgres.lost', location: cluster.folder }, 'Lost the embedded PostgreSQL; restarting it');
    for (let attempt = 0; stopping === undefined; attempt++) {
      try {
        await take();
        log.info({ event: 'postgres.back', location: cluster.folder }, 'The embedded PostgreSQL is back');
        return;
      } catch (error) {
        log.warn(
          { event: 'postgres.restart_failed', err: error },
          'Could not restart the embedded PostgreSQL; retrying',
        );
        await sleep(Math.min(200 * 2 ** attempt, 5_000));
      }
    }
  }

  async function stop(): Promise<void> {
    process.off('exit', stopOnExit);
    await recovering;
    const running = findRunningServer(cluster);
    if (owner !== undefined && running !== undefined) await shutDown(cluster, running.pid);
    await owner?.end();
  }

  /** Last resort when the process exits without calling `stop`. */
  function stopOnExit(): void {
    const running = findRunningServer(cluster);
    if (owner !== undefined && running !== undefined) requestShutDown(cluster, running.pid);
  }

  await take();
  process.on('exit', stopOnExit);
  return () => {
    stopping ??= stop();
    return stopping;
  };
}

async function createDatabaseIfMissing(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName]);
  if (rowCount === 0) await client.query(`create database ${databaseName}`);
}
