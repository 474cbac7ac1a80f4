// Threads run the compiled files, which must be up to date however the tests are started.
import '../../scripts/ready.mjs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/libraries/embedded-postgres/embedded-postgres.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createLog } from '../../src/platform/log.ts';
import { seeds } from '../../src/seeds.ts';
import { installTestClock } from './fakes/test-clock.ts';
import { databaseNamed } from './process/database-url.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    databaseUrl: string;
  }
}

/**
 * One PostgreSQL for the whole run, with a migrated database that every test file clones. Durability is off: the data is
 * deleted after the run anyway.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log = createLog('silent');
  const dataDir = mkdtempSync(join(tmpdir(), 'pennypost-test-'));
  const server = await startEmbeddedPostgres({
    dataDir,
    log,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  const template = await createTemplate(server.url);
  await migrate(template, log, { seeds });
  await installTestClock(template);
  project.provide('databaseUrl', server.url);
  return async () => {
    await server.stop();
    rmSync(server.location, { recursive: true, force: true });
    rmSync(dataDir, { recursive: true, force: true });
  };
}

async function createTemplate(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create database migrated');
  await client.end();
  return databaseNamed(url, 'migrated');
}
