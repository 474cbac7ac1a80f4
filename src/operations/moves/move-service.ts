import { setTimeout as sleep } from 'node:timers/promises';
import { minute_ms, timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { exists } from '../../platform/db/exists.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { selectHorizon } from '../../stores/configuration-copy.ts';
import { listStores, unknownStore } from '../../stores/known-stores.ts';
import { findHome, mainStore } from '../../stores/service-stores.ts';
import type { InStores } from '../../stores/stores.ts';
import { platformServiceId } from '../../users/account-messages/account-messages.ts';
import { copyRows, deleteRows, readConsistently } from './copy-rows.ts';
import { deleteAllChangesOf, followTable, holdNewPlaces, unfollowTable } from './followed-changes.sql.ts';
import {
  contextOf,
  type MoveContext,
  type StoreDb,
  storeNumbered,
  whileMoving,
  withShortLocks,
} from './move-context.ts';
import { hasTasks } from './moved-tasks.sql.ts';
import { deleteMoving, findMoving, hasMovingServices, insertMoving, updateCopiedUntil } from './moving-services.sql.ts';
import {
  deleteMove,
  insertMove,
  type ServiceMove,
  selectMoves,
  tryToLockMove,
  unlockMove,
} from './service-moves.sql.ts';
import { finishSwitch, reopen, switchService } from './switch-store.ts';

export interface Mover {
  stores: readonly StoreDb[];
  /** Tasks that do not run while a service is moved. */
  pausedTasks: string[];
  /** Tasks about messages of several services, which must end before the service leaves. */
  sharedTasks: string[];
  /** Longer than any process takes to notice that a service has moved. */
  settle_ms: number;
  say(text: string): void;
}

/** Of processes that missed the notification: as long as they cache where a service is at home, and a bit. */
export const usualSettle_ms = minute_ms + 10_000;

/**
 * Moves the messages of a service to another store while it sends. Can be repeated after it was interrupted: it continues. Naming the store
 * that the service is still at home in cancels an interrupted move.
 */
export async function moveService(mover: Mover, serviceId: string, toStore: number): Promise<void> {
  const { db } = storeNumbered(mover.stores, mainStore);
  await withMoveLock(db, serviceId, async (main) => {
    const known = (await selectMoves(main)).find(({ service_id }) => service_id === serviceId);
    const move = known ?? (await newMove(main, mover.stores, serviceId, toStore));
    if (!move) return mover.say(`The service is at home in store ${toStore}.`);
    const context = await contextOf(main, mover.stores, move, mover.say);
    if (move.switched_at === null && toStore === move.from_store) return cancel(context);
    if (toStore !== move.to_store) {
      throw new OperatorError(
        `The service is being moved to store ${move.to_store}. Finish that first: \`pennypost stores move ${serviceId} ${move.to_store}\`.`,
      );
    }
    if (move.switched_at === null) {
      await begin(context, mover);
      await copyRows(context);
      const pause = await switchService(context);
      mover.say(`The service is at home in store ${toStore}. Nothing was accepted for ${pause} ms.`);
    } else {
      await finishSwitch(context);
    }
    mover.say('Deleting the old rows.');
    await cleanUp(context, mover.settle_ms);
    mover.say('Moved.');
  });
}

async function withMoveLock(main: Db, serviceId: string, work: (main: Db) => Promise<void>): Promise<void> {
  await main.connection().execute(async (connection) => {
    if (!(await tryToLockMove(connection, serviceId))) {
      throw new OperatorError('Another process is moving this service.');
    }
    await work(connection).finally(() => unlockMove(connection, serviceId).catch(() => undefined));
  });
}

/** Undefined if the service is there already. */
async function newMove(
  main: Db,
  stores: readonly StoreDb[],
  service_id: string,
  to_store: number,
): Promise<ServiceMove | undefined> {
  const { clock } = storeNumbered(stores, to_store);
  if (!(await listStores(main)).some(({ number }) => number === to_store)) throw unknownStore(to_store);
  if (!(await exists(main, 'services', service_id))) throw new OperatorError(`There is no service ${service_id}.`);
  if (service_id === platformServiceId) {
    throw new OperatorError('The service of the platform itself sends sign-in codes and stays in the main database.');
  }
  const from_store = await findHome(main, service_id);
  if (from_store === to_store) return undefined;
  const move = { service_id, from_store, to_store, switched_at: null };
  await insertMove(main, move, timestamp(clock.now()));
  return move;
}

/** From here on, changes of the service are listed. */
async function begin(context: MoveContext, { pausedTasks, sharedTasks }: Mover): Promise<void> {
  const { from, to, move, tables } = context;
  await insertMoving(to.db, move.service_id, 'arriving');
  await insertMoving(from.db, move.service_id, 'leaving');
  const isBusy = async () =>
    (await hasTasks(from.db, { running: pausedTasks, waiting: sharedTasks })) ||
    (await hasTasks(to.db, { running: pausedTasks, waiting: [] }));
  while (await isBusy()) await sleep(500);
  for (const store of [to, from]) {
    for (const table of tables) await withShortLocks(store.db, (tx) => followTable(tx, table, move.service_id));
  }
  await withShortLocks(from.db, (tx) => holdNewPlaces(tx, move.service_id));
  const moving = await findMoving(to.db, move.service_id);
  if (moving?.copied_until) return;
  const { horizon } = await readConsistently(from.db, selectHorizon);
  await whileMoving(to.db, (tx) => updateCopiedUntil(tx, move.service_id, horizon));
}

/** Old rows are deleted when no process can write to them any more. */
async function cleanUp(context: MoveContext, settle_ms: number): Promise<void> {
  const { main, from, to, move } = context;
  await sleep(settle_ms);
  await finishSwitch(context);
  await deleteRows(context, from);
  await forget(context, from);
  await forget(context, to);
  await deleteMove(main, move.service_id);
}

/** Removes what a move leaves in a store besides the rows. */
async function forget({ tables, move }: MoveContext, { db }: StoreDb): Promise<void> {
  const names = [...tables.map(({ name }) => name), 'delivery_queue'];
  for (const name of names) await withShortLocks(db, (tx) => unfollowTable(tx, name, move.service_id));
  await inTransaction(db, async (tx) => {
    await deleteMoving(tx, move.service_id);
    await deleteAllChangesOf(tx, move.service_id);
  });
}

async function cancel(context: MoveContext): Promise<void> {
  const { main, from, to, move, say } = context;
  await reopen(context);
  await deleteRows(context, to);
  await forget(context, to);
  await forget(context, from);
  await deleteMove(main, move.service_id);
  say(`Cancelled: the service stays in store ${move.from_store}.`);
}

/** Moves that are not complete. */
export function listMoves(main: Db): Promise<ServiceMove[]> {
  return selectMoves(main);
}

/**
 * For moves whose process died: before the switch the service goes on where it is, after it the service goes on in its new store. The rest is
 * done when the command is repeated.
 */
export async function resumeMoves(stores: readonly StoreDb[]): Promise<void> {
  const { db } = storeNumbered(stores, mainStore);
  for (const { service_id } of await selectMoves(db)) {
    await db.connection().execute(async (main) => {
      if (!(await tryToLockMove(main, service_id))) return;
      try {
        const move = (await selectMoves(main)).find((one) => one.service_id === service_id);
        if (move) await goOn(await contextOf(main, stores, move, () => undefined));
      } finally {
        await unlockMove(main, service_id);
      }
    });
  }
}

async function goOn(context: MoveContext): Promise<void> {
  const { from, move } = context;
  const { service_id, to_store } = move;
  const state = (await findMoving(from.db, service_id))?.state;
  if (move.switched_at !== null) await finishSwitch(context);
  else if (state === 'holding' || state === 'closed') await reopen(context);
  from.log.warn(
    { event: 'move.interrupted', service: service_id, to_store },
    'A service is half moved: run `pennypost stores move` again',
  );
}

/** For tasks that count or delete messages: those of a service that is being moved are in two stores. They are retried. */
export async function refuseDuringMoves({ db, stores }: InStores<StoreDb> & Pick<StoreDb, 'db'>): Promise<void> {
  if (stores.isOne) return;
  if (await hasMovingServices(db))
    throw new Error('A service is being moved to or from this store: waiting until that is done');
}
