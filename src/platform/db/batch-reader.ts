import { asNobody } from './actor.ts';

/** Small enough that the first row of a batch does not wait long for the last. */
const maxRows = 100;
/** A third concurrent batch would make batches smaller, but rows would not arrive earlier. */
const maxConcurrent = 2;

interface Waiting<Row> {
  key: string;
  resolve(row: Row | undefined): void;
  reject(error: unknown): void;
}

/**
 * Reads rows by key in batches. Rows that are requested while a batch is read go into the next one, because thousands of single-row
 * statements cost several times as much. A row is always read after it was requested, never before.
 */
export class BatchReader<Row> {
  private readonly read: (keys: string[]) => Promise<Row[]>;
  private readonly keyOf: (row: Row) => string;
  private readonly queue: Waiting<Row>[] = [];
  private running = 0;
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

  /** Waits until all requests of this turn of the event loop have joined. */
  private start(): void {
    if (this.starting || this.running >= maxConcurrent || this.queue.length === 0) return;
    this.starting = true;
    setImmediate(() => {
      this.starting = false;
      void this.run(this.queue.splice(0, maxRows));
      this.start();
    });
  }

  private async run(batch: Waiting<Row>[]): Promise<void> {
    this.running += 1;
    try {
      const rows = await asNobody(() => this.read([...new Set(batch.map(({ key }) => key))]));
      const byKey = new Map(rows.map((row) => [this.keyOf(row), row]));
      for (const { key, resolve } of batch) resolve(byKey.get(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.running -= 1;
      this.start();
    }
  }
}
