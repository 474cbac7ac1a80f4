import { inTransaction } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { listYears, recountYear } from './annual-limits.sql.ts';
import { lockYears, startOfYear } from './annual-limits.ts';

/**
 * Compares the counters of this year with the statistics, and corrects them. They differ where a process did not know yet that there is a
 * limit, or where messages were cancelled one by one.
 */
export async function reconcileAnnualCounts(app: Platform): Promise<void> {
  const year_start = startOfYear(app.country.calendar, app.clock.now());
  const corrected = app.metrics.counter('annual_counts_corrected_total', 'Counters of years that were corrected', []);
  for (const year of await listYears(app.db, year_start)) {
    const [before, after] = await inTransaction(app.db, async (tx) => {
      const [count] = await lockYears(tx, [year]);
      return [count, await recountYear(tx, year)] as const;
    });
    if (before === after) continue;
    corrected.inc();
    const { owner_kind, owner_id, channel } = year;
    app.log.info({ event: 'annual_count.corrected', owner_kind, owner_id, channel, before, after }, 'Count corrected');
  }
}
