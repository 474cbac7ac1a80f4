import type { Status } from '../../notifications/notification.ts';
import type { Channel } from '../../protocol/channels.ts';

/** The outcome of one message, as reported by a provider. */
export interface Receipt {
  provider: string;
  notification_type: Channel;
  /** Our id, or the reference of the provider. */
  reference: string;
  /** Signed, or sent to the secret URL of the message: it comes from this provider. */
  proven: boolean;
  /** The meaning may depend on the current status of the message. */
  statusFor(notification: { status: Status }): ReceiptStatus;
  /** Why the message failed, in the words of the provider. */
  reason?: string;
  /** When it happened, according to the provider. */
  at?: Date;
  /** Counts even if the message is `delivered`, which was assumed because no report had come. */
  correctsDelivery?: boolean;
}

export type ReceiptStatus = 'delivered' | 'pending' | 'temporary-failure' | 'permanent-failure' | 'technical-failure';

/** Whether the message of a receipt was found, even if its status did not change. */
export type ReceiptOutcome = 'known' | 'unknown';

/** A recipient marked an email as spam. Comes from this provider. */
export interface ReportedComplaint {
  provider: string;
  /** Our id, or the reference of the provider. */
  reference: string;
  feedback_id: string | null;
  complaint_type: string | null;
  complaint_date: string | null;
}

/** Receives reports from a source of their own, such as a mailbox. Runs in the workers. */
export interface ReportReceiver {
  /** In checks, logs and metrics, such as `bounce mailbox`. */
  readonly name: string;
  /** One process at a time runs it. */
  readonly isExclusive: boolean;
  /** Receives what is there. Returns the milliseconds until the next step; throws if it cannot receive. */
  step(): Promise<number>;
  close(): Promise<void>;
}

/**
 * Where a provider reports what it learnt. Each function resolves when the report is stored: only then may the provider
 * acknowledge it.
 */
export interface Reports {
  recordReceipt(receipt: Receipt): Promise<ReceiptOutcome>;
  recordComplaint(complaint: ReportedComplaint): Promise<ReceiptOutcome>;
  /** For an event about an unknown message: if the message is recent, its reference may not be recorded yet. */
  retryUnmatched(
    event: object,
    message: { kind: 'receipt' | 'complaint'; sent_at: Date | undefined; reference: string },
  ): Promise<void>;
  /** Returns false if no service receives texts at the number. */
  receiveText(text: InboundText): Promise<boolean>;
}

/** An inbound text as delivered by the gateway. */
export interface InboundText {
  provider: string;
  from: string;
  to: string;
  content: string;
  received_at: Date | undefined;
  reference: string | undefined;
  /** If it is the `nth` part of a longer text. All parts have the same number. */
  part?: { number: number; total: number; nth: number };
}

/** A receipt of a text that may have arrived before the response to its message was recorded. */
export interface EarlyReceipt {
  reference: string;
  status: ReceiptStatus;
  reason?: string;
  received_at: string;
}

export async function recordOrRetry(
  reports: Pick<Reports, 'recordReceipt' | 'retryUnmatched'>,
  provider: string,
  early: EarlyReceipt,
): Promise<void> {
  const { reference, status, reason } = early;
  const receipt = {
    ...{ provider, proven: true, notification_type: 'sms' as const, reference },
    ...(reason === undefined ? {} : { reason }),
    statusFor: () => status,
  };
  if ((await reports.recordReceipt(receipt)) === 'known') return;
  await reports.retryUnmatched(early, { kind: 'receipt', sent_at: new Date(early.received_at), reference });
}
