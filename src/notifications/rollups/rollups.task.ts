import type { Platform } from '../../platform/platform.ts';
import type { Job } from '../../platform/queue/worker.ts';
import { foldRollups } from './fold.ts';
import { reconcileRollups } from './reconcile.ts';

export function rollupJobs(app: Platform): Job[] {
  const repaired = app.metrics.counter(
    'rollup_rows_repaired_total',
    'Repaired rows of a rollup that differed from the messages; any value above 0 is a bug',
    ['rollup'],
  );
  // Initialise to 0: an alert detects an increase only of an existing series.
  for (const rollup of ['daily_status_counts', 'daily_usage']) repaired.inc({ rollup }, 0);
  return [
    {
      name: 'fold-rollups',
      description: 'Adds changes of the daily rollups to the totals.',
      async handle() {
        const rows = await foldRollups(app.db);
        app.log.info({ rows }, 'folded rollups into the totals');
      },
    },
    {
      name: 'reconcile-figures',
      description: 'Recounts the last days from the messages and repairs the rollups.',
      handle: () => reconcileRollups(app, (rollup, repairs) => repaired.inc({ rollup }, repairs)),
    },
  ];
}
