import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import type { App } from '../../../src/app.ts';

type Query = (...args: unknown[]) => unknown;

/** Simulates `kill -9` at one of the statements of a process: its connections break, and it runs no further statements. */
export class Crashes {
  private left = Number.POSITIVE_INFINITY;
  private readonly watched = new WeakSet<object>();
  hasCrashed = false;

  constructor({ pool, apart: { reading, tasks } }: App) {
    for (const each of [pool, reading.pool, tasks.pool]) each.on('acquire', (client) => this.watch(client));
  }

  /** Crashes the process after this many further statements. */
  after(statements: number): void {
    this.left = statements;
    this.hasCrashed = false;
  }

  /** Starts the process again after the server has rolled back its transactions. */
  async restart(app: App): Promise<void> {
    this.after(Number.POSITIVE_INFINITY);
    const isInTransaction = sql<{ found: boolean }>`select exists (
      select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%') as found`;
    while ((await isInTransaction.execute(app.db)).rows[0]?.found) await sleep(10);
  }

  private watch(client: pg.PoolClient): void {
    if (this.watched.has(client)) return;
    this.watched.add(client);
    const query = client.query.bind(client) as Query;
    const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection;
    const watched: Query = (...args) => {
      this.left -= 1;
      if (this.left >= 0) return query(...args);
      this.hasCrashed = true;
      stream.destroy();
      const error = new Error('Connection terminated');
      const callback = args.at(-1);
      if (typeof callback !== 'function') return Promise.reject(error);
      process.nextTick(callback as (error: Error) => void, error);
      return undefined;
    };
    client.query = watched as typeof client.query;
  }
}
