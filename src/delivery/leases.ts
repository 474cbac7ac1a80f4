import { randomUUID } from 'node:crypto';
import { extendLeases } from '../notifications/queue/delivery-queue.ts';
import { ClockWatch, later, timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';

/** A dead worker’s messages are back in sight after this long; a living one renews what takes longer. */
export const lease_ms = 8_000;
const renewEvery_ms = 2_500;
/** A smaller jump of the clock makes no lease run out. */
export const smallestJump_ms = lease_ms - renewEvery_ms;
/** How long living workers take, once the database is back, to record what they hold or to renew it. */
const quiet_ms = renewEvery_ms + 1_000;
/** A statement that takes longer was held up by the database: then the statements of others were, too. */
const slow_ms = 2_000;
/** A call that begins this long before its lease ends may still be under way then, but it will have been renewed. */
const margin_ms = 500;

type Deps = Pick<Platform, 'db' | 'clock' | 'log'>;

/** One message that a worker holds. */
export interface Held {
  /** By `performance.now()`. */
  leasedAt: number;
  until: number;
}

/**
 * Keeps what a worker holds its own, for as long as it holds it; and knows when leases of others that have run out may be
 * taken over. They may not while their holders had no chance to renew them: right after the database was away or the clock
 * was set, and right after our own start, when either may just have happened.
 */
export class Leases {
  readonly worker = randomUUID();
  private readonly app: Deps;
  private readonly held: ReadonlyMap<string, Held>;
  private renewing: NodeJS.Timeout | undefined;
  private clockWatch: ClockWatch | undefined;
  private quietUntil = 0;
  private isAway = false;

  constructor(app: Deps, held: Leases['held']) {
    this.app = app;
    this.held = held;
  }

  start(): void {
    this.beQuiet();
    this.renewing = setInterval(() => void this.renew(renewEvery_ms), renewEvery_ms);
    this.clockWatch = new ClockWatch(this.app.clock, smallestJump_ms);
  }

  stop(): void {
    clearInterval(this.renewing);
  }

  mayTakeOver(): boolean {
    if (this.clockWatch?.jump_ms()) {
      this.beQuiet();
      void this.renew(0);
    }
    return !this.isAway && performance.now() >= this.quietUntil;
  }

  /** For statements by which the worker learns that the database was away, and that it is back. */
  async watch<T>(statement: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      const result = await statement();
      if (this.isAway || performance.now() - began > slow_ms) this.beQuiet();
      this.isAway = false;
      return result;
    } catch (error) {
      this.isAway = true;
      throw error;
    }
  }

  /** What was leased by a statement that began then. */
  leasedAt(began: number): Held {
    return { leasedAt: began, until: began + lease_ms };
  }

  /** Whether a call that begins now begins within the lease. A process that was stalled may find that it does not. */
  isHeld(id: string): boolean {
    const held = this.held.get(id);
    return held !== undefined && performance.now() < held.until - margin_ms;
  }

  private beQuiet(): void {
    this.quietUntil = performance.now() + quiet_ms;
  }

  private async renew(olderThan_ms: number): Promise<void> {
    const began = performance.now();
    const ids = [...this.held].filter(([, { leasedAt }]) => leasedAt < began - olderThan_ms).map(([id]) => id);
    if (ids.length === 0) return;
    try {
      const until = timestamp(later(this.app.clock.now(), lease_ms));
      const kept = new Set(await this.watch(() => extendLeases(this.app.db, this.worker, ids, until)));
      for (const id of ids) {
        const held = this.held.get(id);
        if (held) held.until = kept.has(id) ? began + lease_ms : 0;
      }
    } catch (error) {
      this.app.log.warn({ err: error }, 'leases could not be renewed');
    }
  }
}
