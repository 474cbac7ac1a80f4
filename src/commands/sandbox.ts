import { rmSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { startEmbeddedPostgres } from '../libraries/embedded-postgres/embedded-postgres.ts';
import { describeSandbox, nonDurableSettings, sandboxFolder, whenParentEnds } from '../operations/sandbox.ts';
import { type Command, print } from '../platform/command-line.ts';
import { createLog } from '../platform/log.ts';
import { findFreePort } from '../platform/process/free-port.ts';
import { onceStopped } from '../platform/process/stopping.ts';
import { readSandboxConfig } from './read-config.ts';
import { type Started, start } from './start.ts';

export const sandbox: Command = {
  more: [
    'Uses a free port and its own database, and reads only SANDBOX_*, CALLBACK_* and *_INBOUND_AUTH from the environment.',
    'docs/guides/sending.md shows how a test suite starts one.',
  ],
  run,
};

/** On exit, deletes its folder, and its database if that is elsewhere. */
async function run(): Promise<void> {
  const folder = sandboxFolder();
  const config = readSandboxConfig({ folder, port: await findFreePort() });
  // Standard output is reserved for the one line that the test suite reads.
  const log = createLog(config.log.level, process.stderr);
  const database = await startEmbeddedPostgres({ dataDir: folder, log, settings: nonDurableSettings });
  const deleteFiles = () => {
    // The socket may be in a folder elsewhere.
    const { host } = database.connection;
    for (const path of [database.location, ...(isAbsolute(host) ? [host] : []), folder])
      rmSync(path, { recursive: true, force: true });
  };
  process.once('exit', deleteFiles);
  const end = onceStopped(log, async () => {
    await started?.stop();
    await database.stop();
  });
  whenParentEnds(() => end('parent process exited'));
  let started: Started | undefined;
  started = await start(config, log, database.url, { api: true, worker: true });
  if (started.demo) print(JSON.stringify(await describeSandbox(started.app, started.demo)));
}
