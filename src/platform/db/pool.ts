import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { OperatorError } from '../failure.ts';
import type { Log } from '../log.ts';
import { currentActor, statementKind } from './actor.ts';
import type { Db } from './database.ts';
import { DatabaseClient } from './database-client.ts';
import type { DB } from './schema.ts';
import type { ServerRole } from './servers/database-hosts.ts';

export interface Database {
  db: Db;
  /** For statements that are too hot for the query builder; everything else uses `db`. */
  pool: pg.Pool;
  close(): Promise<void>;
}

interface PoolOptions {
  url: string;
  /** The server of the URL to connect to; the primary by default. */
  role?: ServerRole;
  poolSize: number;
  log: Log;
  /** Additional session settings. */
  session?: string;
  /** Whether consecutive statements use the same server connection, so that hot statements can be prepared. */
  prepares?: boolean;
  statementTimeout_ms?: number;
  /** How long after the statement timeout a response may still arrive. */
  responseTimeout_ms?: number;
}

export function openDatabase(options: PoolOptions): Database {
  const pool = openPool(options);
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
  const close = async () => {
    await db.destroy();
    // The query builder does not end a pool that it never used.
    if (!pool.ending) await pool.end();
  };
  return { db, pool, close };
}

export function openPool(options: PoolOptions): pg.Pool {
  const statement_timeout = options.statementTimeout_ms ?? sessionSettings.statement_timeout;
  const pool = new pg.Pool({
    connectionString: options.url,
    ...{ role: options.role },
    max: options.poolSize,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    ...tcpKeepAlive,
    types: { getTypeParser },
    ...sessionSettings,
    statement_timeout,
    options: [sessionSettings.options, options.session, options.prepares ? planSettings : ''].filter(Boolean).join(' '),
    Client: options.prepares ? PreparingConnection : Connection,
  });
  // An idle connection that breaks, as on a server restart, must not crash the process; the pool replaces it.
  pool.on('error', (error) => {
    // On shutdown the embedded server may stop before the last connection to it closes.
    if (!pool.ending)
      options.log.warn({ event: 'database.connection_lost', err: error }, 'An idle database connection was lost');
  });
  pool.on('release', (error, client) => asConnection(client).onRelease(error));
  closeSilent(pool, statement_timeout, options.responseTimeout_ms ?? responseTimeout_ms);
  return pool;
}

/**
 * Closes connections whose server does not respond. A pool only ends when its last statement does, so a statement on a vanished server
 * would delay shutdown by a minute.
 */
function closeSilent(pool: pg.Pool, statementTimeout_ms: number, within_ms: number): void {
  const connections = new Set<Connection>();
  pool.on('connect', (client) => connections.add(asConnection(client)));
  pool.on('remove', (client) => connections.delete(asConnection(client)));
  const closeOverdue = () => {
    for (const connection of connections) connection.closeIfSilentFor(statementTimeout_ms + within_ms);
  };
  // After the process was paused, first read the responses that wait in the sockets.
  const watch = setInterval(() => setImmediate(closeOverdue), within_ms / 5).unref();
  const end = pool.end.bind(pool) as () => Promise<void>;
  pool.end = async () => {
    const tooLate = setTimeout(() => {
      for (const connection of connections) connection.cut();
    }, within_ms);
    await end().finally(() => {
      clearTimeout(tooLate);
      clearInterval(watch);
    });
  };
}

function asConnection(client: pg.PoolClient): Connection {
  return client as unknown as Connection;
}

/** Detects a server that vanished silently within minutes instead of hours. */
export const tcpKeepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/**
 * The server ends the session of a process that is frozen in a transaction or unreachable, because its locks would block other processes. A
 * frozen process still acknowledges TCP packets, so the first setting covers that case; the others cover a lost machine or network.
 */
const endOfLostSessions = [
  '-c idle_in_transaction_session_timeout=10s',
  '-c tcp_keepalives_idle=10',
  '-c tcp_keepalives_interval=5',
  '-c tcp_keepalives_count=3',
  '-c tcp_user_timeout=15000',
].join(' ');

export const sessionSettings = {
  options: `-c TimeZone=UTC -c DateStyle=ISO ${endOfLostSessions}`,
  statement_timeout: 60_000,
};

/**
 * A cached plan must not depend on how few rows the table had when it was planned. For an empty queue, a sequential scan would be cheapest.
 */
const planSettings = '-c enable_seqscan=off';

/** If no response arrives this long after the statement timeout, the server or the connection to it is gone. */
const responseTimeout_ms = 5_000;

class Connection extends DatabaseClient {
  /** The actor that the last transaction recorded. */
  private namedActor: string | undefined;

  override query(...args: never[]): never {
    const actor = currentActor();
    // A transaction that begins now has no actor yet, even if the last one had the same.
    if (actor === undefined) this.namedActor = undefined;
    const callback: unknown = args.at(-1);
    if (typeof callback !== 'function') {
      const sent = actor === undefined ? this.send(args) : this.sendAs(actor, args);
      return sent.catch((error) => this.fail(error)) as never;
    }
    // The pool calls it with a callback, which receives errors.
    if (actor === undefined) {
      this.start(args);
    } else {
      this.sendAs(actor, args.slice(0, -1)).then(
        (result) => callback(undefined, result),
        (error) => callback(error),
      );
    }
    return undefined as never;
  }

  private fail(error: unknown): never {
    this.afterError(error);
    // Points to the caller that sent the statement instead of to the driver that read the response.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }

  /** Starts a query with a callback. */
  private start(args: readonly unknown[]): void {
    this.startWaiting();
    Reflect.apply(super.query, this, args);
  }

  private send([statement, values]: readonly unknown[]): Promise<unknown> {
    // Pass a callback: without one, the driver assigns a function to a property of the query. V8 allocates such functions in the old
    // generation, where they retain the result until a full garbage collection, which delays requests by 100 ms.
    return new Promise((resolve, reject) => {
      const respond = (error: unknown, result: unknown) => (error ? reject(error) : resolve(result));
      this.start([statement, values, respond]);
    });
  }

  /** Records the actor for the audit log, once per transaction and for each single statement that writes. */
  private sendAs(actor: string, args: readonly unknown[]): Promise<unknown> {
    const [first] = args;
    const text = typeof first === 'string' ? first : String((first as { text?: unknown }).text ?? '');
    const kind = statementKind(text);
    if (kind === 'reads') return this.send(args);
    const isOpen = this.getTransactionStatus() !== 'I';
    if (isOpen && this.namedActor === actor) return this.send(args);
    this.namedActor = actor;
    if (kind === 'begins') return this.sendAll([args, nameOfActor(actor)], 0);
    // The first change of this actor in a transaction that began without one.
    if (isOpen) return this.sendAll([nameOfActor(actor), args], 1);
    return this.sendAll([['begin'], nameOfActor(actor), args, ['commit']], 2);
  }

  /** Runs the statements one after the other and returns the result of the one at index `chosen`. */
  private async sendAll(statements: readonly (readonly unknown[])[], chosen: number): Promise<unknown> {
    const results: unknown[] = [];
    try {
      for (const statement of statements) results.push(await this.send(statement));
    } catch (error) {
      // A connection that cannot roll back must not be used again.
      await this.send(['rollback']).catch(() => this.end());
      throw error;
    }
    return results[chosen];
  }
}

/** Set locally to the transaction, because a pooler gives the connection to another client next. */
function nameOfActor(actor: string): [string, string[]] {
  return ["select set_config('pennypost.actor', $1, true)", [actor]];
}

/** A statement with fixed text is prepared under the name in its leading comment. */
const namePattern = /^\s*\/\* prepared: (\S+) \*\//;
const names = new Map<string, string | undefined>();

function nameOf(text: string): string | undefined {
  if (!names.has(text)) {
    const name = namePattern.exec(text)?.[1];
    // Only fixed texts are prepared. Others contain lists of any length, so there is no limit to their number.
    if (name === undefined) return undefined;
    names.set(text, name);
  }
  return names.get(text);
}

/** Planning a hot statement takes longer than executing it. */
class PreparingConnection extends Connection {
  override query(...args: never[]): never {
    const [first, ...rest] = args as unknown[];
    const config = typeof first === 'string' ? { text: first } : (first as { text?: unknown });
    const name = typeof config.text === 'string' ? nameOf(config.text) : undefined;
    return super.query(...((name === undefined ? args : [{ ...config, name }, ...rest]) as never[]));
  }
}

/** PgBouncer drops startup parameters. The role must then set them, or timestamps would be misread. */
export async function refuseOtherSettings(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query(
    "select current_setting('TimeZone') as zone, current_setting('DateStyle') as style",
  );
  const { zone, style } = rows[0];
  if (zone === 'UTC' && style.startsWith('ISO')) return;
  throw new OperatorError(
    `The database session has the time zone ${zone} and the date style ${style}: PgBouncer drops the settings of the connection. ` +
      "Set them on the role: alter role ... set timezone = 'UTC'; alter role ... set datestyle = 'ISO'.",
  );
}

type Parser = (text: string) => unknown;

/** Rows use the wire format: datetimes and dates as text, exact decimals as text, counts as numbers. */
const parsers = new Map<number, Parser>([
  [20, Number], // int8: counts and sums, far below 2^53
  [1082, (text) => text], // date
  [1184, wireTimestamp], // timestamptz
  [1700, (text) => text], // numeric: exact; never a float
]);

function getTypeParser(oid: number, format?: 'text' | 'binary'): Parser {
  return parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text');
}

/** `2026-11-15 02:23:57.1+00` becomes `2026-11-15T02:23:57.100000Z`. Sessions run in UTC, so the offset is always +00. */
function wireTimestamp(text: string): string {
  const [seconds = '', fraction = ''] = text.slice(0, -3).replace(' ', 'T').split('.');
  return `${seconds}.${fraction.padEnd(6, '0')}Z`;
}
