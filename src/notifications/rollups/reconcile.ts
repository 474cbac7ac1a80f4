import { addDays, londonDay, londonInstant } from '../../platform/calendar.ts';
import { earlier, hour_ms, later } from '../../platform/clock.ts';
import { firstIdAt } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { defaultRetentionDays } from '../../services/settings/data-retention.ts';
import { type Recount, type Repair, repairJobCounts, repairStatusCounts, repairUsage } from './reconcile.sql.ts';

/** Max repaired rows in a log line. */
const maxLoggedRows = 20;

/**
 * Recounts the last days from the messages and repairs the rollups. Any difference is a bug, so it is also logged as an
 * error.
 */
export async function reconcileRollups(
  app: Platform,
  report: (rollup: string, repairs: number) => void,
): Promise<void> {
  const today = londonDay(app.clock.now());
  const first_day = addDays(today, 1 - defaultRetentionDays);
  // One day at a time: a statement over all days would take minutes and hold back vacuum on every table.
  const results: Record<string, Repair[]> = { daily_status_counts: [], daily_usage: [], job_status_counts: [] };
  for (let day = first_day; day <= today; day = addDays(day, 1)) {
    const recount = recountOf(day, today);
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

function recountOf(day: string, today: string): Recount {
  // Ids are created within moments of acceptance; an hour is more than enough.
  return {
    first_day: day,
    last_day: day,
    today,
    first_id: firstIdAt(earlier(londonInstant(day), hour_ms)),
    end_id: firstIdAt(later(londonInstant(addDays(day, 1)), hour_ms)),
  };
}
