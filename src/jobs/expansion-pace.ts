import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolution_ms = 5;
/** A rest is this many times the delay of the event loop, and at most this part of the time that the chunk took. */
const restPerDelay = 4;
const maxRest = 0.5;

/**
 * How long expanding rests between two chunks, so that requests and deliveries go first: not at all while the event loop is on
 * time, longer the later it is.
 */
export class ExpansionPace {
  private readonly delay = monitorEventLoopDelay({ resolution: resolution_ms });
  private running = 0;

  begin(): void {
    this.running += 1;
    this.delay.enable();
  }

  end(): void {
    this.running -= 1;
    if (this.running === 0) this.delay.disable();
  }

  /** In milliseconds. */
  restAfter(chunk_ms: number): number {
    const late_ms = Math.max(0, this.delay.percentile(90) / 1_000_000 - resolution_ms);
    this.delay.reset();
    return Math.min(chunk_ms * maxRest, late_ms * restPerDelay);
  }
}
