import { setTimeout as sleep } from 'node:timers/promises';
import {
  deleteHeldPlaces,
  holdPlaces,
  insertHeldPlaces,
  markCopied,
  releasePlaces,
  selectHeldPlaces,
} from '../../notifications/queue/held-places.ts';
import { foldRollups } from '../../notifications/rollups/fold.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { copyConfiguration } from '../../stores/configuration-copy.ts';
import { insertRows } from '../../stores/copied-rows.ts';
import { mainStore } from '../../stores/service-stores.ts';
import { copyChanges, copyChangesWithin, readConsistently } from './copy-rows.ts';
import { type MoveContext, whileMoving, withShortLocks } from './move-context.ts';
import { addTask, deleteTasks, selectTasksOf } from './moved-tasks.sql.ts';
import {
  deleteArrivingRows,
  deleteMoving,
  hasUnfolded,
  insertArrivingRows,
  lockWrites,
  selectArrivingRows,
  updateState,
} from './moving-services.sql.ts';
import { switchStore } from './service-moves.sql.ts';
import { deleteSwitchRows, type ServiceTable, selectSwitchRows } from './service-rows.sql.ts';

const pause_ms = 50;

/** With fewer changes to copy, the pause is short. */
const fewChanges = 500;

/**
 * Makes the other store the home of the service. What is moved at the switch is written to `arriving_rows` first: until the switch, nothing
 * counts or sends it there. Returns for how many milliseconds nothing was accepted.
 */
export async function switchService(context: MoveContext): Promise<number> {
  for (;;) {
    while ((await copyChanges(context)) > fewChanges);
    await foldRollups(context.from.db);
    await holdMessages(context);
    const closedAt = performance.now();
    await close(context);
    // A worker took messages at the last moment. They are sent first.
    if ((await holdPlaces(context.from.db, context.move.service_id)) > 0) {
      await updateState(context.from.db, context.move.service_id, 'holding');
      continue;
    }
    await copyRest(context);
    await inTransaction(context.main, (tx) => switchStore(tx, context.move, timestamp(context.clock.now())));
    await finishSwitch(context);
    return Math.round(performance.now() - closedAt);
  }
}

/** Waits until no worker is sending messages of the service. New ones are accepted and wait. */
async function holdMessages(context: MoveContext): Promise<void> {
  const { from, move } = context;
  await updateState(from.db, move.service_id, 'holding');
  while ((await holdPlaces(from.db, move.service_id)) > 0) {
    await sleep(pause_ms);
    await copyHeldPlaces(context);
  }
  await copyHeldPlaces(context);
  await copyChanges(context);
}

async function copyHeldPlaces({ from, to, move }: MoveContext): Promise<void> {
  for (;;) {
    const held = await selectHeldPlaces(from.db, move.service_id);
    if (!held) return;
    await inTransaction(to.db, (tx) => insertHeldPlaces(tx, held.rows));
    await markCopied(from.db, held.ids);
  }
}

async function close({ from, move }: MoveContext): Promise<void> {
  await withShortLocks(from.db, async (tx) => {
    await lockWrites(tx, move.service_id);
    await updateState(tx, move.service_id, 'closed');
  });
}

/** Platform totals count what was folded where it was folded, so nothing may be left to fold elsewhere. */
async function copyRest(context: MoveContext): Promise<void> {
  const { from, to, move, tables } = context;
  while (await hasUnfolded(from.db, move.service_id)) {
    await foldRollups(from.db);
    await sleep(pause_ms / 5);
  }
  await copyHeldPlaces(context);
  const switched = tables.filter(({ atSwitch }) => atSwitch !== undefined);
  await whileMoving(to.db, (target) =>
    readConsistently(from.db, async (source) => {
      await copyChangesWithin(context, source, target);
      // Of an earlier process that was killed.
      await deleteArrivingRows(target, move.service_id);
      for (const table of switched) {
        for (const rows of await selectSwitchRows(source, table, move.service_id)) {
          await insertArrivingRows(target, move.service_id, table.name, rows);
        }
      }
    }),
  );
}

/** What follows the switch. Can be repeated. The service is counted in no store for a moment, never in two. */
export async function finishSwitch({ main, from, to, move, tables }: MoveContext): Promise<void> {
  const { service_id } = move;
  await whileMoving(from.db, async (tx) => {
    await updateState(tx, service_id, 'gone');
    for (const table of tables) if (table.atSwitch !== undefined) await deleteSwitchRows(tx, table, service_id);
    await deleteHeldPlaces(tx, service_id);
  });
  await whileMoving(to.db, async (tx) => {
    const arrived = await selectArrivingRows(tx, service_id);
    for (const { table_name, rows } of arrived) await insertRows(tx, tableNamed(tables, table_name), rows);
    await deleteArrivingRows(tx, service_id);
    await releasePlaces(tx, service_id);
    await deleteMoving(tx, service_id);
  });
  for (const store of [from, to]) if (store.store !== mainStore) await copyConfiguration(main, store.db);
  await moveTasks(from, to, service_id);
}

function tableNamed(tables: readonly ServiceTable[], name: string): ServiceTable {
  const table = tables.find((one) => one.name === name);
  if (!table) throw new Error(`Rows of ${name} cannot be moved`);
  return table;
}

/** Tasks that may be about other services too stay, and are added: each store finds the messages that it has. */
async function moveTasks(from: MoveContext['from'], to: MoveContext['to'], serviceId: string): Promise<void> {
  const tasks = await selectTasksOf(from.db, serviceId);
  for (const task of tasks) await addTask(to.db, task);
  const own = tasks.filter((task) => !task.is_shared).map(({ id }) => id);
  if (own.length > 0) await deleteTasks(from.db, own);
}

/** The service goes on in the store that it is at home in; the move can be continued later. */
export async function reopen({ from, to, move }: MoveContext): Promise<void> {
  await inTransaction(from.db, async (tx) => {
    await updateState(tx, move.service_id, 'leaving');
    await releasePlaces(tx, move.service_id);
  });
  await inTransaction(to.db, async (tx) => {
    await deleteArrivingRows(tx, move.service_id);
    await deleteHeldPlaces(tx, move.service_id);
  });
}
