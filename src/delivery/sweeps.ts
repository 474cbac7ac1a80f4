import type { Country } from '../countries/country.ts';
import type { StatusChange } from '../notifications/notification.ts';
import { queueLostMessages } from '../notifications/queue/leases.shared.sql.ts';
import { day_ms, earlier, hour_ms, later, timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { firstIdAt, momentOfId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { ProviderDescriptor } from './providers/descriptor.ts';
import { settingsOf, type ValuesOfProviders } from './providers/settings.ts';
import { updateReported } from './record-results.sql.ts';
import {
  lockSweep,
  selectUnfinished,
  selectUnfinishedOf,
  takeDueUnfinished,
  type UnfinishedMessage,
  updateSweep,
  upsertUnfinished,
} from './sweeps.sql.ts';

/** Timeout of a receipt after the hand-over. */
const receipt_ms = 72 * hour_ms;
/** Messages can be scheduled a day ahead and are retried for at most 72 hours. The last day is a margin. */
const handOver_ms = (24 + 72 + 24) * hour_ms;
/** The first sweep starts here, because older messages are about to be deleted. */
const maxAge_ms = receipt_ms + 10 * 24 * hour_ms;
/** Messages per transaction: it takes some tens of milliseconds, or a few seconds if all are unfinished. */
const slice = 5_000;

type Deps = Platform & {
  config: { providers: ValuesOfProviders };
  providers: readonly ProviderDescriptor[];
};

/**
 * Ends messages without a receipt after 72 hours, and those that were never handed over. Each message is checked once, 72
 * hours after its acceptance. Messages handed over later are put on a list and checked when their own timeout has passed.
 */
export async function timeOutMessages(app: Deps, max = slice): Promise<void> {
  const ended = await endAll(app, [sweepSlice, endListed], max);
  if (ended > 0) {
    app.log.info({ event: 'messages.timed_out', messages: ended }, 'Messages without a receipt in time were ended');
  }
}

/** Ends the messages on the list that are due. Most count as delivered, because no report has arrived. */
export async function endListedMessages(app: Deps): Promise<void> {
  await endAll(app, [endListed], slice);
}

type Step = (db: Db, ends: Ends, max: number) => Promise<number | undefined>;

async function endAll(app: Deps, steps: Step[], max: number): Promise<number> {
  // The end is fixed: if it moved, the loop would never finish when each slice takes a millisecond.
  const ends = new Ends(app);
  let ended = 0;
  for (const step of steps) {
    for (;;) {
      const changed = await step(app.db, ends, max);
      if (changed === undefined) break;
      ended += changed;
    }
  }
  return ended;
}

/** When and how messages without a final receipt end. */
class Ends {
  readonly now: Date;
  readonly country: Country;
  private readonly app: Deps;

  constructor(app: Deps) {
    this.app = app;
    this.now = app.clock.now();
    this.country = app.country;
  }

  endOf(message: UnfinishedMessage): Date {
    const { status, created_at, sent_at } = message;
    if (status === 'created') return later(new Date(created_at), handOver_ms);
    return later(new Date(sent_at ?? created_at), this.deliveredAfter_ms(message) ?? receipt_ms);
  }

  changeOf(message: UnfinishedMessage): StatusChange {
    const { id, status } = message;
    if (status === 'created') return { id, status: 'technical-failure', event: 'givenUp' };
    return this.deliveredAfter_ms(message) === undefined
      ? { id, status: 'temporary-failure', event: 'timedOut' }
      : { id, status: 'delivered', event: 'assumedDelivered' };
  }

  private deliveredAfter_ms({ provider }: UnfinishedMessage): number | undefined {
    const { providers, config } = this.app;
    const descriptor = providers.find(({ name, channel }) => name === provider && channel === 'email');
    return descriptor?.deliveredAfter_ms?.(settingsOf(config, descriptor));
  }
}

/** Returns the number of ended messages, or undefined if nothing is left to check. */
function sweepSlice(db: Db, ends: Ends, max: number): Promise<number | undefined> {
  const { now } = ends;
  const end = earlier(now, receipt_ms);
  return inTransaction(db, async (tx) => {
    const mark = await lockSweep(tx, 'time-outs', timestamp(earlier(now, maxAge_ms)));
    if (mark === undefined || Date.parse(mark) >= end.getTime()) return undefined;
    const range = { from_id: firstIdAt(new Date(mark)), before_id: firstIdAt(end) };
    const { found, last_id } = await selectUnfinished(tx, range, max);
    const ended = await endOrList(tx, found, ends);
    // The next slice may contain more ids of the last millisecond.
    const reached = last_id === undefined ? end : momentOfId(last_id);
    const stuck = timestamp(reached) <= mark;
    await updateSweep(tx, 'time-outs', timestamp(stuck ? later(new Date(mark), 1) : reached));
    return ended;
  });
}

function endListed(db: Db, ends: Ends, max: number): Promise<number | undefined> {
  return inTransaction(db, async (tx) => {
    const ids = await takeDueUnfinished(tx, timestamp(ends.now), max);
    if (ids.length === 0) return undefined;
    return endOrList(tx, await selectUnfinishedOf(tx, ids), ends);
  });
}

async function endOrList(tx: Tx, messages: UnfinishedMessage[], ends: Ends): Promise<number> {
  const { now } = ends;
  const dueAt = new Map(messages.map((message) => [message.id, ends.endOf(message)]));
  const due = messages.filter(({ id }) => (dueAt.get(id) ?? now) <= now);
  const others = messages.filter(({ id }) => (dueAt.get(id) ?? now) > now);
  if (others.length > 0) {
    const rows = others.map(({ id }) => ({ notification_id: id, look_at: timestamp(dueAt.get(id) ?? now) }));
    await upsertUnfinished(tx, rows);
  }
  if (due.length === 0) return 0;
  return endMessages(
    ends.country,
    tx,
    due.map((message) => ends.changeOf(message)),
    now,
  );
}

/** Ends messages and creates their callbacks. Returns the number of messages that changed. */
export async function endMessages({ calendar }: Country, tx: Tx, changes: StatusChange[], now: Date): Promise<number> {
  return (await updateReported(calendar, tx, changes, { now, ofProvider: false })).length;
}

/** At this age a message has been handed over or is in the queue. */
const age_ms = hour_ms;
/** Older messages fail anyway, so they are not queued. */
const maxLostAge_ms = 4 * day_ms;

/**
 * Queues accepted messages that are missing from the queue. This should never happen: it indicates a bug or a manual change
 * in the database. Each message is checked once.
 */
export async function findLostMessages(app: Platform): Promise<void> {
  // The end is fixed: if it moved, the loop would never finish when each slice takes a millisecond.
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
    const mark = await lockSweep(tx, 'lost-messages', timestamp(earlier(now, maxLostAge_ms)));
    if (mark === undefined || Date.parse(mark) >= end.getTime()) return undefined;
    const range = { from_id: firstIdAt(new Date(mark)), before_id: firstIdAt(end) };
    const { queued, last_id } = await queueLostMessages(tx, range, slice, timestamp(now));
    const reached = last_id === undefined ? end : momentOfId(last_id);
    await updateSweep(tx, 'lost-messages', timestamp(timestamp(reached) <= mark ? later(new Date(mark), 1) : reached));
    return queued;
  });
}
