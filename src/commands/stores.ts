import type { Config } from '../config.ts';
import { drainStore } from '../operations/moves/drain-store.ts';
import { listMoves, type Mover, moveService, usualSettle_ms } from '../operations/moves/move-service.ts';
import { hour_ms, systemClock } from '../platform/clock.ts';
import type { Command, Flags } from '../platform/command-line.ts';
import { type Db, longPausesInTransactions, openDatabase } from '../platform/db/database.ts';
import { migrate } from '../platform/db/migrate.ts';
import { isUuid } from '../platform/id.ts';
import { createLog } from '../platform/log.ts';
import { OperatorError } from '../platform/operator-error.ts';
import { seeds, storeSeeds } from '../seeds.ts';
import { addStore } from '../stores/add-store.ts';
import { listStores, openOrCloseStore } from '../stores/known-stores.ts';
import { mainStore } from '../stores/service-stores.ts';
import { pausedTasks, sharedTasks } from '../tasks.ts';
import { print } from './print.ts';
import { readConfig } from './read-config.ts';
import { withDatabase } from './with-database.ts';

const actions = ['list', 'add', 'close', 'open', 'move', 'drain'];

export const stores: Command = {
  flags: {
    settle: {
      value: '<seconds>',
      description:
        'for move and drain: how long the old store refuses the service before its rows there are deleted; 70',
    },
  },
  more: [
    'list          the stores, whether new services may get them, and how many services they have',
    'add <number>  prepare the database that MESSAGE_STORES names under this number, and open it for new services',
    'close <number>, open <number>  whether new services may get it; those that are there stay',
    'move <service> <number>  move the messages of a service, by its id, while it sends; repeat it if it was interrupted',
    'drain <number>  close the store and move all of its services to the open ones',
    '',
    'Number 0 is the main database. See docs/operations/scaling.md.',
  ],
  run,
};

async function run([action = '', number = '', target = '']: string[], { settle }: Flags): Promise<void> {
  const settle_ms = settle?.[0] === undefined ? usualSettle_ms : readSeconds(settle[0]) * 1_000;
  if (!actions.includes(action)) throw new OperatorError(`Unknown action "${action}": use ${actions.join(', ')}.`);
  const config = readConfig();
  await withDatabase(config, async (url) => {
    const log = createLog('silent');
    await migrate(url, log, { seeds, wait_ms: config.database.wait_ms });
    const { db, close } = openDatabase({ url, poolSize: 2, log });
    try {
      if (action === 'list') await list(db);
      else if (action === 'add') await add(config, db, readNumber(number));
      else if (action === 'move')
        await withMover(config, url, settle_ms, (mover) => move(mover, number, readNumber(target)));
      else if (action === 'drain')
        await withMover(config, url, settle_ms, (mover) => drainStore(mover, readNumber(number)));
      else await change(db, readNumber(number), action === 'open');
    } finally {
      await close();
    }
  });
}

function readSeconds(text: string): number {
  if (!/^[0-9]{1,4}$/.test(text)) throw new OperatorError(`"${text}" is no number of seconds.`);
  return Number(text);
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
  for (const { service_id, to_store } of await listMoves(main)) {
    print(
      `Service ${service_id} is being moved. If no command does that now: pennypost stores move ${service_id} ${to_store}`,
    );
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

async function move(mover: Mover, service: string, number: number): Promise<void> {
  if (!isUuid(service)) throw new OperatorError(`"${service}" is no service: give its id.`);
  await moveService(mover, service.toLowerCase(), number);
}

/** Connections to all databases, for as long as services are moved. */
async function withMover(
  config: Config,
  url: string,
  settle_ms: number,
  work: (mover: Mover) => Promise<void>,
): Promise<void> {
  const log = createLog('silent');
  const databases = [{ number: mainStore, url }, ...config.stores.databases];
  const opened = databases.map(({ number, url }) => ({
    store: number,
    ...openDatabase({ url, poolSize: 4, statementTimeout_ms: hour_ms, session: longPausesInTransactions, log }),
  }));
  const stores = opened.map(({ store, db }) => ({ store, db, clock: systemClock, log }));
  try {
    await work({ stores, pausedTasks, sharedTasks, settle_ms, say: print });
  } finally {
    for (const { close } of opened) await close();
  }
}
