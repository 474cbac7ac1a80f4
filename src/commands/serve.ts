import { setUpPath } from '../console/pages/start/set-up.ts';
import { printBanner } from '../operations/banner.ts';
import type { Command } from '../platform/command-line.ts';
import { createLog } from '../platform/log.ts';
import { onceStopped, stopWithParent } from '../platform/process/stopping.ts';
import type { GeneratedSecret } from '../platform/secrets/generated-secrets.ts';
import { hasPlatformAdmin } from '../users/create-admin.ts';
import { npmScript, readConfig } from './read-config.ts';
import { type Roles, start } from './start.ts';
import { openOrEmbed } from './with-database.ts';

const needsDatabase = 'Several processes share one database: set DATABASE_URL. See docs/operations/scaling.md.';

export const serve: Command = {
  more: [
    'Works without configuration: without DATABASE_URL, PostgreSQL runs in DATA_DIR; without providers, a sandbox keeps the messages.',
  ],
  run: () => run({ api: true, worker: true }),
};

export const api: Command = {
  more: [needsDatabase],
  run: () => run({ api: true, worker: false }),
};

export const worker: Command = {
  more: [needsDatabase],
  run: () => run({ api: false, worker: true }),
};

/** Starts the given roles, and stops them in reverse order on SIGTERM or SIGINT. */
async function run(roles: Roles): Promise<void> {
  const generated: GeneratedSecret[] = [];
  const config = readConfig(undefined, (secret) => generated.push(secret));
  const log = createLog(config.log.level);
  const database = await openOrEmbed(config, log);
  const { app, address, adminAddress, demo, stop } = await start(config, log, database.url, roles);
  const isNew = roles.api && !(await hasPlatformAdmin(app.db));
  printBanner({
    app,
    roles,
    address,
    adminAddress,
    databaseLocation: database.location,
    generated,
    demo,
    setUpPath: isNew ? setUpPath(app) : undefined,
    npmScript: npmScript(),
  });
  const end = onceStopped(log, async () => {
    await stop();
    await database.stop();
  });
  if (npmScript() !== undefined) stopWithParent(() => end('the parent process ended'));
}
