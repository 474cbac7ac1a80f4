import type { Config } from '../config.ts';
import type { Command } from '../platform/command-line.ts';
import { type Db, openDatabase } from '../platform/db/database.ts';
import { migrate } from '../platform/db/migrate.ts';
import { createLog, type Log } from '../platform/log.ts';
import { seeds, storeSeeds } from '../seeds.ts';
import { listStores } from '../stores/known-stores.ts';
import { makeUsable } from '../stores/make-usable.ts';
import { print } from './print.ts';
import { readConfig } from './read-config.ts';
import { openOrEmbed } from './with-database.ts';

export const migrateCommand: Command = {
  more: [
    'The server also does this on every start. The previous release keeps working during and after the migration.',
    'With message stores it migrates each of them; one that is away is reported, and migrated when it is back.',
  ],
  run,
};

async function run(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.log.level);
  const database = await openOrEmbed(config, log);
  const url = config.database.sessionUrl ?? database.url;
  try {
    print(describe(await migrate(url, log, { seeds, wait_ms: config.database.wait_ms })));
    const { databases } = config.stores;
    if (databases.length > 0) await withMain(url, log, (main) => migrateStores(main, databases, log));
  } finally {
    await database.stop();
  }
}

async function withMain(url: string, log: Log, work: (main: Db) => Promise<void>): Promise<void> {
  const { db, close } = openDatabase({ url, poolSize: 1, log });
  await work(db).finally(close);
}

/** One that cannot be migrated does not keep the others from it. */
async function migrateStores(main: Db, databases: Config['stores']['databases'], log: Log): Promise<void> {
  const added = new Set((await listStores(main)).map(({ number }) => number));
  for (const { number, url } of databases) {
    if (!added.has(number)) {
      print(`Store ${number}: not added yet. Run \`pennypost stores add ${number}\`.`);
      continue;
    }
    let applied: string[] = [];
    const migrateStore = async () => {
      applied = await migrate(url, log, { seeds: storeSeeds, wait_ms: 0 });
    };
    try {
      await makeUsable({ main, number, url, log, migrate: migrateStore });
      print(`Store ${number}: ${describe(applied)}`);
    } catch (error) {
      process.exitCode = 1;
      const reason = error instanceof Error ? error.message : String(error);
      print(`Store ${number} was not migrated: ${reason}. It is migrated as soon as a process can use it.`);
    }
  }
}

function describe(applied: string[]): string {
  return applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`;
}
