import { isUuid } from '../../../platform/id.ts';
import type { ReceiptDeps } from '../descriptor.ts';
import type { ReceiptOutcome, ReceiptStatus } from '../reports.ts';

/** The field with our id, in each message and in each event about it. */
export const referenceField = 'notification_id';

/** The event about one message in the webhook of an email API. */
export type EmailEvent =
  | { kind: 'receipt'; reference: unknown; status: ReceiptStatus; reason?: string; at: Date | undefined }
  | { kind: 'complaint'; reference: unknown; feedback_id: string; at: Date | undefined };

/** Reads a value of a webhook as an object. Anything else has no fields. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Parses seconds since 1970, given as number or text. */
export function secondsTime(value: unknown): Date | undefined {
  const date = new Date(Number(value) * 1_000);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Records events of authenticated requests. An event without one of our ids is about a message of another application. */
export async function recordEmailEvents(
  app: Pick<ReceiptDeps, 'recordReceipt' | 'recordComplaint' | 'log'>,
  provider: string,
  events: EmailEvent[],
): Promise<void> {
  // Receipts are recorded concurrently, so that they share a commit.
  await Promise.all(
    events.map(async ({ reference, ...event }) => {
      if (event.kind !== 'receipt' || !isUuid(reference)) return;
      const { status, reason, at } = event;
      const receipt = { provider, proven: true, notification_type: 'email' as const, reference, at };
      warnIfUnknown(
        await app.recordReceipt({ ...receipt, ...(reason ? { reason } : {}), statusFor: () => status }),
        event.kind,
      );
    }),
  );
  for (const { reference, ...event } of events) {
    if (event.kind !== 'complaint' || !isUuid(reference)) continue;
    const { feedback_id, at } = event;
    const complaint = {
      provider,
      reference,
      feedback_id,
      complaint_type: null,
      complaint_date: at?.toISOString() ?? null,
    };
    warnIfUnknown(await app.recordComplaint(complaint), event.kind);
  }

  function warnIfUnknown(outcome: ReceiptOutcome, kind: EmailEvent['kind']): void {
    if (outcome === 'known') return;
    app.log.warn({ event: 'receipt.unmatched', provider, kind }, 'An email receipt refers to an unknown message');
  }
}
