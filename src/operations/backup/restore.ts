import { migrate } from '../../platform/db/migrate.ts';
import type { Seed } from '../../platform/db/seed.ts';
import type { Log } from '../../platform/log.ts';
import { OperatorError } from '../../platform/operator-error.ts';
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
import { loadDump, openDump, withClient } from './dump.ts';
import { endUnsentMessages } from './unsent-messages.ts';

interface RestoreOptions extends BackupOptions, OpenedWith {
  log: Log;
  seeds: readonly Seed[];
  endUnsent?: boolean;
}

/** Restores into an unused database. A backup of an older release is loaded into its own schema, then migrated. */
export async function restore({
  url,
  dataDir,
  folder,
  say,
  log,
  seeds,
  endUnsent = false,
  ...opening
}: RestoreOptions): Promise<{ secrets: number }> {
  const source = await BackupFolder.open(folder, opening);
  refuseSeveralDatabases(source);
  await withClient(url, async (client) => {
    const dump = await openDump(source);
    if (!(await isUnused(client))) throw new OperatorError('The database is in use: restore into an empty one.');
    if (!(await lockForRestore(client))) throw new OperatorError('The database is being restored by another command.');
    await migrate(url, log, { only: dump.migrations, seeds: [] });
    if ((await listAppliedMigrations(client)).join() !== dump.migrations.join()) {
      throw new OperatorError('The database has a newer schema than the backup: restore into an empty one.');
    }
    await client.query('begin');
    const tables = await listTablesToKeep(client);
    await emptyTables(
      client,
      tables.map(({ table }) => table),
    );
    await withForeignKeysCheckedAtTheEnd(client, () => loadDump(client, dump, say));
    await client.query('commit');
  });
  await migrate(url, log, { seeds });
  if (endUnsent) await endUnsentMessages(url, log);
  await withClient(url, async (client) => {
    const { messages, letters } = await countUnsent(client);
    if (messages + letters === 0) return;
    say(`${messages} messages and ${letters} letters are waiting and will be sent as soon as a worker starts.`);
    say('Messages sent after the backup was made will be sent again: restore with --end-unsent to prevent that.');
  });
  await source.restoreTo(dataDir, 'files');
  return { secrets: await source.restoreTo(dataDir, 'secrets') };
}

/** Release 0.3.0 wrote this file if messages were in several databases. */
function refuseSeveralDatabases(source: BackupFolder): void {
  if (!source.has('stores.json')) return;
  throw new OperatorError(
    'The backup has message stores, and this release has none: restore it with Pennypost 0.3.0, move every service to the ' +
      'main database (`pennypost stores drain`), then upgrade.',
  );
}
