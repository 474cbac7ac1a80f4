import type { Platform } from '../../platform/platform.ts';
import type { Job } from '../../platform/queue/worker.ts';
import type { SesEvent } from '../providers/ses.ts';
import { recordSesEvent } from './email-receipts.ts';
import { receiptRecorder } from './receipt-recorder.ts';

export function emailReceiptJob(app: Platform): Job {
  const receipts = receiptRecorder(app);
  return {
    name: 'record-email-receipt',
    description: 'Retries an email receipt that arrived before the message id was recorded.',
    handle: (event) => recordSesEvent(app, receipts, event as SesEvent),
  };
}
