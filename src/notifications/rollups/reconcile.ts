import { addDays, londonDay, londonInstant } from '../../platform/calendar.ts';
import { earlier, hour_ms, later } from '../../platform/clock.ts';
import { firstIdAt } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { defaultRetentionDays } from '../retention.ts';
import { type Recount, type Repair, repairStatusCounts, repairUsage } from './reconcile.sql.ts';

/** How many wrong rows a log line names. */
const named = 20;

/**
 * Counts the last days again from the messages themselves and puts right what the rollups say otherwise. There should be
 * nothing: a difference is a defect, so it is reported as well.
 */
export async function reconcileRollups(
  app: Pick<Platform, 'db' | 'clock' | 'log'>,
  report: (rollup: string, repairs: number) => void,
): Promise<void> {
  const today = londonDay(app.clock.now());
  const first_day = addDays(today, 1 - defaultRetentionDays);
  // A day at a time: a statement over all of them would take minutes, and hold back the clean-up of every table meanwhile.
  const results: Record<string, Repair[]> = { daily_status_counts: [], daily_usage: [] };
  for (let day = first_day; day <= today; day = addDays(day, 1)) {
    const recount = recountOf(day, today);
    results.daily_status_counts?.push(...(await repairStatusCounts(app.db, recount)));
    results.daily_usage?.push(...(await repairUsage(app.db, recount)));
  }
  for (const [rollup, repairs] of Object.entries(results)) {
    report(rollup, repairs.length);
    if (repairs.length === 0) continue;
    app.log.error(
      { rollup, repairs: repairs.length, rows: repairs.slice(0, named) },
      'a rollup differed from the messages and was repaired',
    );
  }
  app.log.info({ first_day, last_day: today }, 'rollups were compared with the messages');
}

function recountOf(day: string, today: string): Recount {
  // An id is made within moments of the acceptance it belongs to; an hour is more than enough.
  return {
    first_day: day,
    last_day: day,
    today,
    first_id: firstIdAt(earlier(londonInstant(day), hour_ms)),
    end_id: firstIdAt(later(londonInstant(addDays(day, 1)), hour_ms)),
  };
}
