import { isUuid } from '../../../platform/id.ts';
import type { Receipt, ReceiptStatus, ReportedComplaint } from '../reports.ts';

/** A tag that identifies the message even before its SES message id is recorded. */
export const referenceTag = 'notification_id';

/** The parts of an SES notification that we use. It comes in an SNS envelope. */
export interface SesEvent {
  notificationType?: string;
  eventType?: string;
  mail?: { messageId?: string; timestamp?: string; tags?: Record<string, string[]> };
  bounce?: { bounceType?: string };
  complaint?: { feedbackId?: string; complaintFeedbackType?: string; timestamp?: string };
}

type SesMeaning =
  | { kind: 'receipt'; receipt: Receipt; mailed_at: Date | undefined }
  | { kind: 'complaint'; complaint: ReportedComplaint; mailed_at: Date | undefined }
  | { kind: 'nothing' };

export function meaningOfSesEvent(event: SesEvent): SesMeaning {
  const kind = event.notificationType ?? event.eventType;
  const reference = event.mail?.messageId;
  if (typeof reference !== 'string' || reference === '') return { kind: 'nothing' };
  const mailed_at = dateOf(event.mail?.timestamp);
  if (kind === 'Complaint') {
    const { feedbackId, complaintFeedbackType, timestamp } = event.complaint ?? {};
    const complaint = {
      provider: 'ses',
      reference,
      feedback_id: textOf(feedbackId),
      complaint_type: textOf(complaintFeedbackType),
      complaint_date: dateOf(timestamp)?.toISOString() ?? null,
    };
    return { kind: 'complaint', complaint, mailed_at };
  }
  const status = statusOf(kind, event.bounce?.bounceType);
  if (!status) return { kind: 'nothing' };
  const receipt = {
    provider: 'ses',
    proven: true,
    notification_type: 'email' as const,
    reference,
    statusFor: () => status,
  };
  return { kind: 'receipt', receipt, mailed_at };
}

/** Our id in the tags, for a receipt that arrives before its message id is recorded. */
export function taggedReference(event: SesEvent): string | undefined {
  const tagged = event.mail?.tags?.[referenceTag];
  return Array.isArray(tagged) && isUuid(tagged[0]) ? tagged[0] : undefined;
}

/** Removes addresses before the event is stored for a retry. */
export function withoutAddresses({ notificationType, eventType, mail, bounce, complaint }: SesEvent): SesEvent {
  return {
    notificationType,
    eventType,
    mail: { messageId: mail?.messageId, timestamp: mail?.timestamp, tags: mail?.tags },
    bounce: { bounceType: bounce?.bounceType },
    complaint: {
      feedbackId: complaint?.feedbackId,
      complaintFeedbackType: complaint?.complaintFeedbackType,
      timestamp: complaint?.timestamp,
    },
  };
}

function statusOf(kind: string | undefined, bounceType: string | undefined): ReceiptStatus | undefined {
  if (kind === 'Delivery') return 'delivered';
  if (kind === 'Bounce') return bounceType === 'Permanent' ? 'permanent-failure' : 'temporary-failure';
  return undefined;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function dateOf(text: unknown): Date | undefined {
  const date = new Date(typeof text === 'string' ? text : '');
  return Number.isNaN(date.getTime()) ? undefined : date;
}
