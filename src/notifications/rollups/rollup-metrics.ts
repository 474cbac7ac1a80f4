import type { Metrics } from '../../platform/metrics.ts';
import type { Platform } from '../../platform/platform.ts';

/** Starts the counter at 0, because an alert notices an increase only of an existing series. */
export function measureRollups({ metrics }: Platform): void {
  for (const rollup of ['daily_status_counts', 'daily_usage']) repairedRows(metrics).inc({ rollup }, 0);
}

export function repairedRows(metrics: Metrics) {
  return metrics.counter(
    'rollup_rows_repaired_total',
    'Repaired rows of a rollup that differed from the messages; any value above 0 is a bug',
    ['rollup'],
  );
}
