import { readConfig } from '../config.ts';
import { printBanner } from '../operations/banner.ts';
import type { Command } from '../platform/command-line.ts';
import { createLog } from '../platform/log.ts';
import { onceStopped } from '../platform/once-stopped.ts';
import type { GeneratedSecret } from '../platform/secrets/generated-secrets.ts';
import { type Roles, start } from './start.ts';
import { openOrEmbed } from './with-database.ts';

const needsDatabase = 'Several processes share one database: set DATABASE_URL. docs/operations/scaling.md says more.';

export const serve: Command = {
  description: 'API and worker in one process (the usual way)',
  more: ['Needs nothing: without DATABASE_URL it runs its own PostgreSQL in DATA_DIR, without providers a sandbox.'],
  run: () => run({ api: true, worker: true }),
};

export const api: Command = {
  description: 'Only the HTTP API',
  more: [needsDatabase],
  run: () => run({ api: true, worker: false }),
};

export const worker: Command = {
  description: 'Only the worker; over HTTP it answers /livez, /readyz and /metrics',
  more: [needsDatabase],
  run: () => run({ api: false, worker: true }),
};

/** Starts what was asked for, and stops it in the reverse order on SIGTERM or SIGINT. */
async function run(roles: Roles): Promise<void> {
  const generated: GeneratedSecret[] = [];
  const config = readConfig(undefined, (secret) => generated.push(secret));
  const log = createLog(config.LOG_LEVEL);
  const database = await openOrEmbed(config, log);
  const { app, address, adminAddress, demo, stop } = await start(config, log, database.url, roles);
  printBanner({ app, address, adminAddress, databaseLocation: database.location, generated, demo });
  onceStopped(log, async () => {
    await stop();
    await database.stop();
  });
}
