/** The only source of the current time; tests replace it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export const minute_ms = 60_000;
export const hour_ms = 60 * minute_ms;
export const day_ms = 24 * hour_ms;

export function later(moment: Date, by_ms: number): Date {
  return new Date(moment.getTime() + by_ms);
}

export function earlier(moment: Date, by_ms: number): Date {
  return new Date(moment.getTime() - by_ms);
}

/** Detects when the system clock was set, by comparing it with the monotonic clock. */
export class ClockWatch {
  private readonly clock: Clock;
  private readonly threshold_ms: number;
  private lead: number;

  constructor(clock: Clock, threshold_ms: number) {
    this.clock = clock;
    this.threshold_ms = threshold_ms;
    this.lead = this.leadNow();
  }

  /** Returns the jump since the last call, negative for backwards; 0 below the threshold. */
  jump_ms(): number {
    const before = this.lead;
    this.lead = this.leadNow();
    const jump_ms = this.lead - before;
    return Math.abs(jump_ms) < this.threshold_ms ? 0 : jump_ms;
  }

  private leadNow(): number {
    return this.clock.now().getTime() - performance.now();
  }
}

/** A datetime in the format of the API: UTC with six fractional digits and a Z. */
export type Timestamp = string;

let last_ms = Number.NaN;
let lastWritten = '';

export function timestamp(date: Date): Timestamp {
  const ms = date.getTime();
  // Under load, many messages share a millisecond, and formatting it is the most expensive part.
  if (ms !== last_ms) {
    lastWritten = `${date.toISOString().slice(0, -1)}000Z`;
    last_ms = ms;
  }
  return lastWritten;
}
