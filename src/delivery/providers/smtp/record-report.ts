import type { ReceiptDeps } from '../descriptor.ts';
import type { ReceiptOutcome, ReceiptStatus } from '../reports.ts';
import type { Report } from './read-report.ts';

const provider = 'smtp';
const statuses = new Map<Report['kind'], ReceiptStatus>([
  ['hard-bounce', 'permanent-failure'],
  ['soft-bounce', 'temporary-failure'],
  ['delivered', 'delivered'],
]);

/** Returns when it is committed. A report that is read again changes nothing. */
export async function recordReport(
  app: Pick<ReceiptDeps, 'recordReceipt' | 'recordComplaint' | 'log'>,
  report: Report,
): Promise<void> {
  const recorded = await record(app, report);
  if (recorded !== 'unknown') return;
  app.log.warn({ event: 'receipt.unmatched', kind: report.kind }, 'An email receipt refers to an unknown message');
}

async function record(
  app: Pick<ReceiptDeps, 'recordReceipt' | 'recordComplaint'>,
  report: Report,
): Promise<ReceiptOutcome | undefined> {
  if (report.kind === 'complaint') {
    const { id: reference, complaint_type, complaint_date } = report;
    // A message has one recipient, so a second complaint of the type is the same one.
    const feedback_id = `${complaint_type}.${reference}`;
    return app.recordComplaint({ provider, reference, feedback_id, complaint_type, complaint_date });
  }
  const status = statuses.get(report.kind);
  if (status === undefined || !('id' in report)) return undefined;
  return app.recordReceipt({
    provider,
    notification_type: 'email',
    reference: report.id,
    proven: true,
    statusFor: () => status,
    correctsDelivery: status !== 'delivered',
  });
}
