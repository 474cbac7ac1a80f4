import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { addressOf } from './address.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import {
  type Cluster,
  findRunningServer,
  hasCurrentSettings,
  isSocketAnswered,
  launch,
  type ServerAddress,
  shutDown,
  superuser,
} from './server.ts';

/** Advisory lock in the database "postgres". The session that holds it owns the server. 1840 is the year of the Penny Post. */
const ownershipLock = 1840;

/** A killed process releases its locks immediately; others may take this long to notice. */
const predecessorTimeout_ms = 1_000;

/**
 * Starts the server, or finds it running, and takes ownership. The returned connection holds the ownership lock: it lasts as long as both
 * this process and the server, and no second process can get one.
 */
export async function takeOwnership(cluster: Cluster, dataDir: string): Promise<pg.Client> {
  for (;;) {
    const running = findRunningServer(cluster);
    if (running === undefined) {
      await refuseIfServerIsElsewhere(cluster, dataDir);
      await launchIfNotRunning(cluster);
      continue;
    }
    if (running.status === 'starting') {
      await sleep(20);
      continue;
    }
    if (running.status === 'stopping') {
      await shutDown(cluster, running.pid);
      continue;
    }
    const owner = await connect(addressOf(running, cluster.folder));
    if (owner === undefined) {
      cluster.log.warn(
        { event: 'postgres.unresponsive', pid: running.pid },
        'The running PostgreSQL does not respond; restarting it',
      );
      await shutDown(cluster, running.pid, 1);
      continue;
    }
    try {
      await lock(owner, dataDir);
      if (hasCurrentSettings(cluster)) return owner;
      cluster.log.info(
        { event: 'postgres.outdated', pid: running.pid },
        'The running PostgreSQL has different settings; restarting it',
      );
      await shutDown(cluster, running.pid);
    } catch (error) {
      await owner.end();
      throw error;
    }
    await owner.end();
  }
}

async function refuseIfServerIsElsewhere(cluster: Cluster, dataDir: string): Promise<void> {
  const deadline = Date.now() + predecessorTimeout_ms;
  while (await isSocketAnswered(cluster)) {
    // A killed server loses its command line, which identifies it, slightly before its socket.
    if (Date.now() < deadline) await sleep(50);
    else throw runningElsewhere(dataDir);
  }
}

function runningElsewhere(dataDir: string): Error {
  return new EmbeddedPostgresError(
    `A PostgreSQL that this process cannot see, perhaps in another container, already runs on ${dataDir}. ` +
      'Stop it first, or give this one another DATA_DIR; several processes on one database need DATABASE_URL.',
  );
}

async function launchIfNotRunning(cluster: Cluster): Promise<void> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      return await launch(cluster);
    } catch (error) {
      if (findRunningServer(cluster) !== undefined) return;
      // Processes of a killed server hold its shared memory slightly longer.
      const mayPass = String(error).includes('still in use');
      if (!mayPass || Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

/** Returns undefined if the server does not respond although it reported that it is ready. */
async function connect({ host, port, password }: ServerAddress): Promise<pg.Client | undefined> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    const client = new pg.Client({
      ...{ host, port, password },
      user: superuser,
      database: 'postgres',
      ssl: false,
      connectionTimeoutMillis: 5_000,
      application_name: `pennypost owner, process ${process.pid}`,
    });
    client.on('error', () => {
      // Without a listener, losing this connection would crash the process; 'end' follows and is handled.
    });
    try {
      await client.connect();
      return client;
    } catch (error) {
      // A server that returns another error is healthy.
      if (error instanceof pg.DatabaseError && error.code !== '57P03') throw error;
      await sleep(100);
    }
  }
  return undefined;
}

async function lock(client: pg.Client, dataDir: string): Promise<void> {
  const deadline = Date.now() + predecessorTimeout_ms;
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [ownershipLock]);
    if (rows[0].locked) return;
    if (Date.now() > deadline) break;
    await sleep(50);
  }
  const { rows } = await client.query(
    `select application_name from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and objid = $1 and granted`,
    [ownershipLock],
  );
  throw new EmbeddedPostgresError(
    `Another Pennypost already runs on ${dataDir} (${rows[0]?.application_name ?? 'just ended'}). ` +
      'Stop it first, or give this one another DATA_DIR; several processes on one database need DATABASE_URL.',
  );
}
