import * as api from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import * as sdk from '@opentelemetry/sdk-trace';
import { type ExportedSpans, maxWaitingSpans } from './exported-spans.ts';
import type { Facts, Span, SpanKind } from './span.ts';

/** The only file that imports OpenTelemetry. `Tracing` imports it when tracing is on. */

export interface TracerOptions {
  endpoint: string;
  headers: Record<string, string>;
  version: string;
  /** Attributes of all spans of this process. */
  resource: Record<string, string>;
  /** Share of the traces that are recorded, from 0 to 1. */
  share: number;
  /** Whether callers decide if their own traces are recorded. */
  callersDecide: boolean;
}

export interface NewSpan {
  name: string;
  kind: SpanKind;
  facts: Facts;
  began_ms?: number;
}

const exportEvery_ms = 2_000;
const exportTimeout_ms = 5_000;

const kinds: Record<SpanKind, api.SpanKind> = {
  internal: api.SpanKind.INTERNAL,
  server: api.SpanKind.SERVER,
  client: api.SpanKind.CLIENT,
  consumer: api.SpanKind.CONSUMER,
};

/** Marks a context as recorded, because the trace that it continues or links to is recorded. */
const isRecorded = api.createContextKey('recorded');
const propagator = new W3CTraceContextPropagator();

export class TelemetryTracer {
  private readonly provider: sdk.TracerProvider;
  private readonly tracer: api.Tracer;

  constructor(options: TracerOptions, spans: ExportedSpans) {
    const { endpoint, headers, version, resource } = options;
    const url = `${endpoint}/v1/traces`;
    const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: exportTimeout_ms, concurrencyLimit: 10 });
    this.provider = new sdk.TracerProvider({
      resource: resourceFromAttributes(resource),
      sampler: samplerOf(options),
      spanProcessors: [limited(exporter, spans)],
    });
    this.tracer = this.provider.getTracer('pennypost', version);
  }

  /** Starts a span in the caller's trace, if the headers name one. Returns undefined if the trace is not recorded. */
  startRequest(headers: Record<string, string | string[] | undefined>, span: NewSpan): Span | undefined {
    return this.start(span, propagator.extract(api.ROOT_CONTEXT, headers, api.defaultTextMapGetter));
  }

  /** Starts a span in a recorded trace, or in a new trace with a link to it. */
  continueTrace(traceparent: string, span: NewSpan, place: 'within' | 'linked'): Span | undefined {
    const context = propagator.extract(api.ROOT_CONTEXT, { traceparent }, api.defaultTextMapGetter);
    const origin = api.trace.getSpanContext(context);
    if (!origin) return undefined;
    if (place === 'within') return this.start(span, context.setValue(isRecorded, true));
    return this.start(span, api.ROOT_CONTEXT.setValue(isRecorded, true), [{ context: origin }]);
  }

  /** Exports the waiting spans. */
  async close(): Promise<void> {
    await this.provider.shutdown();
  }

  private start({ name, kind, facts, began_ms }: NewSpan, context: api.Context, links: api.Link[] = []) {
    const times = began_ms === undefined ? {} : { startTime: began_ms };
    const span = this.tracer.startSpan(name, { kind: kinds[kind], attributes: facts, links, ...times }, context);
    return span.isRecording() ? this.wrap(span) : undefined;
  }

  private wrap(span: api.Span): Span {
    const { traceId, spanId } = span.spanContext();
    return {
      traceId,
      traceparent: `00-${traceId}-${spanId}-01`,
      set: (facts) => void span.setAttributes(facts),
      rename: (name) => void span.updateName(name),
      child: (name, kind, facts = {}) => {
        const context = api.trace.setSpan(api.ROOT_CONTEXT, span);
        return this.wrap(this.tracer.startSpan(name, { kind: kinds[kind], attributes: facts }, context));
      },
      end: (failure) => {
        if (failure !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR, message: failure });
        span.end();
      },
    };
  }
}

function samplerOf({ share, callersDecide }: TracerOptions): sdk.Sampler {
  const byShare = new sdk.TraceIdRatioBasedSampler(share);
  const byCaller = new sdk.ParentBasedSampler({
    root: byShare,
    ...(callersDecide ? {} : { remoteParentSampled: byShare, remoteParentNotSampled: byShare }),
  });
  return {
    shouldSample: (context, ...others) =>
      context.getValue(isRecorded)
        ? { decision: sdk.SamplingDecision.RECORD_AND_SAMPLED }
        : byCaller.shouldSample(context, ...others),
    toString: () => `pennypost(${byCaller})`,
  };
}

/** Collects spans and sends them in batches. */
function limited(exporter: sdk.SpanExporter, spans: ExportedSpans): sdk.SpanProcessor {
  const batches = new sdk.BatchSpanProcessor({
    exporter: {
      export: (batch, done) =>
        exporter.export(batch, (result) => {
          const isTaken = result.code === ExportResultCode.SUCCESS;
          spans.settle(batch.length, isTaken ? undefined : (result.error ?? new Error('refused')));
          done(result);
        }),
      shutdown: () => exporter.shutdown(),
    },
    maxQueueSize: maxWaitingSpans,
    scheduledDelayMillis: exportEvery_ms,
    exportTimeoutMillis: exportTimeout_ms,
  });
  return {
    onStart: () => {},
    onEnd: (span) => {
      if (spans.admit()) batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
