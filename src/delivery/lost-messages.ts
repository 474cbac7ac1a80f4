import { queueLostMessages } from '../notifications/queue/lost-messages.ts';
import { day_ms, earlier, hour_ms, later, timestamp } from '../platform/clock.ts';
import { type Db, inTransaction } from '../platform/db/database.ts';
import { firstIdAt, momentOfId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { lockSweep, updateSweep } from './time-outs.sql.ts';

/** By this age a message has been handed over or is in the queue. */
const age_ms = hour_ms;
/** Older messages fail anyway. */
const maxAge_ms = 4 * day_ms;
const slice = 5_000;

/**
 * Queues accepted messages that are missing from the queue. This should never happen: it indicates a bug or a manual change
 * in the database. Each message is checked once.
 */
export async function findLostMessages(app: Platform): Promise<void> {
  // Read once: with a moving end, the loop would go on as long as a slice takes a millisecond.
  const now = app.clock.now();
  let found = 0;
  for (let queued: number | undefined = 0; queued !== undefined; found += queued ?? 0) {
    queued = await checkSlice(app.db, now);
  }
  if (found > 0) {
    app.log.error({ event: 'messages.requeued', messages: found }, 'Messages missing from the queue were queued again');
  }
}

function checkSlice(db: Db, now: Date): Promise<number | undefined> {
  const end = earlier(now, age_ms);
  return inTransaction(db, async (tx) => {
    const mark = await lockSweep(tx, 'lost-messages', timestamp(earlier(now, maxAge_ms)));
    if (mark === undefined || Date.parse(mark) >= end.getTime()) return undefined;
    const range = { from_id: firstIdAt(new Date(mark)), before_id: firstIdAt(end) };
    const { queued, last_id } = await queueLostMessages(tx, range, slice, timestamp(now));
    const reached = last_id === undefined ? end : momentOfId(last_id);
    await updateSweep(tx, 'lost-messages', timestamp(timestamp(reached) <= mark ? later(new Date(mark), 1) : reached));
    return queued;
  });
}
