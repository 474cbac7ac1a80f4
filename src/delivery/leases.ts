import { randomUUID } from 'node:crypto';
import { extendLeases, readDatabaseTime } from '../notifications/queue/leases.shared.sql.ts';
import { type Timestamp, timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';

/** After this time, other workers take over the messages of a dead worker. A live worker renews its leases. */
export const lease_ms = 8_000;
const renewEvery_ms = 2_500;
/** A smaller change of the database's clock expires no lease. */
export const minJump_ms = lease_ms - renewEvery_ms;
/** How long live workers need after a database outage to record or renew what they hold. */
const takeOverDelay_ms = renewEvery_ms + 1_000;
/** If a statement takes longer, the database delayed it, and probably those of other workers too. */
const slow_ms = 2_000;
/** A call that starts before this margin may outlast its lease, but the lease will have been renewed by then. */
const margin_ms = 500;

/** A message held by a worker. */
export interface Held {
  /** Measured with `performance.now()`. */
  leasedAt: number;
  until: number;
}

/**
 * Renews the leases of a worker and decides when it may take over expired leases of others. It may not while their holders had no chance to
 * renew them: right after a database outage, after a change of the database's clock, or after its own start, when either may just have
 * happened. The clocks of the workers do not matter.
 */
export class Leases {
  readonly worker = randomUUID();
  private readonly app: Platform;
  private readonly held: ReadonlyMap<string, Held>;
  private renewing: NodeJS.Timeout | undefined;
  /** The database time when it was last read, and the `performance.now()` of that moment. */
  private databaseTime: { now_ms: number; readAt: number } | undefined;
  private takeOverAfter = 0;
  private isUnreachable = false;

  constructor(app: Platform, held: Leases['held']) {
    this.app = app;
    this.held = held;
  }

  start(): void {
    this.delayTakeOver();
    this.renewing = setInterval(() => void this.renew(renewEvery_ms), renewEvery_ms);
  }

  stop(): void {
    clearInterval(this.renewing);
  }

  /**
   * Returns the database time up to which expired leases of others may be taken over; null: none may be. If the database's clock was set
   * forward since it was read, leases that this expired stay with their holders until they have renewed them.
   */
  takeOverUntil(): Timestamp | null {
    if (this.isUnreachable || performance.now() < this.takeOverAfter || !this.databaseTime) return null;
    return timestamp(new Date(this.expectedTime_ms(this.databaseTime)));
  }

  /** Reads the database time, which is otherwise known only after the first renewal. For tests. */
  async readDatabaseTime(): Promise<void> {
    this.databaseTime = { now_ms: await readDatabaseTime(this.app.db), readAt: performance.now() };
  }

  /** Runs a statement and detects whether the database was unavailable and is back. */
  async watch<T>(statement: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      const result = await statement();
      if (this.isUnreachable || performance.now() - began > slow_ms) this.delayTakeOver();
      this.isUnreachable = false;
      return result;
    } catch (error) {
      this.isUnreachable = true;
      throw error;
    }
  }

  /** Returns the lease of messages whose leasing statement started at `began`. */
  leasedAt(began: number): Held {
    return { leasedAt: began, until: began + lease_ms };
  }

  /** Whether the lease still allows a call to start now. A stalled process may have lost it. */
  isHeld(id: string): boolean {
    const held = this.held.get(id);
    return held !== undefined && performance.now() < held.until - margin_ms;
  }

  private delayTakeOver(): void {
    this.takeOverAfter = performance.now() + takeOverDelay_ms;
  }

  private expectedTime_ms({ now_ms, readAt }: { now_ms: number; readAt: number }): number {
    return now_ms + performance.now() - readAt;
  }

  private async renew(olderThan_ms: number): Promise<void> {
    const began = performance.now();
    const ids = [...this.held].filter(([, { leasedAt }]) => leasedAt < began - olderThan_ms).map(([id]) => id);
    try {
      const renewed = await this.watch(() => extendLeases(this.app.db, this.worker, ids, lease_ms));
      const kept = new Set(renewed.ids);
      for (const id of ids) {
        const held = this.held.get(id);
        if (held) held.until = kept.has(id) ? began + lease_ms : 0;
      }
      if (this.wasClockSet(renewed.now_ms)) await this.renew(0);
    } catch (error) {
      this.app.log.warn({ event: 'leases.renew_failed', err: error }, 'Leases could not be renewed');
    }
  }

  /** Other workers detect a change of the database's clock at their next renewal, and then renew all their leases. */
  private wasClockSet(now_ms: number): boolean {
    const before = this.databaseTime;
    const jump_ms = before ? now_ms - this.expectedTime_ms(before) : 0;
    this.databaseTime = { now_ms, readAt: performance.now() };
    if (Math.abs(jump_ms) < minJump_ms) return false;
    this.app.log.warn(
      { event: 'database.clock_changed', jump_ms: Math.round(jump_ms) },
      'The clock of the database was changed',
    );
    this.delayTakeOver();
    return true;
  }
}
