import { isDatabaseUnavailable } from '../../platform/db/errors.ts';
import { GroupCommit } from '../../platform/db/group-commit.ts';
import { retryOnConflict } from '../../platform/db/retry.ts';
import type { Platform } from '../../platform/platform.ts';
import type { InStores } from '../../stores/stores.ts';
import { DeliveryMetrics } from '../delivery-metrics.ts';
import type { Receipt, ReceiptOutcome } from '../providers/reports.ts';
import { recordReceipts } from './receipts.ts';
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
  if (stores.isOne) return recorders.main.recorder;
  return {
    async add(receipt) {
      for (const { recorder } of recorders.ofReference(receipt.reference)) {
        if ((await recorder.add(receipt)) === 'known') return 'known';
      }
      return 'unknown';
    },
  };
}

function recorderOf(app: Deps): ReceiptRecorder {
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
    atOnce: app.batchSpacing > 1 ? 1 : 2,
    every_ms: recordEvery_ms * app.batchSpacing,
    concernsAll: isDatabaseUnavailable,
  });
}
