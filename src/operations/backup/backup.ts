import pg from 'pg';
import { isServerGone } from '../../platform/db/server-gone.ts';
import { compareServers } from '../../platform/db/servers/replication.ts';
import { maxBehind_ms } from '../../platform/db/servers/standby.ts';
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
  replicaUrl,
  dataDir,
  folder,
  say,
  withSecrets = false,
  ...encryption
}: BackupOptions & EncryptedTo & { replicaUrl?: string | undefined; withSecrets?: boolean }): Promise<void> {
  const target = await withClient(url, async (primary) => {
    const created = await BackupFolder.create(folder, encryption);
    const dump = async (client: pg.Client) => {
      await beginSnapshot(client);
      await writeDump(client, created, say);
    };
    const isDone = replicaUrl !== undefined && (await dumpStandby(primary, replicaUrl, dump, say));
    // On a new connection, because the first may have been idle for hours.
    if (!isDone) await withClient(url, dump);
    return created;
  });
  await target.copyFrom(dataDir, 'files');
  if (withSecrets) await target.copyFrom(dataDir, 'secrets');
}

/** Returns false if the standby cannot be used. It may cancel a long snapshot that conflicts with replay. */
async function dumpStandby(
  primary: pg.Client,
  replicaUrl: string,
  dump: (client: pg.Client) => Promise<void>,
  say: (line: string) => void,
): Promise<boolean> {
  const work = async (standby: pg.Client) => {
    const { problem } = await compareServers(primary, standby, maxBehind_ms);
    say(problem === undefined ? '  reading from the standby' : `  reading from the primary: the standby ${problem}`);
    if (problem !== undefined) return false;
    await dump(standby);
    return true;
  };
  try {
    return await withClient(replicaUrl, work, 'standby');
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) && !isServerGone(error)) throw error;
    say(
      `  reading everything from the primary: the standby failed (${error instanceof Error ? error.message : error})`,
    );
    return false;
  }
}
