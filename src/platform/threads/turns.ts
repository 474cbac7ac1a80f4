interface Limits {
  /** Items in progress, and the total of their sizes. */
  underWay: number;
  size: number;
  waiting: number;
}

interface Waiting {
  size: number;
  begin: () => void;
}

/** Too many items are waiting. */
export class NoTurn extends Error {}

/** Limits how many items are in progress, and their total size. Owners take turns. */
export class FairTurns {
  private readonly waiting = new FairQueue<Waiting>();
  private readonly max: Limits;
  private next: Waiting | undefined;
  private underWay = 0;
  private sizeUnderWay = 0;

  constructor(max: Limits) {
    this.max = max;
  }

  /** Waits for a turn, or throws NoTurn. Returns a function that ends the turn. */
  async take(owner: string, size: number): Promise<() => void> {
    if (this.waiting.length >= this.max.waiting) throw new NoTurn('Too many are waiting for their turn');
    await new Promise<void>((begin) => {
      this.waiting.add(owner, { size, begin });
      this.beginNext();
    });
    return () => {
      this.underWay -= 1;
      this.sizeUnderWay -= size;
      this.beginNext();
    };
  }

  waitingOf(owner: string): number {
    return this.waiting.lengthOf(owner);
  }

  private beginNext(): void {
    for (;;) {
      this.next ??= this.waiting.take();
      if (!this.next || !this.hasRoomFor(this.next)) return;
      this.underWay += 1;
      this.sizeUnderWay += this.next.size;
      this.next.begin();
      this.next = undefined;
    }
  }

  /** An item that is larger than the limit runs alone. */
  private hasRoomFor({ size }: Waiting): boolean {
    if (this.underWay === 0) return true;
    return this.underWay < this.max.underWay && this.sizeUnderWay + size <= this.max.size;
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
export class Turns {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.free = atOnce;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
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
