import type { ReceiptStatus, Reports } from './reports.ts';

/** A receipt of a text that may have arrived before the response to its message was recorded. */
export interface EarlyReceipt {
  reference: string;
  status: ReceiptStatus;
  received_at: string;
}

export async function recordOrRetry(
  reports: Pick<Reports, 'recordReceipt' | 'retryUnmatched'>,
  provider: string,
  early: EarlyReceipt,
): Promise<void> {
  const { reference, status } = early;
  const receipt = { provider, proven: true, notification_type: 'sms' as const, reference, statusFor: () => status };
  if ((await reports.recordReceipt(receipt)) === 'known') return;
  await reports.retryUnmatched(early, { kind: 'receipt', sent_at: new Date(early.received_at), reference });
}
