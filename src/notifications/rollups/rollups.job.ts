import type { Platform } from '../../platform/platform.ts';
import type { Job } from '../../platform/queue/worker.ts';
import { foldRollups } from './fold.ts';
import { reconcileRollups } from './reconcile.ts';

export function rollupJobs(app: Platform): Job[] {
  const repaired = app.metrics.counter(
    'rollup_rows_repaired_total',
    'Rows of a rollup that differed from the messages they count; anything but 0 is a defect',
    ['rollup'],
  );
  // An alert sees a figure grow only where it was seen before.
  for (const rollup of ['daily_status_counts', 'daily_usage']) repaired.inc({ rollup }, 0);
  return [
    {
      name: 'fold-rollups',
      description: 'Adds to the totals what the daily rollups count beyond them.',
      async handle() {
        const rows = await foldRollups(app.db);
        app.log.info({ rows }, 'rollups were folded into the totals');
      },
    },
    {
      name: 'reconcile-figures',
      description: 'Counts the last days again from the messages and repairs what the rollups say otherwise.',
      handle: () => reconcileRollups(app, (rollup, repairs) => repaired.inc({ rollup }, repairs)),
    },
  ];
}
