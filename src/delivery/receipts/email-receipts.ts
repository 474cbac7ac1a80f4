import { recordComplaint } from '../../complaints/complaints.ts';
import { later, minute_ms } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { announceComplaint } from '../callbacks/service-callbacks.ts';
import { meaningOfSesEvent, type SesComplaint, type SesEvent, taggedReference } from '../providers/ses.ts';
import type { ReceiptRecorder } from './receipt-recorder.ts';
import { findTargets, isFromCarrier, type ReceiptOutcome } from './receipts.ts';

type Deps = Pick<Platform, 'db' | 'clock' | 'log' | 'queue'>;

/** A receipt this fresh may have come before the message id that it names was recorded. */
const patience_ms = 5 * minute_ms;
const nextLook_ms = 15_000;

export async function recordSesEvent(app: Deps, receipts: ReceiptRecorder, event: SesEvent): Promise<void> {
  const meaning = meaningOfSesEvent(event);
  if (meaning.kind === 'nothing') return;
  // The id that we gave along is known from the start; the message id only once the hand-over has been recorded.
  const reference = taggedReference(event);
  const outcome =
    meaning.kind === 'receipt'
      ? await receipts.add(reference ? { ...meaning.receipt, reference } : meaning.receipt)
      : await recordSesComplaint(app, { ...meaning.complaint, ...(reference ? { reference } : {}) });
  if (outcome === 'known') return;
  const now = app.clock.now();
  if (!meaning.mailed_at || now.getTime() - meaning.mailed_at.getTime() > patience_ms) {
    app.log.warn({ kind: meaning.kind }, 'an email receipt names a message that is not known');
    return;
  }
  await app.queue.add(app.db, 'record-email-receipt', withoutPeople(event), {
    run_at: later(now, nextLook_ms),
  });
}

/** The status of the message stays as it is: it was delivered, only not welcome. */
function recordSesComplaint(app: Deps, complaint: SesComplaint): Promise<ReceiptOutcome> {
  return inTransaction(app.db, async (tx) => {
    const target = (await findTargets(tx, [complaint.reference])).get(complaint.reference);
    if (!target) return 'unknown';
    if (!isFromCarrier({ provider: 'ses', proven: true }, target)) return 'known';
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

/** What is kept for a second look holds no addresses. */
function withoutPeople({ notificationType, eventType, mail, bounce, complaint }: SesEvent): SesEvent {
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
