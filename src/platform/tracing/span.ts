import { ContextValue } from '../process/context-value.ts';

/** Routes, ids, names and outcomes, never a recipient, personalisation or a query string. */
export type Facts = Record<string, string | number | boolean>;

export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';

/** A recorded step of a trace. */
export interface Span {
  readonly traceId: string;
  /** The W3C Trace Context header of this step. */
  readonly traceparent: string;
  set(facts: Facts): void;
  rename(name: string): void;
  /** Starts a step within this one. */
  child(name: string, kind: SpanKind, facts?: Facts): Span;
  /** `failure` is the reason if the step failed. */
  end(failure?: string): void;
}

const spans = new ContextValue<Span>();

/** Returns the step that the caller is part of; undefined if it is not recorded. */
export function currentSpan(): Span | undefined {
  return spans.current();
}

/** Makes everything that `work` does part of the step. */
export function withinSpan<T>(span: Span, work: () => T): T {
  return spans.run(span, work);
}

/** Ends the step when the promise settles. */
export async function endAfter<T>(span: Span, work: Promise<T>): Promise<T> {
  try {
    const result = await work;
    span.end();
    return result;
  } catch (error) {
    // Record the name only: the message may quote values.
    span.end(error instanceof Error ? error.name : 'failed');
    throw error;
  }
}
