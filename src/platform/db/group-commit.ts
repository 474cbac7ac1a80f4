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
  /** Whether an error says nothing about any single item (the database is gone): then none is tried alone. */
  concernsAll(error: unknown): boolean;
}

interface Waiting<Item, Outcome> {
  item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/**
 * Lets concurrent writers share a commit: whatever arrives while one is under way goes into the next. A commit costs
 * one wait for the disk however much it carries, so throughput grows with load, and a lone writer never waits for others.
 */
export class GroupCommit<Item, Outcome> {
  private readonly options: GroupCommitOptions<Item, Outcome>;
  private readonly queue: Waiting<Item, Outcome>[] = [];
  private underWay = 0;
  private starting = false;

  constructor(options: GroupCommitOptions<Item, Outcome>) {
    this.options = options;
  }

  /** Settles when the item is durable, or certainly is not. */
  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.queue.length >= mostWaiting) throw unavailable('Too much is waiting to be stored, try again shortly');
      this.queue.push({ item, resolve, reject });
      this.start();
    });
  }

  /** Begins once everything that arrived in this turn of the event loop has joined. */
  private start(): void {
    if (this.starting || this.underWay >= this.options.atOnce) return;
    this.starting = true;
    setImmediate(() => {
      this.starting = false;
      while (this.queue.length > 0 && this.underWay < this.options.atOnce) {
        void this.run(this.queue.splice(0, this.options.largest));
      }
    });
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

  private async commitTogether(group: Waiting<Item, Outcome>[]): Promise<void> {
    let outcomes: Outcome[];
    try {
      outcomes = await this.options.commit(group.map(({ item }) => item));
    } catch (error) {
      if (group.length === 1 || this.options.concernsAll(error)) {
        for (const { reject } of group) reject(error);
      } else {
        // One of them cannot be stored. Its neighbours must not suffer for it.
        for (const single of group) await this.commitTogether([single]);
      }
      return;
    }
    group.forEach(({ resolve }, index) => {
      resolve(outcomes[index] as Outcome);
    });
  }
}
