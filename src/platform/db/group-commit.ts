import { unavailable } from '../failure.ts';
import { asNobody } from './actor.ts';

/**
 * Several seconds of the highest rate, so a working server never has a queue this long. On a server that hangs, items would pile up in
 * memory for clients that have long timed out.
 */
const maxWaiting = 20_000;

interface GroupCommitOptions<Item, Outcome> {
  /**
   * Stores all items or none, and returns the outcomes in the same order. With `usesShortTimeout`, an earlier commit for this owner hit a lock
   * timeout, so this one must use a short lock timeout.
   */
  commit(items: Item[], usesShortTimeout: boolean): Promise<Outcome[]>;
  /** Maximum items per commit. */
  maxItems: number;
  /** Maximum concurrent commits. */
  maxConcurrent: number;
  /**
   * Under load, the minimum interval between the starts of two commits, unless a group fills up earlier: larger groups cost less per item.
   * The first item after a pause never waits.
   */
  every_ms?: number;
  /**
   * If the last group was smaller than this, or the queue is as long as the last group, the next commit starts at once: when a few clients
   * each wait for their response, waiting adds latency but no items.
   */
  busyFrom?: number;
  /**
   * After a group of at least `from` items, the next commit waits for the running one, but at most `atMost_ms`. Commits one at a time have
   * larger groups, but one that waits for a slow disk or a lock must not delay all others.
   */
  turns?: { from: number; atMost_ms: number };
  /** Whether an error affects all items, for example because the database is gone. Then items are not retried one by one. */
  affectsAll(error: unknown): boolean;
  /**
   * Whether an error means that a row of one owner is locked. Then each owner's items are committed separately until they are stored or
   * have failed, so that other owners wait only once, however long the row stays locked.
   */
  isLockTimeout?(error: unknown): boolean;
  /** The owner of an item. After an item fails, the owner's next items do not share a commit with those of other owners. */
  ownerOf?(item: Item): string;
}

/** How long an owner is isolated after one of its items failed alone or one of its rows was locked. */
const isolation_ms = 10_000;

interface Isolation {
  until: number;
  /** Whether a row of the owner may be locked, or certainly is. */
  lock?: 'suspected' | 'found';
}

interface Waiting<Item, Outcome> {
  item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/**
 * Lets concurrent writers share a commit: items that arrive during one go into the next. A commit costs one disk sync regardless of its
 * size, so throughput grows with load, and a single writer never waits for others. A group that fails because of one item is bisected until
 * that item is alone: 16 commits for one item among 200. They run alongside the commits of the next groups, largest half first, because
 * that completes most items.
 */
export class GroupCommit<Item, Outcome> {
  private readonly options: GroupCommitOptions<Item, Outcome>;
  private readonly queue: Waiting<Item, Outcome>[] = [];
  /** Halves of failed groups. */
  private readonly failedHalves: Waiting<Item, Outcome>[][] = [];
  /** Items of isolated owners. */
  private readonly isolatedItems = new Map<string, Waiting<Item, Outcome>[]>();
  private readonly isolated = new Map<string, Isolation>();
  private running = 0;
  private starting = false;
  private lastSize = 0;
  private timer: NodeJS.Timeout | undefined;
  private startedAt = Number.NEGATIVE_INFINITY;
  private committingSeparately = false;

  constructor(options: GroupCommitOptions<Item, Outcome>) {
    this.options = options;
  }

  /** Settles when the item is certainly durable, or certainly not. */
  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.waiting() >= maxWaiting) throw unavailable('Too much is waiting to be stored, try again shortly');
      this.queue.push({ item, resolve, reject });
      this.start();
    });
  }

  private waiting(): number {
    return [...this.failedHalves, ...this.isolatedItems.values()].reduce(
      (sum, group) => sum + group.length,
      this.queue.length,
    );
  }

  /** Waits until all items of this turn of the event loop have joined. */
  private start(): void {
    if (this.running >= this.options.maxConcurrent) return;
    const wait_ms = this.startedAt + this.interval_ms() - performance.now();
    if (wait_ms > 0) {
      this.timer ??= setTimeout(() => this.commitQueue(), wait_ms);
      return;
    }
    if (this.starting) return;
    this.starting = true;
    setImmediate(() => this.commitQueue());
  }

  /** Returns the minimum time between the starts of two commits. */
  private interval_ms(): number {
    const { every_ms = 0, turns, busyFrom, maxItems } = this.options;
    if (this.queue.length >= maxItems) return 0;
    if (turns && this.running > 0 && this.lastSize >= turns.from) return turns.atMost_ms;
    if (busyFrom === undefined) return every_ms;
    return this.lastSize < busyFrom || this.queue.length >= this.lastSize ? 0 : every_ms;
  }

  private stopWaiting(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private commitQueue(): void {
    this.stopWaiting();
    this.starting = false;
    this.separateIsolated();
    while (this.queue.length > 0 && this.running < this.options.maxConcurrent) {
      this.startedAt = performance.now();
      const group = this.queue.splice(0, this.options.maxItems);
      this.lastSize = group.length;
      void this.run(group);
    }
  }

  /** Moves the items of isolated owners out of the queue. */
  private separateIsolated(): void {
    const { ownerOf } = this.options;
    if (!ownerOf || this.isolated.size === 0) return;
    const now = performance.now();
    for (const [owner, { until }] of this.isolated) if (until <= now) this.isolated.delete(owner);
    const waiting = this.queue.splice(0);
    const isIsolated = ({ item }: Waiting<Item, Outcome>) => this.isolated.has(ownerOf(item));
    this.queue.push(...waiting.filter((each) => !isIsolated(each)));
    this.addIsolated(waiting.filter(isIsolated));
  }

  private addIsolated(items: Waiting<Item, Outcome>[]): void {
    for (const [owner, ofOwner] of this.byOwner(items)) {
      const before = this.isolatedItems.get(owner);
      if (before) before.push(...ofOwner);
      else this.isolatedItems.set(owner, ofOwner);
    }
    void this.commitSeparately();
  }

  private byOwner(items: Waiting<Item, Outcome>[]): Map<string, Waiting<Item, Outcome>[]> {
    const groups = new Map<string, Waiting<Item, Outcome>[]>();
    for (const waiting of items) {
      const owner = this.options.ownerOf?.(waiting.item) ?? '';
      const known = groups.get(owner);
      if (known) known.push(waiting);
      else groups.set(owner, [waiting]);
    }
    return groups;
  }

  private async run(group: Waiting<Item, Outcome>[]): Promise<void> {
    this.running += 1;
    try {
      await this.commitTogether(group);
    } finally {
      this.running -= 1;
      this.stopWaiting();
      if (this.queue.length > 0) this.start();
    }
  }

  private async commitSeparately(): Promise<void> {
    if (this.committingSeparately) return;
    this.committingSeparately = true;
    try {
      for (let group = this.nextSeparateGroup(); group; group = this.nextSeparateGroup())
        await this.commitTogether(group);
    } finally {
      this.committingSeparately = false;
    }
  }

  /** Returns the largest group. Groups that certainly wait for a lock come last. */
  private nextSeparateGroup(): Waiting<Item, Outcome>[] | undefined {
    const isLocked = (group: Waiting<Item, Outcome>[]) => (this.isolationOf(group)?.lock === 'found' ? 1 : 0);
    const [next] = [...this.failedHalves, ...this.isolatedItems.values()].sort(
      (one, other) => isLocked(one) - isLocked(other) || other.length - one.length,
    );
    if (!next) return undefined;
    const index = this.failedHalves.indexOf(next);
    if (index >= 0) return this.failedHalves.splice(index, 1)[0];
    const group = next.splice(0, this.options.maxItems);
    if (next.length === 0) this.isolatedItems.delete(this.ownerOf(group) ?? '');
    return group;
  }

  private async commitTogether(group: Waiting<Item, Outcome>[]): Promise<void> {
    let outcomes: Outcome[];
    const usesShortTimeout = this.isolationOf(group)?.lock !== undefined;
    try {
      const items = group.map(({ item }) => item);
      outcomes = await asNobody(() => this.options.commit(items, usesShortTimeout));
    } catch (error) {
      if (this.options.isLockTimeout?.(error)) return this.separateOwners(group, error);
      if (group.length === 1 || this.options.affectsAll(error)) {
        if (group.length === 1 && !this.options.affectsAll(error)) this.isolate(group);
        for (const { reject } of group) reject(error);
      } else {
        const middle = Math.ceil(group.length / 2);
        this.failedHalves.push(group.slice(0, middle), group.slice(middle));
        void this.commitSeparately();
      }
      return;
    }
    if (usesShortTimeout) this.isolated.delete(this.ownerOf(group) ?? '');
    group.forEach(({ resolve }, index) => {
      resolve(outcomes[index] as Outcome);
    });
  }

  /**
   * Called after a lock timeout. If all items have the same owner, the locked row belongs to it; otherwise each owner is tried separately.
   */
  private separateOwners(group: Waiting<Item, Outcome>[], error: unknown): void {
    const owners = [...this.byOwner(group).keys()];
    const until = performance.now() + isolation_ms;
    for (const owner of owners) {
      const isFound = owners.length === 1 || this.isolated.get(owner)?.lock === 'found';
      this.isolated.set(owner, { until, lock: isFound ? 'found' : 'suspected' });
    }
    const [owner = ''] = owners;
    if (owners.length > 1) {
      this.addIsolated(group);
    } else {
      for (const { reject } of [...group, ...(this.isolatedItems.get(owner) ?? [])]) reject(error);
      this.isolatedItems.delete(owner);
    }
  }

  private isolate(group: Waiting<Item, Outcome>[]): void {
    const owner = this.ownerOf(group);
    if (owner !== undefined) this.isolated.set(owner, { until: performance.now() + isolation_ms });
  }

  private isolationOf(group: Waiting<Item, Outcome>[]): Isolation | undefined {
    return this.isolated.get(this.ownerOf(group) ?? '');
  }

  /** Returns the owner of the first item. In a group of an isolated owner, all items have the same one. */
  private ownerOf([first]: Waiting<Item, Outcome>[]): string | undefined {
    return first && this.options.ownerOf?.(first.item);
  }
}
