import { type Db, inTransaction } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import {
  beginCopying,
  deleteChangesBefore,
  endCopying,
  selectAllKeys,
  selectChanges,
  selectCopiedTables,
  selectHorizon,
} from './configuration-copy.sql.ts';
import { type CopiedTable, type Key, replaceRows, selectRows } from './copied-rows.sql.ts';
import { findThisStore } from './message-stores.sql.ts';
import { mainStore } from './service-stores.ts';
import type { InStores } from './stores.ts';

export { selectHorizon } from './configuration-copy.sql.ts';

type InDatabase = Pick<Platform, 'store' | 'db'>;

/** Rows per statement. */
const batch = 1_000;

/**
 * Brings the configuration in a store up to date with all that is committed in the main database. Copies rows as they are now,
 * not changes, so it can be repeated at any time. A store that was never copied to gets everything, also after the main
 * database was restored from a backup. Returns the position until which it has copied.
 */
export function copyConfiguration(main: Db, store: Db): Promise<string> {
  return inTransaction(store, async (to) => {
    const { copied_until } = await beginCopying(to);
    return main
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (from) => {
        const tables = await selectCopiedTables(from);
        const { horizon, next } = await selectHorizon(from);
        const isKnown = copied_until !== null && BigInt(copied_until) <= BigInt(next);
        const changes = isKnown ? await selectChanges(from, copied_until) : undefined;
        for (const table of tables) {
          const changed = changes?.find(({ table_name }) => table_name === table.name)?.keys ?? [];
          const keys = changes
            ? changed
            : distinct(table, await selectAllKeys(from, table), await selectAllKeys(to, table));
          for (let start = 0; start < keys.length; start += batch) {
            const some = keys.slice(start, start + batch);
            await replaceRows(to, table, some, await selectRows(from, table, some));
          }
        }
        if (copied_until !== horizon) await endCopying(to, horizon);
        return horizon;
      });
  });
}

/** Changes that every store has copied are not needed any longer. A store that is away keeps them. */
export async function deleteCopiedChanges({ db, stores }: InDatabase & InStores<InDatabase>): Promise<void> {
  if (stores.isOne) return;
  const positions = await Promise.all(
    stores.all.filter(({ store }) => store !== mainStore).map((store) => findThisStore(store.db)),
  );
  const copied = positions.map((position) => BigInt(position?.copied_until ?? 0));
  const [earliest = 0n] = copied.sort((one, other) => (one < other ? -1 : 1));
  await deleteChangesBefore(db, String(earliest));
}

/** The keys of rows that either database has. */
function distinct({ key }: CopiedTable, ...lists: Key[][]): Key[] {
  const byText = new Map(lists.flat().map((values) => [JSON.stringify(key.map((column) => values[column])), values]));
  return [...byText.values()];
}
