import type { Log } from '../../platform/log.ts';
import type { GrantedSlots } from './provider-slots.sql.ts';

/** A slot missed by more than this, because the process was busy, is skipped: using many missed slots at once would exceed the rate. */
const maxDelay_ms = 500;
/** Interval between two reservations, which are one statement each. */
const reserveEvery_ms = 100;
/** Delay after a reservation failed because the database was unavailable. */
const retryAfter_ms = 500;

export interface RateLimiterOptions {
  provider: string;
  perSecond: number;
  reserve(count: number, pace: { gap_ms: number; ahead_ms: number }): Promise<GrantedSlots>;
  log: Log;
}

interface Waiting {
  lane: number;
  go(): void;
}

/**
 * Enforces the rate limit of a provider for all workers together. The database grants evenly spaced slots, and each message that this
 * worker has leased for the provider waits for one. Messages are leased up to a second ahead, so that a slow lease does not lower the rate.
 * Messages of higher lanes go first.
 */
export class ProviderRateLimiter {
  private readonly options: RateLimiterOptions;
  private readonly gap_ms: number;
  /** Max leased messages that wait for a slot: one second's worth, or a tenth of a second's above 1,000 per second. */
  private readonly max: number;
  /** The same limit while other workers get most slots: based on what this worker got lately. */
  private share: number;
  /** Leased messages that have not been sent yet. */
  private taken = 0;
  private readonly waiting: Waiting[] = [];
  /** Times of granted slots as in `performance.now()`, ascending. */
  private slots: number[] = [];
  private reservedAt = Number.NEGATIVE_INFINITY;
  private isReserving = false;
  private timer: NodeJS.Timeout | undefined;
  private failures = 0;

  constructor(options: RateLimiterOptions) {
    const { perSecond } = options;
    this.options = options;
    this.gap_ms = 1_000 / perSecond;
    this.max = Math.max(1, Math.floor(Math.max(perSecond / 10, Math.min(perSecond, 100))));
    this.share = Math.max(1, Math.floor(perSecond / 10));
  }

  /** Returns how many more messages may be leased now. */
  available(): number {
    return Math.max(0, Math.min(this.share, this.max) - this.taken);
  }

  take(): void {
    this.taken += 1;
  }

  /** Gives back the capacity of a message that is not sent. */
  release(): void {
    this.taken -= 1;
  }

  /** Resolves when a message whose capacity was taken may be sent. */
  waitForSlot(lane: number): Promise<void> {
    return new Promise((resolve) => {
      const place = this.waiting.findIndex((other) => other.lane > lane);
      this.waiting.splice(place < 0 ? this.waiting.length : place, 0, { lane, go: resolve });
      this.proceed();
    });
  }

  private proceed(): void {
    clearTimeout(this.timer);
    const now = performance.now();
    this.slots = this.slots.filter((slot) => slot >= now - maxDelay_ms);
    while (this.waiting.length > 0 && (this.slots[0] ?? Number.POSITIVE_INFINITY) <= now) {
      this.slots.shift();
      this.taken -= 1;
      this.waiting.shift()?.go();
    }
    if (this.waiting.length === 0) return;
    const mustReserve = this.slots.length < this.waiting.length && !this.isReserving;
    if (mustReserve && now >= this.reservedAt + reserveEvery_ms) void this.reserve();
    const nextReservation = mustReserve ? this.reservedAt + reserveEvery_ms : Number.POSITIVE_INFINITY;
    const next = Math.min(this.slots[0] ?? Number.POSITIVE_INFINITY, nextReservation);
    if (next < Number.POSITIVE_INFINITY) this.timer = setTimeout(() => this.proceed(), Math.max(1, next - now));
  }

  private async reserve(): Promise<void> {
    const { gap_ms, max } = this;
    this.isReserving = true;
    // Includes messages that are still being composed.
    const count = Math.max(1, this.taken - this.slots.length);
    try {
      const { granted, end_in_ms } = await this.options.reserve(count, { gap_ms, ahead_ms: max * gap_ms });
      this.reservedAt = performance.now();
      const end = this.reservedAt + end_in_ms;
      for (let left = granted; left > 0; left -= 1) this.slots.push(end - left * gap_ms);
      this.share = granted === count ? Math.min(max, this.share * 2) : Math.max(1, this.slots.length);
      this.failures = 0;
    } catch (error) {
      this.reservedAt = performance.now() + retryAfter_ms;
      this.failures += 1;
      const { provider, log } = this.options;
      if (this.failures === 1) {
        log.warn(
          { event: 'rate.unknown', provider, err: error },
          'The rate of a provider could not be shared with other workers; its messages wait',
        );
      }
    }
    this.isReserving = false;
    this.proceed();
  }
}
