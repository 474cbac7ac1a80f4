import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type pg from 'pg';
import { OperatorError } from '../../platform/operator-error.ts';
import { mainStore } from '../../stores/service-stores.ts';
import { readStore, selectStoreNumbers } from './backup.sql.ts';
import type { BackupFolder } from './backup-folder.ts';
import { connect } from './dump.ts';

/** A database of the installation; number 0 is the main one. */
export interface NumberedClient {
  number: number;
  url: string;
  client: pg.Client;
}

interface Urls {
  url: string;
  stores: readonly { number: number; url: string }[];
}

/** Connects to all of them first, so that nothing begins while one is away. */
export async function withDatabases<T>(
  { url, stores }: Urls,
  work: (main: NumberedClient, others: NumberedClient[]) => Promise<T>,
): Promise<T> {
  const opened: NumberedClient[] = [];
  try {
    for (const one of [{ number: mainStore, url }, ...stores]) {
      const client = await connect(one.url).catch((error) => {
        if (one.number === mainStore) throw error;
        throw new OperatorError(`Store ${one.number} cannot be reached: ${error.message}. Nothing was changed.`);
      });
      opened.push({ ...one, client });
    }
    const [main, ...others] = opened as [NumberedClient, ...NumberedClient[]];
    return await work(main, others);
  } finally {
    for (const { client } of opened) await client.end();
  }
}

/** A backup without one of the stores, or with another database, could not be restored. */
export async function refuseOtherStores(main: NumberedClient, others: readonly NumberedClient[]): Promise<void> {
  const added = (await selectStoreNumbers(main.client)).filter((number) => number !== mainStore);
  refuseMismatch(added, others, 'The main database');
  const { installation } = (await readStore(main.client)) ?? {};
  for (const { number, client } of others) {
    const store = await readStore(client);
    if (store?.number !== number || store.installation !== installation) {
      throw new OperatorError(
        `The database that MESSAGE_STORES names as store ${number} is another one. Correct its URL.`,
      );
    }
  }
}

export function refuseMismatch(expected: readonly number[], named: readonly { number: number }[], whose: string): void {
  const missing = expected.filter((number) => !named.some((one) => one.number === number));
  if (missing.length > 0) {
    const list = missing.join(' and ');
    throw new OperatorError(
      `${whose} has store ${list}, which MESSAGE_STORES lacks: add its URL. Nothing was changed.`,
    );
  }
  const unknown = named.map(({ number }) => number).filter((number) => !expected.includes(number));
  if (unknown.length > 0) {
    const list = unknown.join(' and ');
    throw new OperatorError(`MESSAGE_STORES names store ${list}, which ${lower(whose)} lacks. Nothing was changed.`);
  }
}

const lower = (sentence: string) => sentence.replace(/^./, (first) => first.toLowerCase());

export function dumpName(number: number): string {
  return number === mainStore ? 'database.sql.gz' : `store-${number}.sql.gz`;
}

const manifestName = 'stores.json';

/** Only with message stores. */
export async function writeManifest(target: BackupFolder, moments: ReadonlyMap<number, string>): Promise<void> {
  const manifest = {
    about: 'Each database is as it was at its own moment, not at one moment for all. Number 0 is the main database.',
    databases: [...moments].map(([number, taken_at]) => ({ number, file: dumpName(number), taken_at })),
  };
  await target.write(manifestName, Readable.from(`${JSON.stringify(manifest, null, 2)}\n`));
}

interface Moment {
  number: number;
  taken_at: string;
}

/** Empty for a backup of one database. */
export async function readManifest(source: BackupFolder): Promise<Moment[]> {
  if (!source.has(manifestName)) return [];
  return JSON.parse(await text(await source.read(manifestName))).databases;
}
