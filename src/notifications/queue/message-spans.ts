import { day_ms, earlier } from '../../platform/clock.ts';
import { firstIdAt } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { NewSpan } from '../../platform/tracing/open-telemetry.ts';
import type { Span } from '../../platform/tracing/span.ts';
import { deleteTracesBefore, selectTraces } from './delivery-queue.sql.ts';

/** Longer than sending a message may take, and than most receipts take. */
const retention_ms = 7 * day_ms;
const batch = 2_000;

const none: ReadonlyMap<string, Span> = new Map();

/**
 * Starts a span for each message whose request was traced, in its trace or linked to it. Without tracing, runs no query. A failure never
 * stops a message.
 */
export async function startSpans(
  { db, clock, log, tracing }: Platform,
  spans: (NewSpan & { notification_id: string })[],
): Promise<ReadonlyMap<string, Span>> {
  if (!tracing || spans.length === 0) return none;
  try {
    const ids = spans.map(({ notification_id }) => notification_id);
    const traces = new Map((await selectTraces(db, ids)).map((row) => [row.notification_id, row.traceparent]));
    if (traces.size === 0) return none;
    const now_ms = clock.now().getTime();
    return new Map(
      spans.flatMap(({ notification_id, facts, ...span }) => {
        const traceparent = traces.get(notification_id);
        if (!traceparent) return [];
        const named = { ...span, facts: { 'pennypost.notification.id': notification_id, ...facts } };
        const started = tracing.startLater(traceparent, named, { stored_ms: timeOf(notification_id), now_ms });
        return started ? [[notification_id, started] as const] : [];
      }),
    );
  } catch (error) {
    log.warn({ event: 'trace.read_failed', err: error }, 'The traces of messages could not be read');
    return none;
  }
}

/** The first 48 bits of an id are its time. */
function timeOf(id: string): number {
  return Number.parseInt(id.replace('-', '').slice(0, 12), 16);
}

export async function deleteOldTraces({ db, clock }: Platform): Promise<void> {
  const first = firstIdAt(earlier(clock.now(), retention_ms));
  while ((await deleteTracesBefore(db, first, batch)) === batch);
}
