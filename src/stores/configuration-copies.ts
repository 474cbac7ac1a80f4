import type { Platform } from '../platform/platform.ts';
import { Loop } from '../platform/process/loop.ts';
import { hasChangesSince } from './configuration-copy.sql.ts';
import { copyConfiguration } from './configuration-copy.ts';
import type { InStores, Stores } from './stores.ts';

type StoreDeps = Pick<Platform, 'store' | 'db' | 'changeListener' | 'log'>;

/** For changes that nothing announces. */
const copyEvery_ms = 1_000;
/** A request that changed the configuration waits this long for a store that does not respond. */
const patience_ms = 2_000;
/** Then no request waits for it for a while: it will copy when it is back. */
const absence_ms = 10_000;

/** Keeps the configuration in all stores up to date. */
export class ConfigurationCopies {
  private readonly stores: Stores<StoreDeps>;
  private readonly absentUntil = new Map<StoreDeps, number>();
  /** Until where each store has copied. Forgotten when its server may have been replaced by a restored one. */
  private readonly positions = new Map<StoreDeps, string>();
  private readonly loops: Loop[];

  constructor(stores: Stores<StoreDeps>) {
    this.stores = stores;
    this.loops = this.copies().map(
      (store) =>
        new Loop({
          name: `copy of the configuration in store ${store.store}`,
          log: store.log,
          step: async () => {
            if (await this.isBehind(store)) await this.copyTo(store);
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
        const isDone = await Promise.race([this.copyTo(store).then(isTrue, isFalse), elapsed(patience_ms)]);
        if (!isDone) this.absentUntil.set(store, performance.now() + absence_ms);
        store.changeListener.reset();
      }),
    );
  }

  private copies(): readonly StoreDeps[] {
    return this.stores.all.filter((store) => store !== this.stores.main);
  }

  private async copyTo(store: StoreDeps): Promise<void> {
    this.positions.set(store, await copyConfiguration(this.stores.main.db, store.db));
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

/** Clears the caches of this process and updates the copies in the stores, so that the next request sees a change at once. */
export function showChange({ changeListener, stores, configurationCopies }: Changed): void | Promise<void> {
  changeListener.reset();
  if (!stores.isOne) return configurationCopies.update();
}

const isTrue = () => true;
const isFalse = () => false;

function elapsed(ms: number): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, false).unref();
  });
}
