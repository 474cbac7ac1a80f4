import { performance } from 'node:perf_hooks';

/** The share of time that the event loop may be busy before requests noticeably wait for it. */
const busy = 0.7;
const judgeEvery_ms = 100;
const slowDown = 0.7;
const speedUp = 1.15;
/** Bulk work never stops. */
export const smallestShare = 0.05;

/**
 * How fast bulk messages are created and delivered by a process that also responds to requests. While requests arrive, bulk
 * work slows down until the event loop is idle for part of the time; without requests it runs at full speed.
 */
export class BulkPace {
  private requests = 0;
  private current = 1;
  private judgedAt = performance.now();
  private utilization = performance.eventLoopUtilization();

  /** Called for each request, so it only counts. */
  countRequest(): void {
    this.requests += 1;
  }

  /** The share of full speed that bulk work may have now: greater than 0, at most 1. */
  share(): number {
    const now = performance.now();
    if (now - this.judgedAt >= judgeEvery_ms) this.judge(now);
    return this.current;
  }

  private judge(now: number): void {
    const utilization = performance.eventLoopUtilization();
    const used = performance.eventLoopUtilization(utilization, this.utilization).utilization;
    this.current = this.requests === 0 ? 1 : nextShare(this.current, used);
    this.utilization = utilization;
    this.judgedAt = now;
    this.requests = 0;
  }
}

function nextShare(current: number, used: number): number {
  return used > busy ? Math.max(smallestShare, current * slowDown) : Math.min(1, current * speedUp);
}
