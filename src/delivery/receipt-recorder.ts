import { inTransaction } from '../platform/db/database.ts';
import { isDatabaseUnavailable } from '../platform/db/errors.ts';
import { GroupCommit } from '../platform/db/group-commit.ts';
import { withoutCollisions } from '../platform/db/patience.ts';
import type { Platform } from '../platform/platform.ts';
import { DeliveryMetrics } from './delivery-metrics.ts';
import type { Receipt } from './provider.ts';
import { type ReceiptOutcome, recordReceipts } from './receipts.ts';

/** Receipts that arrive together share a commit; each is answered only when it is recorded. */
export type ReceiptRecorder = GroupCommit<Receipt, ReceiptOutcome>;

export function receiptRecorder(app: Pick<Platform, 'db' | 'clock' | 'metrics'>): ReceiptRecorder {
  const metrics = new DeliveryMetrics(app.metrics);
  return new GroupCommit({
    async commit(receipts) {
      const now = app.clock.now();
      const { outcomes, changed } = await withoutCollisions(() =>
        inTransaction(app.db, (tx) => recordReceipts(tx, receipts, now)),
      );
      metrics.observeReceipts(receipts, outcomes, changed, now);
      return outcomes;
    },
    largest: 500,
    atOnce: 1,
    concernsAll: isDatabaseUnavailable,
  });
}
