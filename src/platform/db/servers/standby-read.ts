import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { statementKind } from '../actor.ts';
import type { Db } from '../database.ts';
import type { DB } from '../schema.ts';
import { hasReplayed, type Position } from './replication.ts';

interface ReadOptions {
  standby: pg.Pool;
  primary: pg.Pool;
  /** The WAL position of the primary when the read began. The standby must have replayed it. */
  position: Position;
  onFailure(error: unknown): void;
}

/**
 * One read of one or more statements, for example a download that sends them one after the other and holds no connection in between. If a
 * statement fails on the standby for any reason, it and all later ones run on the primary, whose result or error counts. A single statement
 * is retried here. A transaction cannot be, so the caller retries it if `hasFailed`.
 */
export class StandbyRead {
  readonly db: Db;
  hasFailed = false;
  private readonly options: ReadOptions;

  constructor(options: ReadOptions) {
    this.options = options;
    const pool = { connect: async () => new ReadClient(this) as unknown as PostgresPoolClient, end: async () => {} };
    this.db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
  }

  async query(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    if (!this.hasFailed) {
      try {
        return await this.onStandby((client) => client.query(text, [...values]));
      } catch (error) {
        this.fail(error);
      }
    }
    return this.options.primary.query(text, [...values]);
  }

  /** Returns a connection for a transaction. */
  async connect(): Promise<pg.PoolClient> {
    if (!this.hasFailed) {
      try {
        return await this.ready(await this.options.standby.connect());
      } catch (error) {
        this.fail(error);
      }
    }
    return this.options.primary.connect();
  }

  fail(error: unknown): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    this.options.onFailure(error);
  }

  private async onStandby<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.ready(await this.options.standby.connect());
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /** Checks the position again, because the connection may go to another server than before, or to a standby that was promoted. */
  private async ready(client: pg.PoolClient): Promise<pg.PoolClient> {
    try {
      if (await hasReplayed(client, this.options.position)) return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
    client.release(true);
    throw new Error('the standby does not have what the primary had when the read began');
  }
}

/** Looks like a pooled connection to the query builder. */
class ReadClient {
  private readonly read: StandbyRead;
  /** The connection of a transaction. */
  private client: pg.PoolClient | undefined;
  private isBroken = false;

  constructor(read: StandbyRead) {
    this.read = read;
  }

  async query(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    if (!this.client && statementKind(text) !== 'begins') return this.read.query(text, values);
    const wasOnPrimary = this.read.hasFailed;
    this.client ??= await this.read.connect();
    try {
      return await this.client.query(text, [...values]);
    } catch (error) {
      this.isBroken = true;
      if (!wasOnPrimary) this.read.fail(error);
      throw error;
    }
  }

  release(): void {
    this.client?.release(this.isBroken);
    this.client = undefined;
  }
}
