import pg from 'pg';
import { breakWith, cut, isEnding, onParameterStatus, onReadyForQuery } from './driver-internals.ts';
import { isQueryTimeout, isReadOnlyServer, isServerGone, queryTimeout } from './server-gone.ts';
import { type ServerRole, urlsOfHosts } from './servers/database-hosts.ts';
import { serverOf } from './servers/server-search.ts';

interface Config extends pg.ClientConfig {
  /** `standby`: whoever uses the connection checks that it is one, because a pooler does not say. */
  role?: ServerRole;
  /** With a URL of one host: whether that may be a standby, as for a backup. */
  mayBeStandby?: boolean;
}

/** Reported by each server since PostgreSQL 14, whenever they change. A pooler may not pass them on. */
const readOnlySettings = ['in_hot_standby', 'default_transaction_read_only'];

/** A connection to the server of the URL that has the role: by default, that accepts writes. Every connection to a database of the product is one. */
export class DatabaseClient extends pg.Client {
  private readonly url: string;
  private readonly role: ServerRole;
  private readonly mayBeStandby: boolean;
  private readonly readOnly = new Set<string>();
  private mustClose = false;
  private broken: Error | undefined;
  /** Since the server works on a statement. */
  private waitingSince: number | undefined;

  constructor(config: Config = {}) {
    const url = config.connectionString ?? '';
    const { role = 'primary', mayBeStandby = false } = config;
    const [first, ...others] = urlsOfHosts(url, role);
    super({ ...config, connectionString: first });
    this.url = url;
    this.role = role;
    this.mayBeStandby = role === 'standby' || (mayBeStandby && others.length === 0);
    // Whoever waits for a response learns of it there. Without a listener it would end the process.
    this.on('error', (error) => {
      this.broken = error;
    });
    onParameterStatus(this, (name, value) => {
      if (!readOnlySettings.includes(name)) return;
      if (value === 'on') this.readOnly.add(name);
      else this.readOnly.delete(name);
    });
    onReadyForQuery(this, () => {
      if (this.waitingSince !== undefined) this.waitingSince = performance.now();
    });
    // All statements have their response.
    this.on('drain', () => {
      this.waitingSince = undefined;
    });
    // The commit was cancelled while it waited for the standby. PostgreSQL reports success next, but a failover may lose it.
    this.on('notice', (notice) => {
      if ((notice as { routine?: string }).routine !== 'SyncRepWaitForLSN') return;
      breakWith(this, new Error('Connection terminated: a commit did not wait for the standby'));
    });
  }

  /** Before a statement is sent. */
  protected startWaiting(): void {
    this.waitingSince ??= performance.now();
  }

  /**
   * Closes the connection if the server has worked on a statement for so long. Not the driver's `query_timeout`, which costs a
   * timer per statement and keeps its result, see `Connection.send`.
   */
  closeIfSilentFor(limit_ms: number): void {
    if (this.waitingSince === undefined || performance.now() - this.waitingSince < limit_ms) return;
    this.waitingSince = undefined;
    breakWith(this, new Error(queryTimeout));
  }

  override connect(...args: never[]): never {
    const [callback] = args as ((error?: unknown) => void)[];
    const connected = this.connectToServer();
    if (!callback) return connected as never;
    connected.then(() => callback(), callback);
    return undefined as never;
  }

  private async connectToServer(): Promise<this> {
    const sought = serverOf(this.url, this.role);
    const server = await sought.find();
    // It was ended during the search.
    if (isEnding(this)) throw new Error('Connection terminated');
    this.host = server.host;
    this.port = server.port;
    sought.add(this, server);
    try {
      await super.connect();
      // A server that is shutting down accepts a login and breaks the connection in the same packet.
      if (this.broken) throw this.broken;
    } catch (error) {
      if (isServerGone(error)) sought.doubt(server);
      throw error;
    }
    if (this.readOnly.size > 0 && !this.mayBeStandby) {
      sought.doubt(server);
      void this.end();
      throw new ReadOnlyServer(`${server.host}:${server.port}`);
    }
    return this;
  }

  /**
   * After a query timeout the driver keeps the connection, and the pool would hand out a dead one. A server that became
   * read-only keeps its connections as well; the transaction must still be able to roll back.
   */
  protected afterError(error: unknown): void {
    if (isQueryTimeout(error)) void this.end();
    if (!isReadOnlyServer(error) || this.role === 'standby') return;
    this.mustClose = true;
    void serverOf(this.url, this.role).check();
  }

  /** For the pool, which then removes the connection. */
  onRelease(error: unknown): void {
    if (error) this.afterError(error);
    if (this.mustClose) void this.end();
  }

  /** Closes the socket without notifying the server. */
  cut(): void {
    cut(this);
  }
}

class ReadOnlyServer extends Error {
  readonly code = '25006';

  constructor(server: string) {
    super(`${server} is a standby: it accepts no writes`);
  }
}
