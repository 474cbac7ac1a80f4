import { isDatabaseUnavailable, retryOnConflict } from '../../platform/db/errors.ts';
import { GroupCommit } from '../../platform/db/group-commit.ts';
import type { Platform } from '../../platform/platform.ts';
import { DeliveryMetrics } from '../delivery-metrics.ts';
import type { Receipt, ReceiptOutcome } from '../providers/reports.ts';
import { recordReceipts } from './receipts.ts';
import { traceReceipts } from './trace-receipts.ts';

/** Under load, receipts are recorded in batches this often: a commit costs about the same for one and for a hundred. */
const recordEvery_ms = 15;

/** Concurrent receipts share a commit; each request gets its response only after the commit. */
export type ReceiptRecorder = GroupCommit<Receipt, ReceiptOutcome>;

export function receiptRecorder(app: Platform): ReceiptRecorder {
  const metrics = new DeliveryMetrics(app.metrics);
  return new GroupCommit({
    async commit(receipts) {
      const now = app.clock.now();
      const { outcomes, changed } = await retryOnConflict(() => recordReceipts(app, receipts, now));
      metrics.observeReceipts(receipts, outcomes, changed, now);
      await traceReceipts(app, changed, now);
      return outcomes;
    },
    largest: 500,
    atOnce: 2,
    every_ms: recordEvery_ms,
    concernsAll: isDatabaseUnavailable,
  });
}
