import type { Clock } from '../../../src/platform/clock.ts';

/** Stands still until a test moves it. */
export class FakeClock implements Clock {
  private moment: Date;
  onChange: (moment: Date) => void = () => {};

  constructor(start: string | Date = new Date()) {
    this.moment = new Date(start);
  }

  now(): Date {
    return new Date(this.moment);
  }

  set(moment: string | Date): void {
    this.moment = new Date(moment);
    this.onChange(this.moment);
  }

  advance(by: { days?: number; hours?: number; minutes?: number; seconds?: number; ms?: number }): void {
    const { days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0 } = by;
    this.set(new Date(this.moment.getTime() + (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + ms));
  }
}
