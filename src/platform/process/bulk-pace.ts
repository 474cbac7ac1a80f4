import { cpus } from 'node:os';
import { performance } from 'node:perf_hooks';

/** The event loop utilisation above which requests noticeably wait. */
const busy = 0.7;
/** The same for all cores of the machine, on which the database may also run. */
const saturated = 0.9;
const evaluateEvery_ms = 100;
const slowDown = 0.7;
const speedUp = 1.15;
/**
 * The minimum rest, as a share of the preceding work and in milliseconds: on a fast machine, the share alone would be too short for waiting
 * requests.
 */
const shortestRest = 0.5;
const shortestRest_ms = 6;
/** Longer than the rest between two chunks of a file. */
const stillCreating_ms = 500;
/** Bulk work never stops completely. */
export const smallestShare = 0.05;
/** The lowest share if only the processors are saturated, because other programs may use them for hours. */
const smallestShareBesideOthers = 0.5;

/**
 * Controls how fast a process creates and delivers bulk messages while it also responds to requests. While requests arrive, bulk work slows
 * down until the event loop and the processors have idle time; without requests it runs at full speed.
 */
export class BulkPace {
  private requests = 0;
  private current = 1;
  private hasRequests = false;
  private createdAt = Number.NEGATIVE_INFINITY;
  private evaluatedAt = performance.now();
  private utilization = performance.eventLoopUtilization();
  private readonly readTimes: () => ProcessorTimes;
  private times: ProcessorTimes;

  constructor(readTimes = processorTimes) {
    this.readTimes = readTimes;
    this.times = readTimes();
  }

  /** Called for each request, so it must be cheap. */
  countRequest(): void {
    this.requests += 1;
  }

  /** Returns the share of full speed that bulk work may use now: greater than 0, at most 1. */
  share(): number {
    const now = performance.now();
    if (now - this.evaluatedAt >= evaluateEvery_ms) this.evaluate(now);
    return this.current;
  }

  /**
   * Whether deliveries of bulk messages must wait. While requests arrive and a file is being turned into messages, delivering at the same
   * time would make requests wait for a processor.
   */
  mustHoldBulk(): boolean {
    this.share();
    return this.hasRequests && performance.now() - this.createdAt < stillCreating_ms;
  }

  /** Returns how long to rest after creating the messages of a chunk, which took `took_ms`. Its statement leaves no processor idle. */
  restAfter_ms(took_ms: number): number {
    this.createdAt = performance.now();
    const share = this.share();
    return this.hasRequests ? Math.max(shortestRest_ms, took_ms * (shortestRest + 1 - share)) : 0;
  }

  private evaluate(now: number): void {
    const utilization = performance.eventLoopUtilization();
    const used = performance.eventLoopUtilization(utilization, this.utilization).utilization;
    const times = this.readTimes();
    const passed = times.total - this.times.total;
    const isSaturated = passed > 0 && (times.busy - this.times.busy) / passed > saturated;
    this.hasRequests = this.requests > 0;
    this.current = this.requests === 0 ? 1 : nextShare(this.current, used > busy, isSaturated);
    this.utilization = utilization;
    this.times = times;
    this.evaluatedAt = now;
    this.requests = 0;
  }
}

function nextShare(current: number, isLoopBusy: boolean, isSaturated: boolean): number {
  if (isLoopBusy) return Math.max(smallestShare, current * slowDown);
  if (isSaturated && current >= smallestShareBesideOthers)
    return Math.max(smallestShareBesideOthers, current * slowDown);
  return Math.min(isSaturated ? smallestShareBesideOthers : 1, current * speedUp);
}

/** Times of all processors since the machine started, in milliseconds. */
interface ProcessorTimes {
  busy: number;
  total: number;
}

function processorTimes(): ProcessorTimes {
  const all = cpus().map(({ times }) => times);
  const idle = all.reduce((sum, times) => sum + times.idle, 0);
  const total = all.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { busy: total - idle, total };
}
