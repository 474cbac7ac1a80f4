import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { makeReady } from '../../scripts/ready.mjs';
import { startEmbeddedPostgres } from '../../src/libraries/embedded-postgres/embedded-postgres.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createLog } from '../../src/platform/log.ts';
import { seeds } from '../../src/seeds.ts';
import { installTestClock } from './fakes/test-clock.ts';
import { databaseNamed } from './process/database-url.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    databaseUrl: string;
    /** In memory where there is enough of it; deleted after the run. The user that PostgreSQL runs as may read its files. */
    folder: string;
  }
}

/**
 * One PostgreSQL for the whole run, with a migrated database that every test file clones. Durability is off: the data is
 * deleted after the run anyway.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Threads run the compiled files, which must be up to date however the tests are started.
  await makeReady();
  const log = createLog('silent');
  const dataDir = createDataDir();
  const server = await startEmbeddedPostgres({
    dataDir,
    log,
    settings: {
      ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
      // The log is in memory, too.
      ...{ min_wal_size: '80MB', max_wal_size: '256MB' },
    },
  });
  const template = await createTemplate(server.url);
  await migrate(template, log, { seeds });
  await installLongAgo(template);
  await installTestClock(template);
  project.provide('databaseUrl', server.url);
  project.provide('folder', dataDir);
  return async () => {
    await server.stop();
    rmSync(server.location, { recursive: true, force: true });
    rmSync(dataDir, { recursive: true, force: true });
  };
}

/**
 * In memory where there is enough of it: a clone is a thousand files, which take a tenth of the processor time there. A run
 * that was killed has left its folder, and memory is scarcer than disk: the next run deletes it.
 */
function createDataDir(): string {
  const memory = '/dev/shm';
  const prefix = 'pennypost-test-';
  if (!existsSync(memory)) return mkdtempSync(join(tmpdir(), prefix));
  for (const name of readdirSync(memory).filter((one) => one.startsWith(prefix))) {
    const [pid] = name.slice(prefix.length).split('-');
    if (!existsSync(`/proc/${pid}`)) rmSync(join(memory, name), { recursive: true, force: true });
  }
  const { bavail, bsize } = statfsSync(memory);
  const isEnough = Math.min(bavail * bsize, freemem()) > 3 * 1024 ** 3;
  const dataDir = mkdtempSync(join(isEnough ? memory : tmpdir(), `${prefix}${process.pid}-`));
  // The user that the server runs as if we are root may go through it.
  chmodSync(dataDir, 0o711);
  return dataDir;
}

async function createTemplate(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create database migrated');
  await client.end();
  return databaseNamed(url, 'migrated');
}

/** Rows of the template do not depend on the day of the run, and tests are set in years before it. */
async function installLongAgo(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("update installation set chosen_at = '2000-01-01T00:00:00Z'");
  await client.end();
}
