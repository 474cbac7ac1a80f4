import { startSpans } from '../../notifications/queue/message-spans.ts';
import type { ChangedNotification } from '../../notifications/status.ts';
import type { Platform } from '../../platform/platform.ts';

/** Adds receipts to the traces of their messages, after they were recorded. */
export async function traceReceipts(app: Platform, changed: ChangedNotification[], began: Date): Promise<void> {
  const spans = await startSpans(
    app,
    changed.map(({ id, status, provider }) => ({
      notification_id: id,
      name: 'record receipt',
      kind: 'consumer',
      facts: { 'pennypost.status': status, ...(provider ? { 'pennypost.provider': provider } : {}) },
      began_ms: began.getTime(),
    })),
  );
  for (const span of spans.values()) span.end();
}
