import { unavailable } from '../failure.ts';

/**
 * More than this never waits on a server that works: seconds of the highest rate. On one that hangs, everything else would
 * wait in memory, for clients that have long given up.
 */
const mostWaiting = 20_000;

interface GroupCommitOptions<Item, Outcome> {
  /** Stores all of them or none, and answers in their order. */
  commit(items: Item[]): Promise<Outcome[]>;
  /** Items in one commit at most. */
  largest: number;
  /** Commits under way at the same time. */
  atOnce: number;
  /**
   * Under load, how long after the last commit began the next one begins, unless it is full before: larger groups cost
   * less per item. The first item after a pause never waits.
   */
  every_ms?: number;
  /**
   * Nor does any item while groups are smaller than this, or when as many wait as the last group had: senders that wait for
   * each response must not wait longer when there are no others.
   */
  busyFrom?: number;
  /** Whether an error says nothing about any single item (the database is gone): then none is tried alone. */
  concernsAll(error: unknown): boolean;
  /** Whose item it is: what comes next from an owner whose item failed shares no commit with items of others. */
  ownerOf?(item: Item): string;
}

/** How long an owner's items are kept apart after one of them failed alone. */
const keptApart_ms = 10_000;

interface Waiting<Item, Outcome> {
  item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/**
 * Lets concurrent writers share a commit: whatever arrives while one is under way goes into the next. A commit costs
 * one wait for the disk however much it carries, so throughput grows with load, and a lone writer never waits for others.
 *
 * A group with an item that cannot be stored is halved until that item is alone: 16 commits for one item among 200. They
 * are made beside the commits of the next groups, largest half first, because those free most of the items.
 */
export class GroupCommit<Item, Outcome> {
  private readonly options: GroupCommitOptions<Item, Outcome>;
  private readonly queue: Waiting<Item, Outcome>[] = [];
  /** Halves of groups that failed, and items of owners that are kept apart. */
  private readonly suspects: Waiting<Item, Outcome>[][] = [];
  private readonly keptApartUntil = new Map<string, number>();
  private underWay = 0;
  private starting = false;
  private lastSize = 0;
  private waiter: NodeJS.Timeout | undefined;
  private beganAt = Number.NEGATIVE_INFINITY;
  private examining = false;

  constructor(options: GroupCommitOptions<Item, Outcome>) {
    this.options = options;
  }

  /** Settles when the item is durable, or certainly is not. */
  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.waiting() >= mostWaiting) throw unavailable('Too much is waiting to be stored, try again shortly');
      this.queue.push({ item, resolve, reject });
      this.start();
    });
  }

  private waiting(): number {
    return this.suspects.reduce((sum, group) => sum + group.length, this.queue.length);
  }

  /** Begins once everything that arrived in this turn of the event loop has joined. */
  private start(): void {
    if (this.underWay >= this.options.atOnce) return;
    const { every_ms = 0 } = this.options;
    const wait_ms = this.mayGrow() ? this.beganAt + every_ms - performance.now() : 0;
    if (wait_ms > 0) {
      this.waiter ??= setTimeout(() => this.begin(), wait_ms);
      return;
    }
    if (this.starting) return;
    this.starting = true;
    setImmediate(() => this.begin());
  }

  private mayGrow(): boolean {
    const { busyFrom, largest } = this.options;
    if (busyFrom === undefined) return this.queue.length < largest;
    return this.lastSize >= busyFrom && this.queue.length < Math.min(this.lastSize, largest);
  }

  private begin(): void {
    clearTimeout(this.waiter);
    this.waiter = undefined;
    this.starting = false;
    this.setApart();
    while (this.queue.length > 0 && this.underWay < this.options.atOnce) {
      this.beganAt = performance.now();
      const group = this.queue.splice(0, this.options.largest);
      this.lastSize = group.length;
      void this.run(group);
    }
  }

  /** Takes the items of owners that are kept apart out of the queue, into groups of each owner's own. */
  private setApart(): void {
    const { ownerOf, largest } = this.options;
    if (!ownerOf || this.keptApartUntil.size === 0) return;
    const now = performance.now();
    for (const [owner, until] of this.keptApartUntil) if (until <= now) this.keptApartUntil.delete(owner);
    const apart = new Map<string, Waiting<Item, Outcome>[]>();
    const others = this.queue.splice(0).filter((waiting) => {
      const owner = ownerOf(waiting.item);
      if (!this.keptApartUntil.has(owner)) return true;
      apart.set(owner, [...(apart.get(owner) ?? []), waiting]);
      return false;
    });
    this.queue.push(...others);
    for (const group of apart.values()) while (group.length > 0) this.suspects.push(group.splice(0, largest));
    void this.examine();
  }

  private async run(group: Waiting<Item, Outcome>[]): Promise<void> {
    this.underWay += 1;
    try {
      await this.commitTogether(group);
    } finally {
      this.underWay -= 1;
      if (this.queue.length > 0) this.start();
    }
  }

  private async examine(): Promise<void> {
    if (this.examining) return;
    this.examining = true;
    try {
      while (this.suspects.length > 0) {
        this.suspects.sort((one, other) => other.length - one.length);
        await this.commitTogether(this.suspects.shift() ?? []);
      }
    } finally {
      this.examining = false;
    }
  }

  private async commitTogether(group: Waiting<Item, Outcome>[]): Promise<void> {
    let outcomes: Outcome[];
    try {
      outcomes = await this.options.commit(group.map(({ item }) => item));
    } catch (error) {
      if (group.length === 1 || this.options.concernsAll(error)) {
        if (group.length === 1 && !this.options.concernsAll(error)) this.keepApart(group);
        for (const { reject } of group) reject(error);
      } else {
        const middle = Math.ceil(group.length / 2);
        this.suspects.push(group.slice(0, middle), group.slice(middle));
        void this.examine();
      }
      return;
    }
    group.forEach(({ resolve }, index) => {
      resolve(outcomes[index] as Outcome);
    });
  }

  private keepApart([failed]: Waiting<Item, Outcome>[]): void {
    const owner = failed && this.options.ownerOf?.(failed.item);
    if (owner !== undefined) this.keptApartUntil.set(owner, performance.now() + keptApart_ms);
  }
}
