import { ContextValue } from '../process/context-value.ts';

/** Routes, ids, names and outcomes; never a recipient, a value of a message or a query string. */
export type Facts = Record<string, string | number | boolean>;

export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';

/** A step of a trace that is recorded. */
export interface Span {
  readonly traceId: string;
  /** Of this step, as the header of W3C Trace Context. */
  readonly traceparent: string;
  set(facts: Facts): void;
  rename(name: string): void;
  /** A step within this one. */
  child(name: string, kind: SpanKind, facts?: Facts): Span;
  /** Contains the reason if the step failed. */
  end(failure?: string): void;
}

const spans = new ContextValue<Span>();

/** The step that the caller is part of; undefined when it is not recorded. */
export function currentSpan(): Span | undefined {
  return spans.current();
}

/** Everything that `work` does is part of the step. */
export function withinSpan<T>(span: Span, work: () => T): T {
  return spans.run(span, work);
}

/** Ends the step with what is waited for. */
export async function endAfter<T>(span: Span, work: Promise<T>): Promise<T> {
  try {
    const result = await work;
    span.end();
    return result;
  } catch (error) {
    // Not its message, which may quote values.
    span.end(error instanceof Error ? error.name : 'failed');
    throw error;
  }
}
