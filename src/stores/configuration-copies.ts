import { asNobody } from '../platform/db/actor.ts';
import type { Platform } from '../platform/platform.ts';
import { Loop } from '../platform/process/loop.ts';
import { hasChangesSince } from './configuration-copy.sql.ts';
import { copyConfiguration } from './configuration-copy.ts';
import type { InStores, Stores } from './stores.ts';

type StoreDeps = Pick<Platform, 'store' | 'db' | 'changeListener' | 'log'>;

/** For changes that nothing announces. */
const copyEvery_ms = 1_000;
/** Then no request waits for it for a while: it will copy when it is back. */
const absence_ms = 10_000;

/** Keeps the configuration in all stores up to date. */
export class ConfigurationCopies {
  /** A request that changed the configuration waits this long for a store that does not respond. */
  patience_ms = 2_000;
  private readonly stores: Stores<StoreDeps>;
  private readonly absentUntil = new Map<StoreDeps, number>();
  /** Until where each store has copied. Forgotten when its server may have been replaced by a restored one. */
  private readonly positions = new Map<StoreDeps, string>();
  private readonly running = new Map<StoreDeps, Promise<void>>();
  /** Copies that have not begun. */
  private readonly waiting = new Map<StoreDeps, Promise<void>>();
  /** When each store, by its number, was last found to have everything. */
  private readonly currentAt = new Map<number, number>();
  private readonly loops: Loop[];

  constructor(stores: Stores<StoreDeps>) {
    this.stores = stores;
    this.loops = this.copies().map(
      (store) =>
        new Loop({
          name: `copy of the configuration in store ${store.store}`,
          log: store.log,
          step: async () => {
            const began = performance.now();
            if (await this.isBehind(store)) await this.copyTo(store);
            else this.currentAt.set(store.store, began);
            return copyEvery_ms;
          },
        }),
    );
    for (const store of this.copies()) store.changeListener.onReset(() => this.positions.delete(store));
  }

  start(): void {
    for (const loop of this.loops) loop.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  /** After a change: resolves when every store that responds has it, so that the next request finds it wherever it leads. */
  async update(): Promise<void> {
    const now = performance.now();
    const present = this.copies().filter((store) => (this.absentUntil.get(store) ?? 0) <= now);
    await Promise.all(
      present.map(async (store) => {
        const isDone = await Promise.race([this.copyTo(store).then(isTrue, isFalse), elapsed(this.patience_ms)]);
        if (!isDone) this.absentUntil.set(store, performance.now() + absence_ms);
        await store.changeListener.catchUp();
      }),
    );
  }

  private copies(): readonly StoreDeps[] {
    return this.stores.all.filter((store) => store !== this.stores.main);
  }

  /** How old the configuration in a store may be: undefined before this process has looked. */
  age_s(store: number): number | undefined {
    const currentAt = this.currentAt.get(store);
    return currentAt === undefined ? undefined : (performance.now() - currentAt) / 1_000;
  }

  /** Changes at the same time share one copy, which begins after the last of them: a store makes one after the other anyway. */
  private copyTo(store: StoreDeps): Promise<void> {
    const waiting = this.waiting.get(store);
    if (waiting) return waiting;
    const next = (this.running.get(store) ?? Promise.resolve()).then(async () => {
      this.waiting.delete(store);
      const began = performance.now();
      this.positions.set(store, await asNobody(() => copyConfiguration(this.stores.main.db, store.db)));
      this.currentAt.set(store.store, began);
    });
    this.waiting.set(store, next);
    this.running.set(
      store,
      next.catch(() => undefined),
    );
    return next;
  }

  /** A copy costs two transactions, and each process asks every second. */
  private isBehind(store: StoreDeps): boolean | Promise<boolean> {
    const position = this.positions.get(store);
    return position === undefined || hasChangesSince(this.stores.main.db, position);
  }
}

interface Changed extends InStores<Changed>, Pick<Platform, 'changeListener'> {
  configurationCopies: ConfigurationCopies;
}

/** Makes a change visible to the next request: in the caches of this process, and in the copies in the stores. */
export async function showChange({ changeListener, stores, configurationCopies }: Changed): Promise<void> {
  await changeListener.catchUp();
  if (!stores.isOne) await configurationCopies.update();
}

const isTrue = () => true;
const isFalse = () => false;

function elapsed(ms: number): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, false).unref();
  });
}
