import { isDeepStrictEqual } from 'node:util';
import type { Calendar } from '../../countries/calendar.ts';
import type { Tx } from '../../platform/db/database.ts';
import { lockRollups, moveStatusCounts, moveUsage, type RollupSums, selectRollupSums } from './move-days.sql.ts';

/**
 * Counts the messages that are still here under the days of another calendar. Folding brings spans and totals of the platform
 * up to date afterwards. Throws, and so undoes everything, if any sum has changed.
 */
export async function moveToDaysOf(tx: Tx, before: Calendar, after: Calendar): Promise<RollupSums> {
  await lockRollups(tx);
  const sums = await selectRollupSums(tx);
  await moveStatusCounts(tx, before, after);
  await moveUsage(tx, before, after);
  const now = await selectRollupSums(tx);
  if (!sums || !isDeepStrictEqual(sums, now)) {
    throw new Error(
      `The sums have changed from ${JSON.stringify(sums)} to ${JSON.stringify(now)}; nothing was changed`,
    );
  }
  return sums;
}
