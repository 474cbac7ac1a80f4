import { laneName } from '../notifications/notification.ts';
import { type LaneAge, listLaneAges } from '../notifications/queue/delivery-queue.ts';
import { listRetries, maxCounted, type Retries } from '../notifications/queue/lane-depths.ts';
import { timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { selectWaitingCallbacks } from './callbacks/service-callbacks.sql.ts';

const stuckAfter_s = 300;

/** Logs a warning when messages have been due for minutes: no worker is running, or the workers cannot keep up. */
export async function checkQueue(app: Platform): Promise<void> {
  const now = app.clock.now();
  for (const { notification_type, lane, waiting, oldest_due_at } of await listLaneAges(app.db, timestamp(now))) {
    const age_s = secondsSince(oldest_due_at, now);
    if (age_s < stuckAfter_s) continue;
    app.log.warn(
      { event: 'queue.delayed', notification_type, lane: laneName(lane), waiting, age_s },
      'Messages have been due for too long',
    );
  }
}

/** Length and age of the queues, read at each scrape. */
export function measureQueues(app: Platform): void {
  const { metrics, db, clock } = app;
  const lanes = async (figure: (lane: LaneAge, now: Date) => number) => {
    const now = clock.now();
    const ages = await listLaneAges(db, timestamp(now));
    return ages.map((lane) => ({
      labels: { notification_type: lane.notification_type, lane: laneName(lane.lane) },
      value: figure(lane, now),
    }));
  };
  const labels = ['notification_type', 'lane'] as const;
  metrics.gauges('delivery_queue_messages', 'Messages that are due and not sent yet', labels, () =>
    lanes(({ waiting }) => waiting),
  );
  metrics.gauges('delivery_queue_age_seconds', 'Age of the oldest due message', labels, () =>
    lanes(({ oldest_due_at }, now) => secondsSince(oldest_due_at, now)),
  );
  // Both gauges of a scrape share one query, which reads up to 100,000 rows during an outage.
  let reading: Promise<Retries[]> | undefined;
  const retries = async (figure: (one: Retries, now: Date) => number) => {
    reading ??= listRetries(app).finally(() => {
      reading = undefined;
    });
    const found = await reading;
    return found.map((one) => ({
      labels: { notification_type: one.notification_type },
      value: figure(one, clock.now()),
    }));
  };
  metrics.gauges(
    'delivery_retry_messages',
    `Messages that wait for another attempt because one failed, at most ${maxCounted}`,
    ['notification_type'],
    () => retries(({ waiting }) => waiting),
  );
  metrics.gauges(
    'delivery_retry_age_seconds',
    'Time since the oldest message that waits for another attempt was accepted',
    ['notification_type'],
    () => retries(({ oldest_at }, now) => secondsSince(oldest_at, now)),
  );
  metrics.gauges('service_callbacks_waiting', 'Callbacks to services that are not delivered yet', [], async () => {
    const { waiting } = await selectWaitingCallbacks(db, timestamp(clock.now()));
    return [{ labels: {}, value: waiting }];
  });
  metrics.gauges('service_callbacks_age_seconds', 'Age of the oldest due callback', [], async () => {
    const now = clock.now();
    const { oldest_due_at } = await selectWaitingCallbacks(db, timestamp(now));
    return [{ labels: {}, value: secondsSince(oldest_due_at, now) }];
  });
}

function secondsSince(moment: string | null, now: Date): number {
  return moment ? Math.max(0, (now.getTime() - Date.parse(moment)) / 1_000) : 0;
}
