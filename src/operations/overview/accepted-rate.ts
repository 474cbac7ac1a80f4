import { minute_ms } from '../../platform/clock.ts';

interface Sample {
  at: number;
  day: string;
  total: number;
}

/** Shorter times say little about the rate. */
const least_ms = 10_000;
const most_ms = 90_000;

/** How many messages are accepted in a minute, from the totals of the day as they were read while somebody looks. */
export class AcceptedRate {
  private samples: Sample[] = [];

  /** Undefined for the first seconds. A new day begins with a total of 0. */
  perMinute(day: string, total: number): number | undefined {
    const at = performance.now();
    this.samples = this.samples.filter((sample) => sample.day === day && sample.at > at - most_ms);
    this.samples.push({ at, day, total });
    const [first] = this.samples;
    if (!first || at - first.at < least_ms) return undefined;
    return Math.max(0, Math.round(((total - first.total) * minute_ms) / (at - first.at)));
  }
}
