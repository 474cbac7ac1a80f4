import { extendLeases, type QueuedNotification } from '../notifications/delivery-queue.ts';
import { ClockWatch, later, timestamp } from '../platform/clock.ts';
import { outlastingOutages } from '../platform/db/patience.ts';
import type { Platform } from '../platform/platform.ts';

/** A dead worker’s messages are back in sight after this long; a living one renews what takes longer. */
export const lease_ms = 8_000;
const renewEvery_ms = 2_500;
/** A smaller jump of the clock makes no lease run out. */
export const smallestJump_ms = lease_ms - renewEvery_ms;

type Needs = Pick<Platform, 'db' | 'clock' | 'log'>;

/** Keeps what a worker holds its own, for as long as it holds it. */
export class Leases {
  private readonly app: Needs;
  /** When each was leased. */
  private readonly held: ReadonlyMap<string, { leasedAt: number }>;
  private renewing: NodeJS.Timeout | undefined;
  private clockWatch: ClockWatch | undefined;
  private quietUntil = 0;
  private stopped = false;

  constructor(app: Needs, held: Leases['held']) {
    this.app = app;
    this.held = held;
  }

  start(): void {
    this.renewing = setInterval(() => void this.renew(renewEvery_ms), renewEvery_ms);
    this.clockWatch = new ClockWatch(this.app.clock, smallestJump_ms);
  }

  stop(): void {
    this.stopped = true;
    clearInterval(this.renewing);
  }

  /** Milliseconds to wait: when the clock is set, what others hold looks abandoned until they have renewed it, as we do. */
  quietAfterJump_ms(): number {
    if (this.clockWatch?.jump_ms()) {
      this.quietUntil = performance.now() + renewEvery_ms;
      void this.renew(0);
    }
    return Math.max(0, this.quietUntil - performance.now());
  }

  /** For what was leased by a clock that was set meanwhile. Another worker may hold it: whoever it is, from now on. */
  async leave(leased: QueuedNotification[]): Promise<void> {
    const ids = leased.map(({ id }) => id);
    await outlastingOutages(
      this.app.log,
      () => this.stopped,
      () => this.extend(ids),
    );
  }

  private async renew(olderThan_ms: number): Promise<void> {
    const old = performance.now() - olderThan_ms;
    const ids = [...this.held].filter(([, { leasedAt }]) => leasedAt < old).map(([id]) => id);
    if (ids.length === 0) return;
    await this.extend(ids).catch((error) => this.app.log.warn({ err: error }, 'leases could not be renewed'));
  }

  private extend(ids: string[]): Promise<void> {
    return extendLeases(this.app.db, ids, timestamp(later(this.app.clock.now(), lease_ms)));
  }
}
