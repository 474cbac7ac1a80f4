import type { Platform } from '../../platform/platform.ts';
import { foldRollups } from './fold.ts';
import { reconcileRollups } from './reconcile.ts';
import { repairedRows } from './rollup-metrics.ts';

export async function foldAllRollups({ db, log }: Platform): Promise<void> {
  const rows = await foldRollups(db);
  log.info({ event: 'rollups.folded', rows }, 'Folded rollups into the totals');
}

export function reconcileAllRollups(app: Platform): Promise<void> {
  const repaired = repairedRows(app.metrics);
  return reconcileRollups(app, (rollup, repairs) => repaired.inc({ rollup }, repairs));
}
