import { preparePastPartitions } from '../../notifications/partitions.ts';
import { londonDay } from '../../platform/calendar.ts';
import type { Tx } from '../../platform/db/database.ts';
import { momentOfId } from '../../platform/id.ts';
import { selectHorizon } from '../../stores/configuration-copy.ts';
import { insertRows, type Key, replaceRows, selectRows } from '../../stores/copied-rows.ts';
import { deleteChangesOf, selectChangesOf } from './followed-changes.sql.ts';
import { type MoveContext, whileMoving } from './move-context.ts';
import { findMoving, updateCopiedUntil, updateProgress } from './moving-services.sql.ts';
import { deletePage, isCopiedBefore, isOfService, type ServiceTable, selectPage } from './service-rows.sql.ts';

const usualRowsAtOnce = 1_000;
/** Between two lines of progress. */
const rowsPerLine = 100_000;

const partsOf = ({ parts }: ServiceTable) => parts ?? ['true'];

/** Copies all rows that may be in both stores. Continues where an earlier process stopped. */
export async function copyRows(context: MoveContext): Promise<void> {
  const { from, to, move, tables, say } = context;
  await createPartitions(context);
  const progress = (await findMoving(to.db, move.service_id))?.progress ?? {};
  let copied = 0;
  for (const table of tables) {
    for (const part of partsOf(table)) {
      const name = `${table.name} ${part}`;
      let last = progress[name];
      while (last !== 'done') {
        const limit = table.rowsAtOnce ?? usualRowsAtOnce;
        const page = await selectPage(from.db, table, move.service_id, { part, after: last, limit });
        const at = page.count < limit || !page.last ? 'done' : page.last;
        await whileMoving(to.db, async (tx) => {
          if (page.count > 0) await insertRows(tx, table, page.rows);
          await updateProgress(tx, move.service_id, name, at);
        });
        if (Math.floor((copied + page.count) / rowsPerLine) > Math.floor(copied / rowsPerLine)) {
          say(`Copied ${(copied + page.count).toLocaleString('en')} rows, now in ${table.name}.`);
        }
        copied += page.count;
        last = at;
      }
    }
  }
  say(`Copied ${copied.toLocaleString('en')} rows.`);
}

/** The other store has partitions since it exists; older messages would all go to its default one. */
async function createPartitions({ from, to, move, tables }: MoveContext): Promise<void> {
  const messages = tables.find(({ name }) => name === 'notifications');
  if (!messages) return;
  const oldest: string[] = [];
  for (const part of partsOf(messages)) {
    const { last } = await selectPage(from.db, messages, move.service_id, { part, after: undefined, limit: 1 });
    if (last) oldest.push(String(last.id));
  }
  const [first] = oldest.sort();
  if (first !== undefined) await preparePastPartitions(to, londonDay(momentOfId(first)));
}

/** Copies what has changed since the last time. Returns the number of changed rows. */
export function copyChanges(context: MoveContext): Promise<number> {
  const { from, to, move } = context;
  return whileMoving(to.db, (target) =>
    readConsistently(from.db, (source) => copyChangesWithin(context, source, target)),
  ).then(async (changed) => {
    const { copied_until } = (await findMoving(to.db, move.service_id)) ?? {};
    if (copied_until) await deleteChangesOf(from.db, move.service_id, copied_until);
    return changed;
  });
}

export async function copyChangesWithin({ move, tables }: MoveContext, source: Tx, target: Tx): Promise<number> {
  const { service_id } = move;
  const { copied_until } = (await findMoving(target, service_id)) ?? {};
  if (!copied_until) throw new Error(`Nothing of the service ${service_id} was copied`);
  const { horizon } = await selectHorizon(source);
  const changes = await selectChangesOf(source, service_id, copied_until);
  let changed = 0;
  for (const table of tables) {
    const keys = changes.find(({ table_name }) => table_name === table.name)?.keys ?? [];
    const limit = table.rowsAtOnce ?? usualRowsAtOnce;
    for (let start = 0; start < keys.length; start += limit) {
      await copyKeys(source, target, table, service_id, keys.slice(start, start + limit));
    }
    changed += keys.length;
  }
  await updateCopiedUntil(target, service_id, horizon);
  return changed;
}

async function copyKeys(source: Tx, target: Tx, table: ServiceTable, serviceId: string, keys: Key[]): Promise<void> {
  const isCopied = [isOfService(table, serviceId), isCopiedBefore(table)] as const;
  await replaceRows(target, table, keys, await selectRows(source, table, keys, ...isCopied));
}

/** A snapshot of one moment. */
export function readConsistently<T>(db: MoveContext['main'], read: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}

/** Deletes all rows of the service from a store that it is not at home in. */
export async function deleteRows({ tables, move }: MoveContext, { db }: MoveContext['from']): Promise<void> {
  for (const table of [...tables].reverse()) {
    const limit = table.rowsAtOnce ?? usualRowsAtOnce;
    for (const part of partsOf(table)) {
      while ((await whileMoving(db, (tx) => deletePage(tx, table, move.service_id, { part, limit }))) === limit);
    }
  }
}
