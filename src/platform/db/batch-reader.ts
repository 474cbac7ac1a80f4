import { asNobody } from './actor.ts';

/** Small enough that the first row does not wait long for the last. */
const largest = 100;
/** A third would make the batches smaller, not the rows earlier. */
const atOnce = 2;

interface Waiting<Row> {
  key: string;
  resolve(row: Row | undefined): void;
  reject(error: unknown): void;
}

/**
 * Reads rows by key. Rows that are requested while others are read share the next statement, because a statement for each of
 * thousands of rows costs several times as much. Each read begins after its request, never before.
 */
export class BatchReader<Row> {
  private readonly read: (keys: string[]) => Promise<Row[]>;
  private readonly keyOf: (row: Row) => string;
  private readonly queue: Waiting<Row>[] = [];
  private underWay = 0;
  private starting = false;

  constructor(read: (keys: string[]) => Promise<Row[]>, keyOf: (row: Row) => string) {
    this.read = read;
    this.keyOf = keyOf;
  }

  find(key: string): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      this.queue.push({ key, resolve, reject });
      this.start();
    });
  }

  /** Starts after all requests of this turn of the event loop have joined. */
  private start(): void {
    if (this.starting || this.underWay >= atOnce || this.queue.length === 0) return;
    this.starting = true;
    setImmediate(() => {
      this.starting = false;
      void this.run(this.queue.splice(0, largest));
      this.start();
    });
  }

  private async run(batch: Waiting<Row>[]): Promise<void> {
    this.underWay += 1;
    try {
      const rows = await asNobody(() => this.read([...new Set(batch.map(({ key }) => key))]));
      const byKey = new Map(rows.map((row) => [this.keyOf(row), row]));
      for (const { key, resolve } of batch) resolve(byKey.get(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.underWay -= 1;
      this.start();
    }
  }
}
