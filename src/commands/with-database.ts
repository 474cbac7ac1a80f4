import type { Config } from '../config.ts';
import {
  findRunningEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../libraries/embedded-postgres/embedded-postgres.ts';
import { createLog, type Log } from '../platform/log.ts';

export async function openOrEmbed(
  config: Config,
  log: Log,
): Promise<{ url: string; location?: string; stop(): Promise<void> }> {
  if (config.database.url !== undefined) return { url: config.database.url, stop: async () => {} };
  return startEmbeddedPostgres({ dataDir: config.storage.dataDir, log });
}

/** Uses the service's embedded server if it is running, because commands can run beside the service. */
export async function withDatabase(config: Config, work: (url: string) => Promise<void>): Promise<void> {
  const running =
    config.database.sessionUrl ?? config.database.url ?? findRunningEmbeddedPostgres(config.storage.dataDir);
  if (running !== undefined) return work(running);
  const database = await openOrEmbed(config, createLog('silent'));
  try {
    await work(database.url);
  } finally {
    await database.stop();
  }
}
