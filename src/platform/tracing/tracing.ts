import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { ExportedSpans } from './exported-spans.ts';
import type { NewSpan, TelemetryTracer, TracerOptions } from './open-telemetry.ts';
import type { Span } from './span.ts';

/** How long a stopping process waits for the collector to take the last spans. */
const maxFlush_ms = 3_000;

/** Most tracing systems consider older traces complete, so later steps start a new trace with a link. */
const maxTraceAge_ms = 300_000;

/** Records traces and sends them to a collector. Exists only if a collector is configured. */
export class Tracing {
  private readonly options: TracerOptions;
  private readonly spans: ExportedSpans;
  private tracer: TelemetryTracer | undefined;

  constructor(options: TracerOptions, app: { log: Log; metrics: Metrics }) {
    this.options = options;
    this.spans = new ExportedSpans(app);
  }

  /** Loads the library, which takes a tenth of a second and 15 MB of memory. */
  async open(): Promise<void> {
    const { TelemetryTracer } = await import('./open-telemetry.ts');
    this.tracer = new TelemetryTracer(this.options, this.spans);
  }

  /** Returns undefined if the request is not recorded. */
  startRequest(headers: Record<string, string | string[] | undefined>, span: NewSpan): Span | undefined {
    return this.tracer?.startRequest(headers, span);
  }

  /** Starts a later step about an object that a recorded request stored at `stored_ms`. */
  startLater(traceparent: string, span: NewSpan, { stored_ms, now_ms }: { stored_ms: number; now_ms: number }) {
    const place = now_ms - stored_ms > maxTraceAge_ms ? 'linked' : 'within';
    return this.tracer?.continueTrace(traceparent, span, place);
  }

  async close(): Promise<void> {
    if (!this.tracer) return;
    const ended = this.tracer.close().catch(() => {
      // The failed export is logged and counted.
    });
    await Promise.race([ended, sleep(maxFlush_ms, undefined, { ref: false })]);
    this.spans.giveUp();
  }
}
