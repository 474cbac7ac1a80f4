import { addDays, type Calendar } from '../../countries/calendar.ts';
import { earlier, hour_ms, later } from '../../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { firstIdAt } from '../../platform/id.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Platform } from '../../platform/platform.ts';
import { defaultRetentionDays } from '../../services/settings/data-retention.ts';
import { addUpEmailOutcomes } from '../guard/email-outcomes.shared.sql.ts';
import { selectZoneChange } from './move-counts.sql.ts';
import { type Recount, type Repair, repairJobCounts, repairStatusCounts, repairUsage } from './reconcile.sql.ts';
import {
  addUpStatusCounts,
  addUpUsage,
  countNotFolded,
  foldStatusCounts,
  foldUsage,
  tryLockRollups,
} from './rollups.sql.ts';

export async function foldAllRollups({ db, log }: Platform): Promise<void> {
  const rows = await foldRollups(db);
  log.info({ event: 'rollups.folded', rows }, 'Folded rollups into the totals');
}

export function reconcileAllRollups(app: Platform): Promise<void> {
  const repaired = repairedRows(app.metrics);
  return reconcileRollups(app, (rollup, repairs) => repaired.inc({ rollup }, repairs));
}

// Messages and receipts that update a row being folded wait for the batch to commit: tens of milliseconds.
const defaultBatch = 1_000;

/** Updates the totals. Until the next run, queries read later changes from the rollups. */
export async function foldRollups(db: Db, batch = defaultBatch): Promise<number> {
  await addUpChanges(db);
  const pending = await countNotFolded(db);
  const usage = await inBatches(db, batch, pending.usage, foldUsage);
  const statuses = await inBatches(db, batch, pending.statuses, foldStatusCounts);
  return usage + statuses;
}

/** Stops after the initially pending rows: busy rows become pending again at once, so the loop might never end. */
async function inBatches(
  db: Db,
  batch: number,
  pending: number,
  fold: (tx: Tx, limit: number) => Promise<number>,
): Promise<number> {
  let folded = 0;
  while (folded < pending) {
    const taken = await inTransaction(db, (tx) => fold(tx, batch));
    folded += taken;
    if (taken < batch) break;
  }
  return folded;
}

/**
 * Updates the daily rollups. `alsoAddUp` adds up other appended changes in the same transaction. Returns how long that took, without
 * waiting for a connection, or undefined if another process is doing it.
 */
export async function addUpChanges(db: Db, alsoAddUp?: (tx: Tx) => Promise<void>): Promise<number | undefined> {
  return inTransaction(db, async (tx) => {
    if (!(await tryLockRollups(tx))) return undefined;
    const began = performance.now();
    await addUpStatusCounts(tx);
    await addUpUsage(tx);
    await addUpEmailOutcomes(tx);
    await alsoAddUp?.(tx);
    return performance.now() - began;
  });
}

/** Starts the counter at 0, because an alert only detects an increase of an existing series. */
export function measureRollups({ metrics }: Platform): void {
  for (const rollup of ['daily_status_counts', 'daily_usage']) repairedRows(metrics).inc({ rollup }, 0);
}

function repairedRows(metrics: Metrics) {
  return metrics.counter(
    'rollup_rows_repaired_total',
    'Repaired rows of a rollup that differed from the messages; any value above 0 is a bug',
    ['rollup'],
  );
}

/** Max repaired rows in a log line. */
const maxLoggedRows = 20;

/** Recounts the last days from the messages and repairs the rollups. Any difference is a bug, so it is also logged as an error. */
export async function reconcileRollups(
  app: Platform,
  report: (rollup: string, repairs: number) => void,
): Promise<void> {
  const { calendar } = app.country;
  const today = calendar.day(app.clock.now());
  const oldest = addDays(today, 1 - defaultRetentionDays);
  // Days before a change of the time zone lack messages that were deleted as part of another day.
  const changed = await selectZoneChange(app.db);
  const first_day = changed !== undefined && changed > oldest ? changed : oldest;
  // One day at a time: a statement over all days would take minutes and hold back vacuum on every table.
  const results: Record<string, Repair[]> = { daily_status_counts: [], daily_usage: [], job_status_counts: [] };
  for (let day = first_day; day <= today; day = addDays(day, 1)) {
    const recount = recountOf(calendar, day, today);
    results.daily_status_counts?.push(...(await repairStatusCounts(app.db, recount)));
    results.daily_usage?.push(...(await repairUsage(app.db, recount)));
    results.job_status_counts?.push(...(await repairJobCounts(app.db, recount)));
  }
  for (const [rollup, repairs] of Object.entries(results)) {
    report(rollup, repairs.length);
    if (repairs.length === 0) continue;
    app.log.error(
      { event: 'rollup.repaired', rollup, repairs: repairs.length, rows: repairs.slice(0, maxLoggedRows) },
      'A rollup differed from the messages and was repaired',
    );
  }
  app.log.info({ event: 'rollups.compared', first_day, last_day: today }, 'Rollups were compared with the messages');
}

function recountOf(calendar: Calendar, day: string, today: string): Recount {
  // Ids are created within moments of acceptance; an hour is more than enough.
  return {
    calendar,
    first_day: day,
    last_day: day,
    today,
    first_id: firstIdAt(earlier(calendar.start(day), hour_ms)),
    end_id: firstIdAt(later(calendar.start(addDays(day, 1)), hour_ms)),
  };
}
