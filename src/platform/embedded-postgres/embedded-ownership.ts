import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../operator-error.ts';
import {
  type Cluster,
  findRunningServer,
  isAsWanted,
  isSocketAnswered,
  launch,
  PORT,
  type RunningServer,
  SUPERUSER,
  shutDown,
} from './embedded-server.ts';

/** Advisory lock in database "postgres"; its session holds the server. 1840: the year of the Penny Post. */
const OWNERSHIP_LOCK = 1840;

/** What a killed process held is free at once; that others must find time to notice. */
const PREDECESSOR_PATIENCE_MS = 1_000;

/**
 * Brings the server up, or finds it up, and makes it ours. The returned connection is the title: it lasts as long as both
 * this process and the server do, and no second process can get one.
 */
export async function takeOwnership(cluster: Cluster, dataDir: string): Promise<pg.Client> {
  for (;;) {
    const running = findRunningServer(cluster);
    if (running === undefined) {
      await refuseIfServerIsOutOfSight(cluster, dataDir);
      await launchUnlessOthersDo(cluster);
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
    const title = await connect(running.socketFolder);
    if (title === undefined) {
      cluster.log.warn({ pid: running.pid }, 'The PostgreSQL found running does not answer; starting another');
      await shutDown(cluster, running.pid, 1);
      continue;
    }
    try {
      await lock(title, dataDir);
      if (isAsWanted(cluster)) return title;
      cluster.log.info({ pid: running.pid }, 'The PostgreSQL found running has other settings; starting it again');
      await shutDown(cluster, running.pid);
    } catch (error) {
      await title.end();
      throw error;
    }
    await title.end();
  }
}

async function refuseIfServerIsOutOfSight(cluster: Cluster, dataDir: string): Promise<void> {
  const deadline = Date.now() + PREDECESSOR_PATIENCE_MS;
  while (await isSocketAnswered(cluster)) {
    // A killed server loses its command line, by which we know it, a moment before it loses its socket.
    if (Date.now() < deadline) await sleep(50);
    else throw outOfSight(dataDir);
  }
}

function outOfSight(dataDir: string): Error {
  return new OperatorError(
    `A PostgreSQL that this process cannot see, perhaps in another container, already runs on ${dataDir}. ` +
      'Stop it first, or give this one another DATA_DIR; several processes on one database need DATABASE_URL.',
  );
}

async function launchUnlessOthersDo(cluster: Cluster): Promise<void> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      return await launch(cluster);
    } catch (error) {
      if (findRunningServer(cluster) !== undefined) return;
      // Processes of a killed server hold its memory for a moment longer.
      const mayPass = String(error).includes('still in use');
      if (!mayPass || Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

/** Undefined when nobody answers on the socket, although the server says it is ready. */
async function connect(socketFolder: RunningServer['socketFolder']): Promise<pg.Client | undefined> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    const client = new pg.Client({
      host: socketFolder,
      port: PORT,
      user: SUPERUSER,
      database: 'postgres',
      ssl: false,
      connectionTimeoutMillis: 5_000,
      application_name: `pennypost owner, process ${process.pid}`,
    });
    client.on('error', () => {
      // Without a listener the loss of this connection would end the process; 'end' follows and is what counts.
    });
    try {
      await client.connect();
      return client;
    } catch (error) {
      // A refusal in words comes from a server that is well.
      if (error instanceof pg.DatabaseError && error.code !== '57P03') throw error;
      await sleep(100);
    }
  }
  return undefined;
}

async function lock(client: pg.Client, dataDir: string): Promise<void> {
  const deadline = Date.now() + PREDECESSOR_PATIENCE_MS;
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [OWNERSHIP_LOCK]);
    if (rows[0].locked) return;
    if (Date.now() > deadline) break;
    await sleep(50);
  }
  const { rows } = await client.query(
    `select application_name from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and objid = $1 and granted`,
    [OWNERSHIP_LOCK],
  );
  throw new OperatorError(
    `Another Pennypost already runs on ${dataDir} (${rows[0]?.application_name ?? 'just ended'}). ` +
      'Stop it first, or give this one another DATA_DIR; several processes on one database need DATABASE_URL.',
  );
}
