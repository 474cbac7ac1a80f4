import type { Status } from '../../notifications/notification.ts';
import type { Channel } from '../../protocol/channels.ts';

/** The outcome of one message, as reported by a provider. */
export interface Receipt {
  provider: string;
  notification_type: Channel;
  /** Our id, or the provider's reference. */
  reference: string;
  /** Set if the request was signed or came to the secret URL of the message, so this provider did send it. */
  proven: boolean;
  /** Returns the status it means, which may depend on the current status of the message. */
  statusFor(notification: { status: Status }): ReceiptStatus;
  /** The provider's reason for a failure. */
  reason?: string;
  /** When it happened, according to the provider. */
  at?: Date;
  /** Set if it overrides `delivered`, which was assumed because no report had arrived. */
  correctsDelivery?: boolean;
}

export type ReceiptStatus = 'delivered' | 'pending' | 'temporary-failure' | 'permanent-failure' | 'technical-failure';

/** Whether the receipt matched a message, even if the status did not change. */
export type ReceiptOutcome = 'known' | 'unknown';

/** A recipient marked an email of this provider as spam. */
export interface ReportedComplaint {
  provider: string;
  /** Our id, or the provider's reference. */
  reference: string;
  feedback_id: string | null;
  complaint_type: string | null;
  complaint_date: string | null;
}

/** Receives reports from a source such as a mailbox. Runs in the workers. */
export interface ReportReceiver {
  /** The name in checks, logs and metrics, such as `bounce mailbox`. */
  readonly name: string;
  /** One process at a time runs it. */
  readonly isExclusive: boolean;
  /** Receives the reports that are waiting. Returns the milliseconds until the next step; throws if it cannot receive. */
  step(): Promise<number>;
  close(): Promise<void>;
}

/**
 * Stores the reports of a provider. Each function resolves when the report is stored: only then may the provider's request be acknowledged.
 */
export interface Reports {
  recordReceipt(receipt: Receipt): Promise<ReceiptOutcome>;
  recordComplaint(complaint: ReportedComplaint): Promise<ReceiptOutcome>;
  /** For an event about an unknown message: the message may be so recent that its reference is not recorded yet. */
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
  /** Set if it is the `nth` part of a longer text. All parts have the same `number`. */
  part?: { number: number; total: number; nth: number };
}

/** A text's receipt, which may have arrived before the response to its message was recorded. */
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
