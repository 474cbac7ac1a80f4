import { earlier, hour_ms, timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import { firstIdAt } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { updateReported } from './record-results.sql.ts';
import { lockSweep, selectWithoutReceipt, updateSweep } from './time-outs.sql.ts';

const patience_ms = 72 * hour_ms;
/** What is older than this is about to be deleted; a first sweep need not begin at the beginning of time. */
const furthestBack_ms = patience_ms + 10 * 24 * hour_ms;
/** Messages of this much time in one transaction. */
const slice_ms = hour_ms;

/**
 * Ends messages for which no receipt came in 72 hours. Each slice of time is looked at once: nothing is handed over that
 * late, so nothing behind the sweep can begin to wait.
 */
export async function timeOutMessages(app: Pick<Platform, 'db' | 'clock' | 'log'>): Promise<void> {
  let timedOut = 0;
  for (;;) {
    const slice = await sweepSlice(app);
    if (slice === undefined) break;
    timedOut += slice;
  }
  if (timedOut > 0) app.log.info({ messages: timedOut }, 'no receipt came in time');
}

function sweepSlice(app: Pick<Platform, 'db' | 'clock'>): Promise<number | undefined> {
  const now = app.clock.now();
  const end = now.getTime() - patience_ms;
  return inTransaction(app.db, async (tx) => {
    const mark = await lockSweep(tx, timestamp(earlier(now, furthestBack_ms)));
    if (mark === undefined || Date.parse(mark) >= end) return undefined;
    const from = new Date(mark);
    const until = new Date(Math.min(from.getTime() + slice_ms, end));
    const ids = await selectWithoutReceipt(tx, firstIdAt(from), firstIdAt(until));
    const changes = ids.map((id) => ({ id, status: 'temporary-failure', because: 'timedOut' }) as const);
    const changed = changes.length > 0 ? await updateReported(tx, changes, { now, ofProvider: false }) : [];
    await updateSweep(tx, timestamp(until));
    return changed.length;
  });
}
