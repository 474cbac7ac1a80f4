import { addDays, londonDay, londonInstant } from '../platform/calendar.ts';
import { earlier, hour_ms, later } from '../platform/clock.ts';
import { firstIdAt } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { type Recount, repairStatusCounts, repairUsage } from './reconcile.sql.ts';
import { defaultRetentionDays } from './retention.ts';

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
  const recount = recentDays(app.clock.now());
  const results = {
    daily_status_counts: await repairStatusCounts(app.db, recount),
    daily_usage: await repairUsage(app.db, recount),
  };
  for (const [rollup, repairs] of Object.entries(results)) {
    report(rollup, repairs.length);
    if (repairs.length === 0) continue;
    app.log.error(
      { rollup, repairs: repairs.length, rows: repairs.slice(0, named) },
      'a rollup differed from the messages and was repaired',
    );
  }
  const { first_day, last_day } = recount;
  app.log.info({ first_day, last_day }, 'rollups were compared with the messages');
}

/** Today, and every day before it that services keep unless they say otherwise. */
function recentDays(now: Date): Recount {
  const today = londonDay(now);
  const first_day = addDays(today, 1 - defaultRetentionDays);
  // An id is made within moments of the acceptance it belongs to; an hour is more than enough.
  return {
    first_day,
    last_day: today,
    first_id: firstIdAt(earlier(londonInstant(first_day), hour_ms)),
    end_id: firstIdAt(later(londonInstant(addDays(today, 1)), hour_ms)),
  };
}
