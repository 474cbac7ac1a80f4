import { openDatabase } from '../../platform/db/database.ts';
import { migrate } from '../../platform/db/migrate.ts';
import type { Seed } from '../../platform/db/seed.ts';
import type { Log } from '../../platform/log.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { makeUsable, takeWithoutConfiguration } from '../../stores/make-usable.ts';
import { mainStore } from '../../stores/service-stores.ts';
import {
  countUnsent,
  emptyTables,
  isUnused,
  listAppliedMigrations,
  listTablesToKeep,
  lockForRestore,
  withForeignKeysCheckedAtTheEnd,
} from './backup.sql.ts';
import type { BackupOptions } from './backup.ts';
import { BackupFolder, type OpenedWith } from './backup-folder.ts';
import { dumpName, type NumberedClient, readManifest, refuseMismatch, withDatabases } from './databases.ts';
import { type Dump, loadDump, openDump } from './dump.ts';
import { endUnsentMessages } from './unsent-messages.ts';

interface RestoreOptions extends BackupOptions, OpenedWith {
  log: Log;
  seeds: readonly Seed[];
  /** Those of a message store. */
  storeSeeds?: readonly Seed[];
  endUnsent?: boolean;
}

/**
 * Restores into unused databases. A backup of an older release is loaded into its own schema, then migrated. Everything is checked
 * before anything changes, and all databases are loaded before one is committed.
 */
export async function restore({
  url,
  stores = [],
  dataDir,
  folder,
  say,
  log,
  seeds,
  storeSeeds = [],
  endUnsent = false,
  ...opening
}: RestoreOptions): Promise<{ secrets: number }> {
  const source = await BackupFolder.open(folder, opening);
  const moments = await readManifest(source);
  const numbers = moments.map(({ number }) => number).filter((number) => number !== mainStore);
  refuseMismatch(numbers, stores, 'The backup');
  await withDatabases({ url, stores }, async (main, others) => {
    const all = [main, ...others];
    const dumps = new Map<NumberedClient, Dump>();
    for (const one of all) dumps.set(one, await openDump(source, dumpName(one.number)));
    for (const one of all) await refuseUsed(one);
    for (const [one, { migrations }] of dumps) await prepareSchema(one, migrations, log);
    for (const [one, dump] of dumps) await load(one, dump, { say, log });
    for (const { client } of all) await client.query('commit');
  });
  await migrate(url, log, { seeds });
  for (const store of stores) await migrate(store.url, log, { seeds: storeSeeds });
  await copyToStores(url, stores, log);
  let [messages, letters] = [0, 0];
  await withDatabases({ url, stores }, async (main, others) => {
    for (const one of [main, ...others]) {
      if (endUnsent) await endUnsentMessages(one.url, log);
      const unsent = await countUnsent(one.client);
      messages += unsent.messages;
      letters += unsent.letters;
    }
  });
  if (messages + letters > 0) {
    say(`${messages} messages and ${letters} letters are waiting and will be sent as soon as a worker starts.`);
    say('Messages sent after the backup was made will be sent again: restore with --end-unsent to prevent that.');
  }
  for (const { number, taken_at } of moments) {
    say(`${number === mainStore ? 'The main database' : `Store ${number}`} is as it was at ${taken_at}.`);
  }
  await source.restoreTo(dataDir, 'files');
  return { secrets: await source.restoreTo(dataDir, 'secrets') };
}

async function refuseUsed({ number, client }: NumberedClient): Promise<void> {
  const which = number === mainStore ? 'The database' : `The database of store ${number}`;
  if (!(await isUnused(client))) throw new OperatorError(`${which} is in use: restore into an empty one.`);
  if (!(await lockForRestore(client))) {
    throw new OperatorError(`${which} is named twice, or is being restored: name an empty one for each.`);
  }
}

async function prepareSchema({ url, client }: NumberedClient, migrations: string[], log: Log): Promise<void> {
  await migrate(url, log, { only: migrations, seeds: [] });
  const applied = await listAppliedMigrations(client);
  if (applied.join() !== migrations.join()) {
    throw new OperatorError('The database has a newer schema than the backup: restore into an empty one.');
  }
}

/** Leaves the transaction open. */
async function load(
  { number, url, client }: NumberedClient,
  dump: Dump,
  { say, log }: Pick<RestoreOptions, 'say' | 'log'>,
): Promise<void> {
  // Its messages refer to services that are copied later.
  if (number !== mainStore) await takeWithoutConfiguration(url, log);
  await client.query('begin');
  const tables = await listTablesToKeep(client);
  await emptyTables(
    client,
    tables.map(({ table }) => table),
  );
  await withForeignKeysCheckedAtTheEnd(client, () => loadDump(client, dump, say));
}

/** The copies of the configuration are not in the backup: the main database has it. */
async function copyToStores(mainUrl: string, stores: RestoreOptions['stores'], log: Log): Promise<void> {
  const main = openDatabase({ url: mainUrl, poolSize: 1, log });
  try {
    for (const { number, url } of stores ?? []) {
      await makeUsable({ main: main.db, number, url, log, isRestored: true });
    }
  } finally {
    await main.close();
  }
}
