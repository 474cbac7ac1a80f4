import { recordComplaint } from '../../complaints/complaints.ts';
import { later, minute_ms } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/queue/task.ts';
import { announceComplaint } from '../callbacks/service-callbacks.ts';
import { meaningOfSesEvent, type SesComplaint, type SesEvent, taggedReference } from '../providers/ses.ts';
import type { ReceiptRecorder } from './receipt-recorder.ts';
import { findTargets, isFromProvider, type ReceiptOutcome } from './receipts.ts';

type Deps = Pick<Platform, 'db' | 'clock' | 'log' | 'queue'>;

/** A receipt younger than this may have arrived before its message id was recorded. */
const retryFor_ms = 5 * minute_ms;
const retryDelay_ms = 15_000;

export const recordEmailReceipt: Task<SesEvent> = {
  name: 'record-email-receipt',
  description: 'Retries an email receipt that arrived before the message id was recorded.',
  maxAttempts: 25,
};

export async function recordSesEvent(app: Deps, receipts: ReceiptRecorder, event: SesEvent): Promise<void> {
  const meaning = meaningOfSesEvent(event);
  if (meaning.kind === 'nothing') return;
  // Our own id in the tags is always known; the message id only after the hand-over was recorded.
  const reference = taggedReference(event);
  const outcome =
    meaning.kind === 'receipt'
      ? await receipts.add(reference ? { ...meaning.receipt, reference } : meaning.receipt)
      : await recordSesComplaint(app, { ...meaning.complaint, ...(reference ? { reference } : {}) });
  if (outcome === 'known') return;
  const now = app.clock.now();
  if (!meaning.mailed_at || now.getTime() - meaning.mailed_at.getTime() > retryFor_ms) {
    app.log.warn({ event: 'receipt.unmatched', kind: meaning.kind }, 'An email receipt refers to an unknown message');
    return;
  }
  await app.queue.add(app.db, recordEmailReceipt, withoutAddresses(event), { runAt: later(now, retryDelay_ms) });
}

/** A complaint does not change the status: the message was delivered. */
function recordSesComplaint(app: Deps, complaint: SesComplaint): Promise<ReceiptOutcome> {
  return inTransaction(app.db, async (tx) => {
    const target = (await findTargets(tx, [complaint.reference])).get(complaint.reference);
    if (!target) return 'unknown';
    if (!isFromProvider({ provider: 'ses', proven: true }, target)) return 'known';
    const now = app.clock.now();
    const { id, complaint_date } = await recordComplaint(
      tx,
      {
        notification_id: target.id,
        service_id: target.service_id,
        ses_feedback_id: complaint.feedback_id,
        complaint_type: complaint.complaint_type,
        complaint_date: complaint.complaint_date,
      },
      now,
    );
    await announceComplaint(
      tx,
      {
        service_id: target.service_id,
        notification_id: target.id,
        complaint_id: id,
        reference: target.client_reference,
        to: target.recipient,
        complaint_date,
      },
      now,
    );
    return 'known';
  });
}

/** Removes addresses before the event is stored for a retry. */
function withoutAddresses({ notificationType, eventType, mail, bounce, complaint }: SesEvent): SesEvent {
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
