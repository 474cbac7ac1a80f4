import type { Counter } from 'prom-client';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';

/** Limits spans that wait for the collector to some megabytes. Further spans are dropped. */
export const maxWaitingSpans = 4_096;
const logEvery_ms = 60_000;

/** Limits the spans that wait for the collector, and counts how many were exported or dropped. */
export class ExportedSpans {
  private readonly log: Log;
  private readonly counter: Counter<'result'>;
  private waiting = 0;
  private loggedAt = Number.NEGATIVE_INFINITY;

  constructor({ log, metrics }: { log: Log; metrics: Metrics }) {
    this.log = log;
    this.counter = metrics.counter('trace_spans_total', 'Spans for the trace collector, by what became of them', [
      'result',
    ]);
  }

  /** Returns false if the queue is full; the span is then dropped. */
  admit(): boolean {
    if (this.waiting >= maxWaitingSpans) {
      this.counter.inc({ result: 'dropped' });
      return false;
    }
    this.waiting += 1;
    return true;
  }

  settle(count: number, error: Error | undefined): void {
    this.waiting -= count;
    this.counter.inc({ result: error ? 'failed' : 'exported' }, count);
    if (error) this.warn(error);
  }

  /** Called when the process ends. */
  giveUp(): void {
    if (this.waiting > 0) this.counter.inc({ result: 'dropped' }, this.waiting);
    this.waiting = 0;
  }

  private warn(error: Error): void {
    if (performance.now() - this.loggedAt < logEvery_ms) return;
    this.loggedAt = performance.now();
    this.log.warn({ event: 'trace.export_failed', err: error }, 'Spans could not be sent to the trace collector');
  }
}
