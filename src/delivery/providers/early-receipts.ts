import type { ReceiptStatus, Reports } from './reports.ts';

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
