import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createGunzip, createGzip, type Gzip } from 'node:zlib';
import type pg from 'pg';
import type { Country } from '../../countries/country.ts';
import { partitionOf } from '../../notifications/partitions.ts';
import { DatabaseClient } from '../../platform/db/database-client.ts';
import { hasOlderSchema, migrationFiles } from '../../platform/db/migrate.ts';
import type { ServerRole } from '../../platform/db/servers/database-hosts.ts';
import { OperatorError } from '../../platform/failure.ts';
import { momentOfId } from '../../platform/id.ts';
import type { Installation } from '../country/installation.sql.ts';
import {
  addPartition,
  addWaitingTask,
  copyIn,
  copyOut,
  listAppliedMigrations,
  listTablesToKeep,
  listWaitingTasks,
  selectBackedUpInstallation,
  type WaitingTask,
} from './backup.sql.ts';
import type { BackupFolder } from './backup-folder.ts';

const dumpName = 'database.sql.gz';

/** Writes the rows of the tables and the waiting tasks as the client's transaction sees them. */
export async function writeDump(client: pg.Client, target: BackupFolder, say: (line: string) => void): Promise<void> {
  const file = createGzip();
  const written = target.write(dumpName, file);
  try {
    await writeRows(client, file, say);
  } catch (error) {
    // The caller may repeat the dump and write the same file again.
    file.destroy();
    await written.catch(() => undefined);
    throw error;
  }
  file.end();
  await written;
}

async function writeRows(client: pg.Client, file: Gzip, say: (line: string) => void): Promise<void> {
  const write = async (text: string | Buffer) => {
    if (!file.write(text)) await once(file, 'drain');
  };
  await write(`-- migrations ${(await listAppliedMigrations(client)).join(' ')}\n`);
  const installation = await selectBackedUpInstallation(client);
  if (installation) await write(`${installationMark}${JSON.stringify(installation)}\n`);
  for (const { table, columns, has_rows } of await listTablesToKeep(client)) {
    await write(`COPY ${table} (${columns.join(', ')}) FROM stdin;\n`);
    if (has_rows) for await (const chunk of copyOut(client, table, columns)) await write(chunk);
    await write('\\.\n');
    say(`  ${table}`);
  }
  for (const task of await listWaitingTasks(client)) await write(`-- task ${JSON.stringify(task)}\n`);
}

/** Marks the installation, which a restore compares with its settings before it loads anything. */
const installationMark = '-- installation ';

/** A dump after its first lines were read. */
interface Dump {
  migrations: string[];
  /** Undefined if the dump has no mark. */
  installation: Installation | undefined;
  lines: AsyncIterator<string>;
}

export async function openDump(source: BackupFolder): Promise<Dump> {
  const input = (await source.read(dumpName)).pipe(createGunzip());
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  const first = await lines.next();
  const migrations = String(first.value).replace('-- migrations ', '').split(' ');
  if (hasOlderSchema(migrations)) {
    throw new OperatorError(
      'The backup was made by a version of Pennypost before 1.0.0, which cannot be upgraded: restore it with that version. Nothing was loaded.',
    );
  }
  const available = migrationFiles();
  if (migrations.some((each) => !available.includes(each))) {
    throw new OperatorError('The backup was made by a newer version: install that version, then restore.');
  }
  const second = await lines.next();
  const text = String(second.value);
  if (text.startsWith(installationMark)) {
    return { migrations, installation: JSON.parse(text.slice(installationMark.length)) as Installation, lines };
  }
  return { migrations, installation: undefined, lines: beginningWith(second, lines) };
}

/** Puts a line that was already read back at the beginning. */
function beginningWith(first: IteratorResult<string>, lines: AsyncIterator<string>): AsyncIterator<string> {
  let isRead = false;
  return {
    next: () => {
      if (isRead) return lines.next();
      isRead = true;
      return Promise.resolve(first);
    },
  };
}

export async function loadDump(
  client: pg.Client,
  { lines: reader }: Dump,
  { country, say }: { country: Country; say: (line: string) => void },
): Promise<void> {
  for (let line = await reader.next(); !line.done; line = await reader.next()) {
    const text = String(line.value);
    const [, table, columns = ''] = /^COPY (\w+) \(([^)]*)\) FROM stdin;$/.exec(text) ?? [];
    if (table) {
      await copyIntoTable(country, client, table, columns.split(', '), reader);
      say(`  ${table}`);
    } else if (text.startsWith('-- task ')) {
      await addWaitingTask(client, JSON.parse(text.slice('-- task '.length)) as WaitingTask);
    }
  }
}

async function copyIntoTable(
  { calendar }: Country,
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
    const day =
      table === 'notifications' ? calendar.day(momentOfId(text.split('\t', idAt + 1)[idAt] ?? '')) : undefined;
    if (day !== undefined && !days.has(day)) {
      // Rows are roughly ordered by day, so this happens about once a day.
      await copying.end();
      days.add(day);
      await addPartition(client, partitionOf(calendar, day));
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

export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
  role: ServerRole = 'primary',
): Promise<T> {
  // The transaction idles while the backup is written to disk, and the role may have a short timeout for requests.
  const options = '-c TimeZone=UTC -c DateStyle=ISO -c idle_in_transaction_session_timeout=0';
  const client = new DatabaseClient({ connectionString: url, role, mayBeStandby: true, options });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
