import type { Db } from '../platform/db/database.ts';
import { countChanges, selectHorizon } from './configuration-copy.sql.ts';
import { findThisStore } from './message-stores.sql.ts';

/**
 * How many changes of the configuration a store has not copied. A copy runs every second, so it is 0 or falls to 0 soon, unless no
 * process can use the store.
 */
export async function countUncopied(main: Db, store: Db): Promise<number | 'all'> {
  const { horizon, next } = await selectHorizon(main);
  const copied_until = (await findThisStore(store))?.copied_until ?? null;
  if (copied_until === null || BigInt(copied_until) > BigInt(next)) return 'all';
  return countChanges(main, copied_until, horizon);
}
