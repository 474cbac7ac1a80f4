import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { OperatorError } from '../failure.ts';
import type { Log } from '../log.ts';
import { DatabaseClient } from './database-client.ts';
import { openPool, sessionSettings, tcpKeepAlive } from './pool.ts';
import { primaryOf, startOfServer } from './servers/server-search.ts';

type Listener = (payload: string) => void;

interface ChangeListenerOptions {
  /** Connection for statements; notifications are sent through it. */
  url: string;
  /** Connection that listens for notifications; must bypass a pooler. */
  sessionUrl: string;
  log: Log;
}

const beatEvery_ms = 2_000;
const sentWithin_ms = 3_000;
const heardWithin_ms = 1_000;
/** Longer than for heartbeats, because a machine is slower while it starts up. */
const heardAtStartWithin_ms = 5_000;
const connectWithin_ms = 5_000;

/**
 * Receives changes made by other processes, through LISTEN/NOTIFY. Caches are valid only while notifications arrive: otherwise `connected`
 * is false and nothing may be served from a cache, so that a lost notification never leaves a revoked key accepted. A connection without
 * errors proves nothing: a pooler in transaction mode accepts LISTEN and delivers no notifications, and a server that vanished is silent
 * too. So a heartbeat makes the full round trip every two seconds. It has its own connection: behind long statements in the pool it would
 * be late, and caching would be off when it is needed most.
 */
export class ChangeListener {
  connected = false;
  private readonly listeners = new Map<string, Listener[]>();
  private readonly resets: (() => void)[] = [];
  private client: pg.Client | undefined;
  private closed = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly options: ChangeListenerOptions;
  private readonly beats: pg.Pool;
  /** One channel per process, so that no process receives the heartbeats of others. */
  private readonly beatChannel = `heartbeat_${randomUUID()}`;
  /** Callbacks for heartbeats that have not arrived yet. */
  private readonly expected = new Map<string, (heard: boolean) => void>();
  /** The heartbeat that writes wait for now, and the next one, which covers all writes that ended in the meantime. */
  private lastCheck: Promise<boolean> = Promise.resolve(true);
  private nextCheck: Promise<boolean> | undefined;
  /** Start time of the server that answered the last heartbeat. */
  private serverStartedAt: string | undefined;

  constructor(options: ChangeListenerOptions) {
    this.options = options;
    // A heartbeat stores nothing, so it need not wait for fsync.
    this.beats = openPool({ url: options.url, poolSize: 1, log: options.log, session: '-c synchronous_commit=off' });
    this.on(this.beatChannel, (beat) => this.expected.get(beat)?.(true));
  }

  on(channel: string, listener: Listener): void {
    const known = this.listeners.get(channel);
    this.listeners.set(channel, [...(known ?? []), listener]);
    // `start` listens on every channel registered before it. If the connection is lost, `start` runs again.
    const { client } = this;
    if (!known && this.connected && client) listen(client, channel).catch(() => this.lost(client, 'LISTEN failed'));
  }

  /** `reset` is called whenever notifications may have been missed. */
  onReset(reset: () => void): void {
    this.resets.push(reset);
  }

  async start(): Promise<void> {
    if (await this.connect(heardAtStartWithin_ms)) return;
    throw new OperatorError(
      'The database does not deliver notifications (LISTEN/NOTIFY), probably because of a pooler in transaction mode. Set ' +
        'DATABASE_SESSION_URL to a direct connection to the same database.',
    );
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.client?.end().catch(() => undefined);
    await this.beats.end();
  }

  /** For wake-ups that may get lost: the receiver must also poll. */
  async send(channel: string, payload: string): Promise<void> {
    await this.beats.query('select pg_notify($1, $2)', [channel, payload]);
  }

  /**
   * Resolves when the notifications of all earlier commits have arrived. The server delivers notifications in commit order, so a heartbeat
   * sent now arrives after them. If it does not arrive, every cache is cleared.
   */
  async catchUp(): Promise<void> {
    if (!this.connected) return;
    this.nextCheck ??= this.lastCheck.then(() => {
      this.nextCheck = undefined;
      this.lastCheck = this.beat(heardWithin_ms).catch(() => false);
      return this.lastCheck;
    });
    if (!(await this.nextCheck)) this.reset();
  }

  /** Clears every cache. */
  reset(): void {
    for (const reset of this.resets) reset();
  }

  /** Returns whether notifications arrive through the new connection. */
  private async connect(within_ms: number): Promise<boolean> {
    const client = new DatabaseClient({
      connectionString: this.options.sessionUrl,
      connectionTimeoutMillis: connectWithin_ms,
      query_timeout: connectWithin_ms,
      ...tcpKeepAlive,
      ...sessionSettings,
    });
    client.on('notification', ({ channel, payload }) => {
      for (const listener of this.listeners.get(channel) ?? []) listener(payload ?? '');
    });
    client.on('error', () => this.lost(client, 'connection error'));
    client.on('end', () => this.lost(client, 'connection closed'));
    this.client = client;
    try {
      await client.connect();
      for (const channel of this.listeners.keys()) await listen(client, channel);
      const heard = await this.beat(within_ms);
      if (this.client !== client) throw new Error('Connection terminated while it was being checked');
      this.connected = heard;
    } catch (error) {
      this.abandon(client);
      throw error;
    }
    this.reset();
    if (this.connected) this.beatLater(client);
    else this.abandon(client);
    return this.connected;
  }

  /** Sends a notification through the database; returns whether it came back. */
  private async beat(within_ms: number): Promise<boolean> {
    const beat = randomUUID();
    const heard = new Promise<boolean>((resolve) => {
      this.expected.set(beat, resolve);
    });
    try {
      const { rows } = await this.beats.query({
        text: `select pg_notify($1, $2), ${startOfServer} as started_at`,
        values: [this.beatChannel, beat],
        query_timeout: sentWithin_ms,
      } as pg.QueryConfig);
      this.serverStartedAt = rows[0].started_at;
      return await Promise.race([heard, elapsed(within_ms)]);
    } finally {
      this.expected.delete(beat);
    }
  }

  private beatLater(client: pg.Client): void {
    this.timer = setTimeout(async () => {
      const problem = await this.beat(heardWithin_ms).then(
        (heard) => (heard ? undefined : 'heartbeat not received'),
        () => 'heartbeat not sent',
      );
      if (this.closed || this.client !== client) return;
      if (problem) this.lost(client, problem);
      else this.beatLater(client);
    }, beatEvery_ms);
    this.timer.unref();
  }

  private lost(client: pg.Client, reason: string): void {
    if (this.closed || this.client !== client) return;
    const wasConnected = this.connected;
    this.abandon(client);
    // During `connect`, its caller reports the error.
    if (!wasConnected) return;
    this.options.log.warn(
      { event: 'changes.lost', reason },
      'Database notifications may be lost; caching is off until they arrive again',
    );
    void this.checkServers().then((connections) => {
      if (connections > 0)
        this.options.log.warn(
          { event: 'database.server_gone', connections },
          'The database server does not respond or is read-only; the connections to it were closed',
        );
    });
    this.retryLater();
  }

  /** A lost heartbeat is the first sign that a server vanished silently. Returns the number of closed connections. */
  private async checkServers(): Promise<number> {
    const urls = new Set([this.options.url, this.options.sessionUrl]);
    const closed = await Promise.all([...urls].map((url) => primaryOf(url).check(this.serverStartedAt)));
    return closed.reduce((sum, count) => sum + count, 0);
  }

  private abandon(client: pg.Client): void {
    if (this.client === client) this.client = undefined;
    this.connected = false;
    this.reset();
    for (const report of this.expected.values()) report(false);
    client.end().catch(() => undefined);
  }

  private retryLater(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      const heard = await this.connect(heardWithin_ms).catch(() => false);
      if (this.closed) return;
      if (heard)
        return this.options.log.info(
          { event: 'changes.back', server: `${this.client?.host}:${this.client?.port}` },
          'Database notifications arrive again; caching is on',
        );
      void this.checkServers();
      this.retryLater();
    }, 500);
    this.timer.unref();
  }
}

function listen(client: pg.Client, channel: string): Promise<unknown> {
  return client.query(`listen ${pg.escapeIdentifier(channel)}`);
}

/** A timeout that lets the event loop first read what arrived while the process was busy. */
function elapsed(ms: number): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(() => setImmediate(resolve, false), ms).unref();
  });
}
