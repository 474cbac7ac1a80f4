import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createGunzip, createGzip } from 'node:zlib';
import type pg from 'pg';
import { partitionOf } from '../../notifications/partitions.ts';
import { londonDay } from '../../platform/calendar.ts';
import { DatabaseClient } from '../../platform/db/database-client.ts';
import { isBeforeBaseline, migrate, migrationFiles } from '../../platform/db/migrate.ts';
import type { Seed } from '../../platform/db/seed.ts';
import { momentOfId } from '../../platform/id.ts';
import type { Log } from '../../platform/log.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import {
  addPartition,
  addWaitingTask,
  beginSnapshot,
  copyIn,
  copyOut,
  countUnsent,
  emptyTables,
  isUnused,
  listAppliedMigrations,
  listTablesToKeep,
  listWaitingTasks,
  type WaitingTask,
  withForeignKeysCheckedAtTheEnd,
} from './backup.sql.ts';
import { BackupFolder, type EncryptedTo, type OpenedWith } from './backup-folder.ts';
import { endUnsentMessages } from './unsent-messages.ts';

/**
 * A backup is a folder: `database.sql.gz`, the `files` of the data folder, and its `secrets` only on request, because they
 * decrypt what the database stores encrypted. The database part is a consistent snapshot in the COPY format of PostgreSQL,
 * taken while the service runs; it needs no other tools.
 */

interface BackupOptions {
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
  const target = await BackupFolder.create(folder, encryption);
  await withClient(url, async (client) => {
    await beginSnapshot(client);
    const file = createGzip();
    const written = target.write('database.sql.gz', file);
    const write = async (text: string | Buffer) => {
      if (!file.write(text)) await once(file, 'drain');
    };
    await write(`-- migrations ${(await listAppliedMigrations(client)).join(' ')}\n`);
    for (const { table, columns } of await listTablesToKeep(client)) {
      await write(`COPY ${table} (${columns.join(', ')}) FROM stdin;\n`);
      for await (const chunk of copyOut(client, table, columns)) await write(chunk);
      await write('\\.\n');
      say(`  ${table}`);
    }
    for (const task of await listWaitingTasks(client)) await write(`-- task ${JSON.stringify(task)}\n`);
    file.end();
    await written;
  });
  await target.copyFrom(dataDir, 'files');
  if (withSecrets) await target.copyFrom(dataDir, 'secrets');
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
}: BackupOptions & OpenedWith & { log: Log; seeds: readonly Seed[]; endUnsent?: boolean }): Promise<{
  secrets: number;
}> {
  const source = await BackupFolder.open(folder, opening);
  const lines = createInterface({
    input: (await source.read('database.sql.gz')).pipe(createGunzip()),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  const reader = lines[Symbol.asyncIterator]();
  const first = await reader.next();
  const migrations = String(first.value).replace('-- migrations ', '').split(' ');
  if (isBeforeBaseline(migrations)) {
    throw new OperatorError(
      'The backup was made by Pennypost 0.2.0 or earlier, which cannot be upgraded: restore it with that release.',
    );
  }
  const available = migrationFiles();
  if (migrations.some((name) => !available.includes(name))) {
    throw new OperatorError('The backup was made by a newer version: install that version, then restore.');
  }
  await migrate(url, log, { only: migrations, seeds: [] });
  await withClient(url, async (client) => {
    if (!(await isUnused(client))) throw new OperatorError('The database is in use: restore into an empty one.');
    const applied = await listAppliedMigrations(client);
    if (applied.join() !== migrations.join()) {
      throw new OperatorError('The database has a newer schema than the backup: restore into an empty one.');
    }
    await client.query('begin');
    const tables = await listTablesToKeep(client);
    await emptyTables(
      client,
      tables.map(({ table }) => table),
    );
    await withForeignKeysCheckedAtTheEnd(client, () => load(client, reader, say));
    await client.query('commit');
  });
  await migrate(url, log, { seeds });
  if (endUnsent) await endUnsentMessages(url, log);
  await withClient(url, async (client) => {
    const { messages, letters } = await countUnsent(client);
    if (messages + letters > 0) {
      say(`${messages} messages and ${letters} letters are waiting and will be sent as soon as a worker starts.`);
      say('Messages sent after the backup was made will be sent again: restore with --end-unsent to prevent that.');
    }
  });
  await source.restoreTo(dataDir, 'files');
  return { secrets: await source.restoreTo(dataDir, 'secrets') };
}

async function load(client: pg.Client, reader: AsyncIterator<string>, say: BackupOptions['say']): Promise<void> {
  for (let line = await reader.next(); !line.done; line = await reader.next()) {
    const text = String(line.value);
    const [, table, columns = ''] = /^COPY (\w+) \(([^)]*)\) FROM stdin;$/.exec(text) ?? [];
    if (table) {
      await copyIntoTable(client, table, columns.split(', '), reader);
      say(`  ${table}`);
    } else if (text.startsWith('-- task ')) {
      await addWaitingTask(client, JSON.parse(text.slice('-- task '.length)) as WaitingTask);
    }
  }
}

async function copyIntoTable(
  client: pg.Client,
  table: string,
  columns: string[],
  reader: AsyncIterator<string>,
): Promise<void> {
  const idAt = columns.indexOf('id');
  const days = new Set<string>();
  let copying = beginCopy();
  for (let line = await reader.next(); !line.done && line.value !== '\\.'; line = await reader.next()) {
    const text = String(line.value);
    const day = table === 'notifications' ? londonDay(momentOfId(text.split('\t', idAt + 1)[idAt] ?? '')) : undefined;
    if (day !== undefined && !days.has(day)) {
      // Rows are roughly ordered by day, so this happens about once per day.
      await copying.end();
      days.add(day);
      await addPartition(client, partitionOf(day));
      copying = beginCopy();
    }
    await copying.write(`${text}\n`);
  }
  await copying.end();

  function beginCopy() {
    const stream = copyIn(client, table, columns);
    const finished = once(stream, 'finish');
    return {
      async write(text: string) {
        if (!stream.write(text)) await once(stream, 'drain');
      },
      async end() {
        stream.end();
        await finished;
      },
    };
  }
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new DatabaseClient({ connectionString: url, mayBeStandby: true });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
