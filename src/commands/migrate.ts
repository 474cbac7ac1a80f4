import { readConfig } from '../config.ts';
import type { Command } from '../platform/command-line.ts';
import { migrate } from '../platform/db/migrate.ts';
import { createLog } from '../platform/log.ts';
import { seeds } from '../seeds.ts';
import { print } from './print.ts';
import { openOrEmbed } from './with-database.ts';

export const migrateCommand: Command = {
  description: 'Apply database migrations, then exit',
  more: [
    'The server also does this on every start. The previous release keeps working during and after the migration.',
  ],
  run,
};

async function run(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.LOG_LEVEL);
  const database = await openOrEmbed(config, log);
  try {
    const applied = await migrate(config.DATABASE_SESSION_URL ?? database.url, log, {
      seeds,
      waitSeconds: config.DATABASE_WAIT_S,
    });
    print(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
  } finally {
    await database.stop();
  }
}
