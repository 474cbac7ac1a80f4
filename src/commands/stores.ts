import type { Config } from '../config.ts';
import { systemClock } from '../platform/clock.ts';
import type { Command } from '../platform/command-line.ts';
import { type Db, openDatabase } from '../platform/db/database.ts';
import { migrate } from '../platform/db/migrate.ts';
import { createLog } from '../platform/log.ts';
import { OperatorError } from '../platform/operator-error.ts';
import { seeds, storeSeeds } from '../seeds.ts';
import { addStore } from '../stores/add-store.ts';
import { listStores, openOrCloseStore } from '../stores/known-stores.ts';
import { print } from './print.ts';
import { readConfig } from './read-config.ts';
import { withDatabase } from './with-database.ts';

const actions = ['list', 'add', 'close', 'open'];

export const stores: Command = {
  more: [
    'list          the stores, whether new services may get them, and how many services they have',
    'add <number>  prepare the database that MESSAGE_STORES names under this number, and open it for new services',
    'close <number>, open <number>  whether new services may get it; those that are there stay',
    '',
    'Number 0 is the main database. See docs/operations/scaling.md.',
  ],
  run,
};

async function run([action = '', number = '']: string[]): Promise<void> {
  if (!actions.includes(action)) throw new OperatorError(`Unknown action "${action}": use ${actions.join(', ')}.`);
  const config = readConfig();
  await withDatabase(config, async (url) => {
    const log = createLog('silent');
    await migrate(url, log, { seeds, wait_ms: config.database.wait_ms });
    const { db, close } = openDatabase({ url, poolSize: 2, log });
    try {
      if (action === 'list') await list(db);
      else if (action === 'add') await add(config, db, readNumber(number));
      else await change(db, readNumber(number), action === 'open');
    } finally {
      await close();
    }
  });
}

function readNumber(text: string): number {
  if (!/^[0-9]{1,3}$/.test(text) || Number(text) > 255) {
    throw new OperatorError(`"${text}" is no store: give its number, from 0 to 255.`);
  }
  return Number(text);
}

async function list(main: Db): Promise<void> {
  const found = await listStores(main);
  if (found.length === 0) return print('There is only the main database.');
  print('store  new services  services');
  for (const { number, is_open, services } of found) {
    print(`${String(number).padStart(5)}  ${(is_open ? 'yes' : 'no').padStart(12)}  ${String(services).padStart(8)}`);
  }
}

async function add(config: Config, main: Db, number: number): Promise<void> {
  const named = config.stores.databases.find((database) => database.number === number);
  if (!named)
    throw new OperatorError(`MESSAGE_STORES names no store ${number}. Add \`${number}=postgres://...\` to it.`);
  const log = createLog('silent');
  await migrate(named.url, log, { seeds: storeSeeds, wait_ms: config.database.wait_ms });
  const { db, close } = openDatabase({ url: named.url, poolSize: 2, log });
  try {
    await addStore(main, db, number, systemClock);
  } finally {
    await close();
  }
  print(`Store ${number} is ready. Restart every process with the same MESSAGE_STORES.`);
}

async function change(main: Db, number: number, is_open: boolean): Promise<void> {
  await openOrCloseStore(main, number, is_open);
  print(is_open ? `New services may get store ${number}.` : `New services do not get store ${number} any more.`);
}
