import type { StatusChange } from '../notifications/status.ts';
import { earlier, hour_ms, later, timestamp } from '../platform/clock.ts';
import { inTransaction, type Tx } from '../platform/db/database.ts';
import { firstIdAt, momentOfId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { updateReported } from './record-results.sql.ts';
import {
  lockSweep,
  selectUnfinished,
  selectUnfinishedOf,
  takeDueUnfinished,
  type UnfinishedMessage,
  updateSweep,
  upsertUnfinished,
} from './time-outs.sql.ts';

/** How long a message waits for its receipt after it was handed over. */
const receipt_ms = 72 * hour_ms;
/** A message may be scheduled a day ahead and is tried for at most 72 hours; a day more than that, and nothing will come. */
const handOver_ms = (24 + 72 + 24) * hour_ms;
/** What is older than this is about to be deleted; a first sweep need not begin at the beginning of time. */
const furthestBack_ms = receipt_ms + 10 * 24 * hour_ms;
/** Messages looked at in one transaction: some tens of milliseconds, or a few seconds when none of them has ended. */
const slice = 5_000;

/**
 * Ends messages for which no receipt came in 72 hours, and those that were never handed over. Each message is looked at
 * once, 72 hours after its acceptance; one that was handed over later is put on a list and looked at when its own time is over.
 */
export async function timeOutMessages(app: Pick<Platform, 'db' | 'clock' | 'log'>, most = slice): Promise<void> {
  let ended = 0;
  for (const step of [sweepSlice, endListed]) {
    for (;;) {
      const changed = await step(app, most);
      if (changed === undefined) break;
      ended += changed;
    }
  }
  if (ended > 0) app.log.info({ messages: ended }, 'no receipt came in time');
}

/** How many were ended; undefined when there is nothing left to look at. */
function sweepSlice(app: Pick<Platform, 'db' | 'clock'>, most: number): Promise<number | undefined> {
  const now = app.clock.now();
  const end = earlier(now, receipt_ms);
  return inTransaction(app.db, async (tx) => {
    const mark = await lockSweep(tx, 'time-outs', timestamp(earlier(now, furthestBack_ms)));
    if (mark === undefined || Date.parse(mark) >= end.getTime()) return undefined;
    const range = { from_id: firstIdAt(new Date(mark)), before_id: firstIdAt(end) };
    const { found, last_id } = await selectUnfinished(tx, range, most);
    const ended = await endOrList(tx, found, now);
    // Ids of the last millisecond may go on in the next slice.
    const reached = last_id === undefined ? end : momentOfId(last_id);
    const stuck = timestamp(reached) <= mark;
    await updateSweep(tx, 'time-outs', timestamp(stuck ? later(new Date(mark), 1) : reached));
    return ended;
  });
}

function endListed(app: Pick<Platform, 'db' | 'clock'>, most: number): Promise<number | undefined> {
  const now = app.clock.now();
  return inTransaction(app.db, async (tx) => {
    const ids = await takeDueUnfinished(tx, timestamp(now), most);
    if (ids.length === 0) return undefined;
    return endOrList(tx, await selectUnfinishedOf(tx, ids), now);
  });
}

async function endOrList(tx: Tx, messages: UnfinishedMessage[], now: Date): Promise<number> {
  const dueAt = new Map(messages.map((message) => [message.id, endOf(message)]));
  const due = messages.filter(({ id }) => (dueAt.get(id) ?? now) <= now);
  const others = messages.filter(({ id }) => (dueAt.get(id) ?? now) > now);
  if (others.length > 0) {
    const rows = others.map(({ id }) => ({ notification_id: id, look_at: timestamp(dueAt.get(id) ?? now) }));
    await upsertUnfinished(tx, rows);
  }
  if (due.length === 0) return 0;
  const changes = due.map(({ id, status }) =>
    status === 'created'
      ? ({ id, status: 'technical-failure', event: 'givenUp' } as const)
      : ({ id, status: 'temporary-failure', event: 'timedOut' } as const),
  );
  return endMessages(tx, changes, now);
}

/** Ends messages of which nothing more is heard, and tells their services. Returns how many it ended. */
export async function endMessages(tx: Tx, changes: StatusChange[], now: Date): Promise<number> {
  return (await updateReported(tx, changes, { now, ofProvider: false })).length;
}

function endOf({ status, created_at, sent_at }: UnfinishedMessage): Date {
  return status === 'created'
    ? later(new Date(created_at), handOver_ms)
    : later(new Date(sent_at ?? created_at), receipt_ms);
}
