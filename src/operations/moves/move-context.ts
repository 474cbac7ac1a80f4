import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { selectTables } from '../../stores/copied-rows.ts';
import { unknownStore } from '../../stores/known-stores.ts';
import { movedTables } from './moved-tables.ts';
import { waitBrieflyForLocks, writeAsMover } from './moving-services.sql.ts';
import type { ServiceMove } from './service-moves.sql.ts';
import type { ServiceTable } from './service-rows.sql.ts';

export type StoreDb = Pick<Platform, 'store' | 'db' | 'clock' | 'log'>;

/** What the steps of a move need. */
export interface MoveContext {
  /** The connection that holds the lock of the move: when it is lost, the service cannot be switched. */
  main: Db;
  stores: readonly StoreDb[];
  from: StoreDb;
  to: StoreDb;
  move: ServiceMove;
  tables: readonly ServiceTable[];
  clock: Clock;
  say(text: string): void;
}

export async function contextOf(
  main: Db,
  stores: readonly StoreDb[],
  move: ServiceMove,
  say: (text: string) => void,
): Promise<MoveContext> {
  const [from, to] = [storeNumbered(stores, move.from_store), storeNumbered(stores, move.to_store)];
  const shapes = await selectTables(
    main,
    movedTables.map(({ name }) => name),
  );
  const tables = movedTables.map((table) => {
    const shape = shapes.find(({ name }) => name === table.name);
    if (!shape) throw new Error(`There is no table ${table.name}`);
    return { ...table, ...shape };
  });
  return { main, stores, from, to, move, tables, clock: from.clock, say };
}

export function storeNumbered(stores: readonly StoreDb[], number: number): StoreDb {
  const found = stores.find(({ store }) => store === number);
  if (!found) throw unknownStore(number);
  return found;
}

/** A transaction whose writes about a moving service are neither listed nor refused. */
export function whileMoving<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await writeAsMover(tx);
    return work(tx);
  });
}

const lockAttempts = 60;

/**
 * A transaction that waits for locks only briefly, because all other writers wait behind it, and tries again. Gives up after a minute or
 * two.
 */
export async function withShortLocks<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(db, async (tx) => {
        await waitBrieflyForLocks(tx);
        return work(tx);
      });
    } catch (error) {
      const isBusy = (error as { code?: string }).code === '55P03';
      if (!isBusy || attempt === lockAttempts) throw error;
      await sleep(500 + Math.random() * 1_000);
    }
  }
}
