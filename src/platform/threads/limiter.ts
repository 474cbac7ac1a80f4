interface Limits {
  /** Items in progress, and the total of their sizes. */
  running: number;
  size: number;
  waiting: number;
}

interface Waiting {
  size: number;
  start: () => void;
}

/** Too many items are waiting. */
export class TooManyWaiting extends Error {}

/** Limits how many items are in progress, and their total size. Owners take turns. */
export class FairLimiter {
  private readonly waiting = new FairQueue<Waiting>();
  private readonly max: Limits;
  private next: Waiting | undefined;
  private running = 0;
  private runningSize = 0;

  constructor(max: Limits) {
    this.max = max;
  }

  /** Waits until the item can start, or throws TooManyWaiting. Returns a function to call when the item is finished. */
  async acquire(owner: string, size: number): Promise<() => void> {
    if (this.waiting.length >= this.max.waiting) throw new TooManyWaiting('Too many are waiting for their turn');
    await new Promise<void>((start) => {
      this.waiting.add(owner, { size, start });
      this.startNext();
    });
    return () => {
      this.running -= 1;
      this.runningSize -= size;
      this.startNext();
    };
  }

  countWaiting(owner: string): number {
    return this.waiting.lengthOf(owner);
  }

  private startNext(): void {
    for (;;) {
      this.next ??= this.waiting.take();
      if (!this.next || !this.canStart(this.next)) return;
      this.running += 1;
      this.runningSize += this.next.size;
      this.next.start();
      this.next = undefined;
    }
  }

  /** An item that is larger than the limit runs alone. */
  private canStart({ size }: Waiting): boolean {
    if (this.running === 0) return true;
    return this.running < this.max.running && this.runningSize + size <= this.max.size;
  }
}

/** A fair queue: owners take turns, so an owner with many items delays another by at most one item. */
export class FairQueue<Item> {
  /** In order of turns, next first. */
  private readonly byOwner = new Map<string, Item[]>();
  private count = 0;

  get length(): number {
    return this.count;
  }

  lengthOf(owner: string): number {
    return this.byOwner.get(owner)?.length ?? 0;
  }

  add(owner: string, item: Item): void {
    const items = this.byOwner.get(owner);
    if (items) items.push(item);
    else this.byOwner.set(owner, [item]);
    this.count += 1;
  }

  take(): Item | undefined {
    for (const [owner, items] of this.byOwner) {
      const item = items.shift();
      this.byOwner.delete(owner);
      if (items.length > 0) this.byOwner.set(owner, items);
      this.count -= 1;
      return item;
    }
    return undefined;
  }

  /** Removes and returns all items. */
  clear(): Item[] {
    const all = [...this.byOwner.values()].flat();
    this.byOwner.clear();
    this.count = 0;
    return all;
  }
}

/** Limits concurrency; further work waits in first-in, first-out order. */
export class Limiter {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(maxConcurrent: number) {
    this.free = maxConcurrent;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}
