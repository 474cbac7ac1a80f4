import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config.ts';
import { type Db, openDatabase, refuseOtherSettings } from '../../platform/db/database.ts';
import { urlsOfHosts } from '../../platform/db/database-hosts.ts';
import { createLog } from '../../platform/log.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import type { Platform } from '../../platform/platform.ts';
import { countUncopied } from '../../stores/copy-lag.ts';
import { refuseUnknownStores } from '../../stores/known-stores.ts';
import { refuseOtherStore } from '../../stores/refuse-store.ts';
import type { InStores } from '../../stores/stores.ts';
import { checkDatabase, checkPool } from './databases.ts';
import { type Checked, type Finding, finding } from './finding.ts';

/** A copy runs every second. */
const patience_ms = 3_000;
const look_ms = 250;

const ofStore = (number: number, url: string): Checked => ({
  url,
  hosts: urlsOfHosts(url).length,
  setting: `store ${number} in MESSAGE_STORES`,
  of: `store ${number} `,
});

/** Nothing while there is only the main database. */
export async function checkStores(config: Config, url: string): Promise<Finding[]> {
  const { databases } = config.stores;
  const log = createLog('silent');
  const main = openDatabase({ url, poolSize: 1, log });
  const checkOne = async ({ number, url }: (typeof databases)[number]) => {
    const found = await checkDatabase(config, ofStore(number, url));
    // What follows needs the tables.
    if (found.some(({ name, ok }) => !ok && /(database|schema)$/.test(name))) return found;
    const store = openDatabase({ url, poolSize: 1, log });
    try {
      await refuseOtherSettings(store.pool);
      return [...found, ...(await checkRole(main.db, store.db, number))];
    } catch (error) {
      return [...found, finding(`store ${number}`, false, 'cannot be used', reasonOf(error))];
    } finally {
      await store.close();
    }
  };
  try {
    const known = await checkKnown(main.db, databases);
    return [...known, ...(await Promise.all(databases.map(checkOne))).flat()];
  } finally {
    await main.close();
  }
}

/** The same in a process that runs, with its own connections. */
export async function checkRunningStores({
  config,
  stores,
}: InStores<Platform> & { config: Config }): Promise<Finding[]> {
  const checks = config.stores.databases.map(async ({ number, url }) => {
    const store = stores.all.find((one) => one.store === number);
    return store ? checkPool(config, store.pool, ofStore(number, url)) : [];
  });
  return (await Promise.all(checks)).flat();
}

async function checkKnown(main: Db, databases: Config['stores']['databases']): Promise<Finding[]> {
  const numbers = databases.map(({ number }) => number);
  try {
    await refuseUnknownStores(main, numbers);
    return numbers.length > 0 ? [finding('stores', true, `the main database and ${numbers.join(', ')}`)] : [];
  } catch (error) {
    // Otherwise the check of the main database reports it.
    return error instanceof OperatorError ? [finding('stores', false, 'not all can be used', error.message)] : [];
  }
}

/** Whether it is the store that the setting says, with the configuration of the main database. */
async function checkRole(main: Db, store: Db, number: number): Promise<Finding[]> {
  await refuseOtherStore(main, store, number);
  return [
    finding(`store ${number}`, true, `store ${number} of this installation`),
    await checkCopy(main, store, number),
  ];
}

async function checkCopy(main: Db, store: Db, number: number): Promise<Finding> {
  const until = performance.now() + patience_ms;
  let uncopied = await countUncopied(main, store);
  while (uncopied !== 0 && performance.now() < until) {
    await sleep(look_ms);
    uncopied = await countUncopied(main, store);
  }
  const behind = uncopied === 'all' ? 'nothing has been copied' : `${uncopied} changes have not been copied`;
  return finding(
    `store ${number} configuration`,
    uncopied === 0,
    uncopied === 0 ? 'up to date with the main database' : behind,
    'a process copies them every second: start one, or look for `store.away` in its log',
  );
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
