import { unavailable } from '../platform/failure.ts';
import type { Stores } from './stores.ts';

interface Found {
  id: string;
  is_here: boolean;
}

/**
 * Which of some rows each store may change: while a service is moved, two stores have them. Fails in the moment of the switch, when neither
 * may. With one store there is nothing to ask: undefined.
 */
export async function findHere<App extends { store: number }>(
  stores: Stores<App>,
  read: (app: App) => Promise<Found[]>,
): Promise<ReadonlyMap<number, ReadonlySet<string>> | undefined> {
  if (stores.isOne) return undefined;
  const found = await stores.collect(async (app) => [{ store: app.store, rows: await read(app) }]);
  const here = new Map(
    found.map(({ store, rows }) => [store, new Set(rows.filter(({ is_here }) => is_here).map(({ id }) => id))]),
  );
  const isSomewhere = ({ id }: Found) => [...here.values()].some((ids) => ids.has(id));
  if (!found.every(({ rows }) => rows.every(isSomewhere)))
    throw unavailable('A service is being moved, try again shortly');
  return here;
}
