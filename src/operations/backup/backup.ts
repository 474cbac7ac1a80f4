import { beginSnapshot } from './backup.sql.ts';
import { BackupFolder, type EncryptedTo } from './backup-folder.ts';
import { withClient, writeDump } from './dump.ts';

/**
 * A backup is a folder: `database.sql.gz`, the `files` of the data folder, and its `secrets` only on request, because they
 * decrypt what the database stores encrypted. The database part is a consistent snapshot in the COPY format of PostgreSQL,
 * taken while the service runs; it needs no other tools.
 */
export interface BackupOptions {
  url: string;
  dataDir: string;
  folder: string;
  say(line: string): void;
}

export async function backup({
  url,
  dataDir,
  folder,
  say,
  withSecrets = false,
  ...encryption
}: BackupOptions & EncryptedTo & { withSecrets?: boolean }): Promise<void> {
  await withClient(url, async (client) => {
    const target = await BackupFolder.create(folder, encryption);
    await beginSnapshot(client);
    await writeDump(client, target, say);
    await target.copyFrom(dataDir, 'files');
    if (withSecrets) await target.copyFrom(dataDir, 'secrets');
  });
}
