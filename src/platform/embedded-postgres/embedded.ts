import { existsSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { findBinaries } from './embedded-binaries.ts';
import { createSocketFolder, findOrCreateLocation } from './embedded-location.ts';
import { takeOwnership } from './embedded-ownership.ts';
import {
  type Cluster,
  createClusterIfMissing,
  findRunningServer,
  type Log,
  PORT,
  SUPERUSER,
  shutDown,
  signalServer,
} from './embedded-server.ts';
import { isNobody } from './embedded-user.ts';

interface EmbeddedPostgresOptions {
  dataDir: string;
  log: Log;
  /** PostgreSQL's own settings, over our defaults. */
  settings?: Record<string, string>;
}

export interface EmbeddedPostgres {
  connection: { host: string; port: number; user: string; database: string; ssl: false };
  /** Fit for DATABASE_URL. */
  url: string;
  /** The folder that holds the database: <dataDir>/postgres unless the server's user cannot get there. */
  location: string;
  stop(): Promise<void>;
}

const DATABASE = 'pennypost';

/** For a small machine it shares with the application: 2 cores, some gigabytes. Durability is PostgreSQL's default. */
const DEFAULT_SETTINGS = {
  max_connections: '200',
  shared_buffers: '256MB',
  work_mem: '8MB',
  maintenance_work_mem: '128MB',
  effective_cache_size: '1GB',
  // Fewer, larger checkpoints: each one makes every page's first change write the whole page to the log.
  checkpoint_timeout: '15min',
  max_wal_size: '2GB',
  wal_compression: 'on',
  random_page_cost: '1.1',
  // Parallel plans cost more than they bring on two cores, and need more than the 64 MB /dev/shm of a container.
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Above ERROR: a taken name is an ordinary answer here, and its text would put personal data into the log.
  log_min_messages: 'log',
  unix_socket_permissions: '0700',
};

/**
 * Starts the PostgreSQL that comes with the npm packages, or takes over the one that an earlier process, killed before it
 * could stop it, left running. A server that dies is started again for as long as we run.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log } = options;
  const location = findOrCreateLocation(dataDir);
  if (dirname(location.folder) !== realpathSync(dataDir)) {
    log.info({ location: location.folder }, `The database is kept where its server can reach it, not in ${dataDir}`);
    if (location.folder.startsWith(tmpdir())) {
      log.warn({ location: location.folder }, 'The database is in a folder for temporary files, which may be emptied');
    }
  }
  if (location.user && isNobody(location.user)) {
    log.warn(
      {},
      'PostgreSQL runs as nobody, as other programs may: run Pennypost as a user of its own, or, before its first start as root, create one (useradd --system pennypost)',
    );
  }
  const binaries = findBinaries(location.user);
  const cluster: Cluster = {
    ...location,
    data: join(location.folder, 'data'),
    socketFolder: createSocketFolder(location),
    binaries,
    // The version is in the name so that a new version is seen as a difference in settings: see isAsWanted.
    settings: { ...DEFAULT_SETTINGS, cluster_name: `pennypost-${binaries.version}`, ...options.settings },
    log,
  };
  if (await createClusterIfMissing(cluster)) log.info({ location: location.folder }, 'Created the database');

  const stop = await keepRunning(cluster, dataDir);
  const connection = {
    host: cluster.socketFolder,
    port: PORT,
    user: SUPERUSER,
    database: DATABASE,
    ssl: false as const,
  };
  return { connection, url: toUrl(connection), location: location.folder, stop };
}

/** The address of a server that another process keeps running in this folder, for commands that only connect to it. */
export function findRunningEmbeddedPostgres(dataDir: string): string | undefined {
  if (!existsSync(dataDir)) return undefined;
  const location = findOrCreateLocation(dataDir);
  const running = findRunningServer({ data: join(location.folder, 'data') });
  if (running?.status !== 'ready') return undefined;
  return toUrl({ host: running.socketFolder, port: PORT, user: SUPERUSER, database: DATABASE, ssl: false });
}

/** Owns the server until the returned function is called, and starts it again should it die before. */
async function keepRunning(cluster: Cluster, dataDir: string): Promise<() => Promise<void>> {
  const { log } = cluster;
  let title: pg.Client | undefined;
  let stopping: Promise<void> | undefined;
  let recovering: Promise<void> | undefined;

  async function take(): Promise<void> {
    const taken = await takeOwnership(cluster, dataDir);
    taken.once('end', () => {
      if (title !== taken) return;
      title = undefined;
      if (stopping === undefined) recovering = recover();
    });
    try {
      await createDatabaseIfMissing(taken);
    } catch (error) {
      await taken.end();
      throw error;
    }
    title = taken;
  }

  async function recover(): Promise<void> {
    log.warn({ location: cluster.folder }, 'Lost the embedded PostgreSQL; starting it again');
    for (let attempt = 0; stopping === undefined; attempt++) {
      try {
        await take();
        log.info({ location: cluster.folder }, 'The embedded PostgreSQL is back');
        return;
      } catch (error) {
        log.warn({ err: error }, 'The embedded PostgreSQL does not come back yet');
        await sleep(Math.min(200 * 2 ** attempt, 5_000));
      }
    }
  }

  async function stop(): Promise<void> {
    process.off('exit', stopOnExit);
    await recovering;
    const running = findRunningServer(cluster);
    if (title !== undefined && running !== undefined) await shutDown(cluster, running.pid);
    await title?.end();
  }

  /** The last resort of a process that ends without having stopped us. */
  function stopOnExit(): void {
    const running = findRunningServer(cluster);
    if (title !== undefined && running !== undefined) signalServer(running.pid, 'SIGINT');
  }

  await take();
  process.on('exit', stopOnExit);
  return () => {
    stopping ??= stop();
    return stopping;
  };
}

async function createDatabaseIfMissing(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
  if (rowCount === 0) await client.query(`create database ${DATABASE}`);
}

/** Port and sslmode are named because PGPORT and PGSSLMODE, if set, would count otherwise. */
function toUrl({ host, port, user, database }: EmbeddedPostgres['connection']): string {
  return `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}&sslmode=disable`;
}
