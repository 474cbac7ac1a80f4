/** The only source of "now": tests put a clock of their own in its place. */
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

/** Tells when the clock was set: it then has moved on by more or by less than the time that has passed. */
export class ClockWatch {
  private readonly clock: Clock;
  private readonly least_ms: number;
  private lead: number;

  constructor(clock: Clock, least_ms: number) {
    this.clock = clock;
    this.least_ms = least_ms;
    this.lead = this.leadNow();
  }

  /** By how much since the last question, below zero for back; 0 for less than what matters. */
  jump_ms(): number {
    const before = this.lead;
    this.lead = this.leadNow();
    const jump_ms = this.lead - before;
    return Math.abs(jump_ms) < this.least_ms ? 0 : jump_ms;
  }

  private leadNow(): number {
    return this.clock.now().getTime() - performance.now();
  }
}

/** The contract's datetime: UTC with six fractional digits and a Z. */
export type Timestamp = string;

let lastMs = Number.NaN;
let lastWritten = '';

export function timestamp(date: Date): Timestamp {
  const ms = date.getTime();
  // Under load many messages share a millisecond, and writing it down costs more than anything else about it.
  if (ms !== lastMs) {
    lastWritten = `${date.toISOString().slice(0, -1)}000Z`;
    lastMs = ms;
  }
  return lastWritten;
}
