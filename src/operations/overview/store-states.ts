import { type LaneDepth, listLaneDepths } from '../../notifications/queue/lane-depths.ts';
import type { Platform } from '../../platform/platform.ts';
import { countUncopied } from '../../stores/copy-lag.ts';
import { listStores } from '../../stores/known-stores.ts';
import type { InStores } from '../../stores/stores.ts';

export interface StoreState {
  number: number;
  /** Whether new services may get it. */
  is_open: boolean;
  services: number;
  is_away: boolean;
  /** Due messages; unknown while it is away. */
  waiting: number | undefined;
  /** Changes of the configuration that it has not copied; of the main database undefined, too. */
  uncopied: number | 'all' | undefined;
}

/** Empty while there is only the main database. */
export async function readStoreStates({ db, stores }: Platform & InStores<Platform>): Promise<StoreState[]> {
  if (stores.isOne) return [];
  return Promise.all(
    (await listStores(db)).map(async ({ number, is_open, services }) => {
      const store = stores.all.find((one) => one.store === number);
      const is_away = !store || isAway(store);
      if (is_away) return { number, is_open, services, is_away, waiting: undefined, uncopied: undefined };
      const [lanes, uncopied] = await Promise.all([
        listLaneDepths(store),
        store === stores.main ? undefined : countUncopied(db, store.db),
      ]);
      return { number, is_open, services, is_away, waiting: waitingIn(lanes), uncopied };
    }),
  );
}

/** Whether this process cannot use it now. */
export function isAway({ changeListener }: Pick<Platform, 'changeListener'>): boolean {
  return !changeListener.connected;
}

function waitingIn(lanes: readonly LaneDepth[]): number {
  return lanes.reduce((sum, { waiting }) => sum + waiting, 0);
}
