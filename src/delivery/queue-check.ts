import { laneName } from '../notifications/notification.ts';
import {
  type LaneDepth,
  listLaneDepths,
  listRetries,
  maxCounted,
  type Retries,
} from '../notifications/queue/delivery-queue.ts';
import { timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { selectWaitingCallbacks } from './callbacks/callback-history.sql.ts';

const stuckAfter_s = 300;

/** Logs a warning when messages have been overdue for minutes: no worker is running, or the workers cannot keep up. */
export async function checkQueue(app: Platform): Promise<void> {
  const now = app.clock.now();
  for (const { notification_type, lane, waiting, oldest_due_at } of await listLaneDepths(app)) {
    const age_s = secondsSince(oldest_due_at, now);
    if (age_s < stuckAfter_s) continue;
    app.log.warn(
      { event: 'queue.delayed', notification_type, lane: laneName(lane), waiting, age_s },
      'Messages have been due for too long',
    );
  }
}

/** Registers gauges for the length and age of the queues, read at each scrape. */
export function measureQueues(app: Platform): void {
  const { metrics, db, clock } = app;
  const readLanes = shared(() => listLaneDepths(app));
  const lanes = async (figure: (lane: LaneDepth, now: Date) => number) =>
    (await readLanes()).map((lane) => ({
      labels: { notification_type: lane.notification_type, lane: laneName(lane.lane) },
      value: figure(lane, clock.now()),
    }));
  const labels = ['notification_type', 'lane'] as const;
  const atMost = `at most ${maxCounted}`;
  metrics.gauges('delivery_queue_messages', `Messages that are due and not sent yet, ${atMost}`, labels, () =>
    lanes(({ waiting }) => waiting),
  );
  metrics.gauges('delivery_queue_age_seconds', 'Age of the oldest due message', labels, () =>
    lanes(({ oldest_due_at }, now) => secondsSince(oldest_due_at, now)),
  );
  const readRetries = shared(() => listRetries(app));
  const retries = async (figure: (one: Retries, now: Date) => number) =>
    (await readRetries()).map((one) => ({
      labels: { notification_type: one.notification_type },
      value: figure(one, clock.now()),
    }));
  metrics.gauges(
    'delivery_retry_messages',
    `Messages that wait for another attempt because one failed, ${atMost}`,
    ['notification_type'],
    () => retries(({ waiting }) => waiting),
  );
  metrics.gauges(
    'delivery_retry_age_seconds',
    'Time since the oldest message that waits for another attempt was accepted',
    ['notification_type'],
    () => retries(({ oldest_at }, now) => secondsSince(oldest_at, now)),
  );
  const readCallbacks = shared(() => selectWaitingCallbacks(db, timestamp(clock.now())));
  const callbacks = `Callbacks to services that are not delivered yet, ${atMost}`;
  metrics.gauges('service_callbacks_waiting', callbacks, [], async () => {
    return [{ labels: {}, value: (await readCallbacks()).waiting }];
  });
  metrics.gauges('service_callbacks_age_seconds', 'Age of the oldest due callback', [], async () => {
    return [{ labels: {}, value: secondsSince((await readCallbacks()).oldest_due_at, clock.now()) }];
  });
}

/** The gauges of a scrape share one query, because it reads up to 100,000 rows during an outage. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

function secondsSince(moment: string | null, now: Date): number {
  return moment ? Math.max(0, (now.getTime() - Date.parse(moment)) / 1_000) : 0;
}
