import pg from 'pg';
import type { Log } from '../log.ts';
import { keptAlive, sessionSettings } from './database.ts';

type Listener = (payload: string) => void;

/**
 * What other processes changed, through LISTEN/NOTIFY. Caches live only as long as the connection: while it is down,
 * `connected` is false and nothing may be served from a cache, so a revoked key is never accepted because a notice got lost.
 */
export class Notices {
  connected = false;
  private readonly listeners = new Map<string, Listener[]>();
  private readonly resets: (() => void)[] = [];
  private client: pg.Client | undefined;
  private closed = false;
  private retrying: NodeJS.Timeout | undefined;
  private readonly url: string;
  private readonly log: Log;

  constructor(url: string, log: Log) {
    this.url = url;
    this.log = log;
  }

  on(channel: string, listener: Listener): void {
    const known = this.listeners.get(channel);
    this.listeners.set(channel, [...(known ?? []), listener]);
    // Before the start nothing is connected, and the start listens to every channel. A lost connection starts again.
    if (!known && this.connected) this.client?.query(`listen ${pg.escapeIdentifier(channel)}`).catch(() => undefined);
  }

  /** Called whenever notices may have been missed. */
  onReset(reset: () => void): void {
    this.resets.push(reset);
  }

  async start(): Promise<void> {
    const client = new pg.Client({ connectionString: this.url, ...keptAlive, ...sessionSettings });
    client.on('notification', ({ channel, payload }) => {
      for (const listener of this.listeners.get(channel) ?? []) listener(payload ?? '');
    });
    client.on('error', () => this.lost(client));
    client.on('end', () => this.lost(client));
    this.client = client;
    await client.connect();
    for (const channel of this.listeners.keys()) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    this.reset();
    this.connected = true;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.client?.end().catch(() => undefined);
  }

  /** Everything remembered is read again. */
  reset(): void {
    for (const reset of this.resets) reset();
  }

  private lost(client: pg.Client): void {
    if (this.closed || this.client !== client) return;
    this.client = undefined;
    this.connected = false;
    this.reset();
    this.log.warn({}, 'the notice connection was lost; caches are off until it is back');
    this.retry();
  }

  private retry(): void {
    if (this.retrying) return;
    this.retrying = setTimeout(() => {
      this.retrying = undefined;
      if (this.closed) return;
      this.start().then(
        () => this.log.info({}, 'the notice connection is back'),
        () => {
          this.client = undefined;
          this.retry();
        },
      );
    }, 500);
    this.retrying.unref();
  }
}
