import { storeTables } from '../../stores/tables.ts';
import { beginSnapshot } from './backup.sql.ts';
import { BackupFolder, type EncryptedTo } from './backup-folder.ts';
import { dumpName, refuseOtherStores, withDatabases, writeManifest } from './databases.ts';
import { writeDump } from './dump.ts';

/**
 * A backup is a folder: `database.sql.gz`, the `files` of the data folder, and its `secrets` only on request, because they
 * decrypt what the database stores encrypted. The database part is a consistent snapshot in the COPY format of PostgreSQL,
 * taken while the service runs; it needs no other tools. Each message store has a dump of its own, without the copy of the
 * configuration, and `stores.json` says when each snapshot was taken.
 */
export interface BackupOptions {
  url: string;
  stores?: readonly { number: number; url: string }[];
  dataDir: string;
  folder: string;
  say(line: string): void;
}

const ofStores = new Set<string>(storeTables);

export async function backup({
  url,
  stores = [],
  dataDir,
  folder,
  say,
  withSecrets = false,
  ...encryption
}: BackupOptions & EncryptedTo & { withSecrets?: boolean }): Promise<void> {
  await withDatabases({ url, stores }, async (main, others) => {
    await refuseOtherStores(main, others);
    const target = await BackupFolder.create(folder, encryption);
    // The main database last, so that it has the services of all messages.
    const moments = new Map<number, string>();
    for (const { number, client } of [...others, main]) moments.set(number, await beginSnapshot(client));
    if (others.length > 0) await writeManifest(target, moments);
    for (const { number, client } of [main, ...others]) {
      if (others.length > 0) say(number === 0 ? 'Main database' : `Store ${number}`);
      const keeps = (table: string) => number === 0 || ofStores.has(table);
      await writeDump(client, target, { name: dumpName(number), keeps, say });
    }
    await target.copyFrom(dataDir, 'files');
    if (withSecrets) await target.copyFrom(dataDir, 'secrets');
  });
}
