import { isDatabaseUnavailable } from '../../platform/db/errors.ts';
import { GroupCommit } from '../../platform/db/group-commit.ts';
import { retryOnConflict } from '../../platform/db/retry.ts';
import { unavailable } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { InStores } from '../../stores/stores.ts';
import { DeliveryMetrics } from '../delivery-metrics.ts';
import type { Receipt, ReceiptOutcome } from '../providers/reports.ts';
import { type RecordedOutcome, recordReceipts } from './receipts.ts';
import { traceReceipts } from './trace-receipts.ts';

/** Under load, receipts are recorded in batches this often: a commit costs about the same for one and for a hundred. */
const recordEvery_ms = 15;

/** Concurrent receipts share a commit; each request gets its response only after the commit. */
export interface ReceiptRecorder {
  add(receipt: Receipt): Promise<ReceiptOutcome>;
}

type Deps = Pick<Platform, 'db' | 'batchSpacing' | 'clock' | 'log' | 'metrics' | 'tracing'>;

interface RecorderDeps extends Deps, InStores<RecorderDeps> {}

/** Receipts are recorded in the store of their message. */
export function receiptRecorder({ stores }: RecorderDeps): ReceiptRecorder {
  const recorders = stores.map((app) => ({ store: app.store, recorder: recorderOf(app) }));
  return {
    async add(receipt) {
      let isMoving = false;
      for (const { recorder } of recorders.ofReference(receipt.reference)) {
        const outcome = await recorder.add(receipt);
        if (outcome === 'known') return 'known';
        if (outcome === 'moving') isMoving = true;
      }
      if (isMoving) throw unavailable('The service of the message is being moved, try again shortly');
      return 'unknown';
    },
  };
}

function recorderOf(app: Deps): GroupCommit<Receipt, RecordedOutcome> {
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
    every_ms: recordEvery_ms * app.batchSpacing,
    concernsAll: isDatabaseUnavailable,
  });
}
