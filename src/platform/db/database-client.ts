import pg from 'pg';
import { breakWith, cut, isEnding, onParameterStatus, onReadyForQuery } from './driver-internals.ts';
import { isQueryTimeout, isReadOnlyServer, isServerGone, queryTimeout } from './server-gone.ts';
import { type ServerRole, urlsOfHosts } from './servers/database-hosts.ts';
import { serverOf } from './servers/server-search.ts';

interface Config extends pg.ClientConfig {
  /** With `standby`, the user of the connection must check that the server is one, because a pooler does not report it. */
  role?: ServerRole;
  /** Whether the host of a URL with a single host may be a standby, for example for a backup. */
  mayBeStandby?: boolean;
}

/** Each server since PostgreSQL 14 reports these parameters whenever they change. A pooler may not pass them on. */
const readOnlySettings = ['in_hot_standby', 'default_transaction_read_only'];

/**
 * Connects to the server of the URL with the given role; by default, to the one that accepts writes. Every connection of the product uses
 * this class.
 */
export class DatabaseClient extends pg.Client {
  private readonly url: string;
  private readonly role: ServerRole;
  private readonly mayBeStandby: boolean;
  private readonly readOnly = new Set<string>();
  private mustClose = false;
  private broken: Error | undefined;
  /** The time since which the server has been working on a statement. */
  private waitingSince: number | undefined;

  constructor(config: Config = {}) {
    const url = config.connectionString ?? '';
    const { role = 'primary', mayBeStandby = false } = config;
    const [first, ...others] = urlsOfHosts(url, role);
    super({ ...config, connectionString: first });
    this.url = url;
    this.role = role;
    this.mayBeStandby = role === 'standby' || (mayBeStandby && others.length === 0);
    // A pending statement reports the error to its caller. Without this listener, the error would end the process.
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
    // All statements have a response.
    this.on('drain', () => {
      this.waitingSince = undefined;
    });
    // The commit was cancelled while it waited for the standby. PostgreSQL reports success next, but a failover may lose the commit.
    this.on('notice', (notice) => {
      if ((notice as { routine?: string }).routine !== 'SyncRepWaitForLSN') return;
      breakWith(this, new Error('Connection terminated: a commit did not wait for the standby'));
    });
  }

  /** Called before a statement is sent. */
  protected startWaiting(): void {
    this.waitingSince ??= performance.now();
  }

  /**
   * Closes the connection if the server has not responded to a statement within the limit. The driver's `query_timeout` would cost a timer
   * per statement and retain its result, see `Connection.send`.
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
    const search = serverOf(this.url, this.role);
    const server = await search.find();
    // `end` was called during the search.
    if (isEnding(this)) throw new Error('Connection terminated');
    this.host = server.host;
    this.port = server.port;
    search.add(this, server);
    try {
      await super.connect();
      // A server that is shutting down accepts a login and closes the connection in the same packet.
      if (this.broken) throw this.broken;
    } catch (error) {
      if (isServerGone(error)) search.invalidate(server);
      throw error;
    }
    if (this.readOnly.size > 0 && !this.mayBeStandby) {
      search.invalidate(server);
      void this.end();
      throw new ReadOnlyServer(`${server.host}:${server.port}`);
    }
    return this;
  }

  /**
   * After a query timeout the driver keeps the connection, and the pool would hand out a dead one. A server that became read-only also
   * keeps its connections. The connection is closed later, so that the transaction can roll back.
   */
  protected afterError(error: unknown): void {
    if (isQueryTimeout(error)) void this.end();
    if (!isReadOnlyServer(error) || this.role === 'standby') return;
    this.mustClose = true;
    void serverOf(this.url, this.role).check();
  }

  /** Closes a connection that must not be reused. The pool then removes it. */
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
