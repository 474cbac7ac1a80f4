import { readDatabaseTime, rescheduleFutureDue } from '../notifications/queue/leases.shared.sql.ts';
import { rescheduleFuturePlanMessages } from '../plans/plan-leases.shared.sql.ts';
import { ClockWatch, timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { Loop } from '../platform/process/loop.ts';
import { callbackLease_ms } from './callbacks/callback-sender.ts';
import { rescheduleFutureCallbacks } from './callbacks/service-callbacks.sql.ts';
import { lease_ms, minJump_ms } from './leases.ts';
import type { DeliverySettings } from './settings.ts';

const checkEvery_ms = 500;
/** Recovery is repeated after this time, for rows that other processes still wrote with the old time. */
const repeatAfter_ms = 3_000;

const compareEvery_ms = 10_000;
/** Leases do not depend on the clock, but scheduled messages and retries are sent this much too early or too late. */
const maxDifference_ms = 2_000;

type Deps = Platform & { config: { delivery: DeliverySettings } };

/**
 * After the clock is set back, everything that was due is due in the future and would wait until the clock catches up. This also runs at
 * startup, because the clock may have changed while no worker was running. It also reports a clock that differs from the database's clock.
 */
export function clockRecovery(app: Deps): Loop {
  const watch = new ClockWatch(app.clock, minJump_ms);
  let recoveries = 1;
  let nextComparison = Number.NEGATIVE_INFINITY;
  let isDifferent = false;
  app.metrics.gauges(
    'database_clock_difference_seconds',
    'How far the clock of this worker is ahead of that of the database',
    [],
    async () => [{ labels: {}, value: (await difference_ms(app)) / 1_000 }],
  );

  async function compare(): Promise<void> {
    if (performance.now() < nextComparison) return;
    nextComparison = performance.now() + compareEvery_ms;
    const difference = await difference_ms(app);
    const differs = Math.abs(difference) > maxDifference_ms;
    if (differs && !isDifferent)
      app.log.error(
        { event: 'clock.differs', difference_ms: Math.round(difference) },
        'The clock of this machine differs from that of the database',
      );
    isDifferent = differs;
  }

  async function step(): Promise<number> {
    await compare();
    const jump_ms = watch.jump_ms();
    if (jump_ms !== 0) {
      app.log.warn({ event: 'clock.changed', jump_ms: Math.round(jump_ms) }, 'The system clock was changed');
    }
    if (jump_ms < 0) recoveries = 2;
    if (recoveries === 0) return checkEvery_ms;
    await recover(app);
    recoveries -= 1;
    return repeatAfter_ms;
  }
  return new Loop({ name: 'clock', step, log: app.log });
}

/** The error is at most half of the statement's duration. */
async function difference_ms({ db, clock }: Deps): Promise<number> {
  const began = performance.now();
  const now_ms = await readDatabaseTime(db);
  return clock.now().getTime() - (performance.now() - began) / 2 - now_ms;
}

async function recover({ db, clock, config }: Deps): Promise<void> {
  const now_ms = clock.now().getTime();
  const ahead = (ms: number) => timestamp(new Date(now_ms + ms));
  const max_ms = Math.max(config.delivery.retryDelay_ms, lease_ms);
  await rescheduleFutureDue(db, { now: ahead(0), latest: ahead(max_ms), retryAt: ahead(lease_ms), lease_ms });
  await rescheduleFutureCallbacks(db, ahead(0), callbackLease_ms);
  await rescheduleFuturePlanMessages(db, ahead(0));
}
