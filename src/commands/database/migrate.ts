import { prepareDatabase } from '../../operations/country/installation.ts';
import { type Command, print } from '../../platform/command-line.ts';
import { createLog } from '../../platform/log.ts';
import { seeds } from '../../seeds.ts';
import { readConfig } from '../read-config.ts';
import { openOrEmbed } from '../with-database.ts';

export const migrateCommand: Command = {
  more: [
    'The server also does this on every start. The previous release keeps working during and after the migration.',
  ],
  run,
};

async function run(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.log.level);
  const database = await openOrEmbed(config, log);
  try {
    const applied = await prepareDatabase(config.database.sessionUrl ?? database.url, log, {
      profile: config.country.profile,
      languages: config.country.offered,
      seeds,
      wait_ms: config.database.wait_ms,
    });
    print(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
  } finally {
    await database.stop();
  }
}
