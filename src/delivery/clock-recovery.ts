import type { Config } from '../config.ts';
import { rescheduleFutureDue } from '../notifications/queue/delivery-queue.ts';
import { ClockWatch, timestamp } from '../platform/clock.ts';
import { Loop } from '../platform/loop.ts';
import type { Platform } from '../platform/platform.ts';
import { bringCallbacksForward } from './callbacks/service-callbacks.sql.ts';
import { lease_ms, smallestJump_ms } from './leases.ts';

const lookEvery_ms = 500;
/** For what was under way in other processes when the clock was set, and was written down by the old time after that. */
const mendAgainAfter_ms = 3_000;

type Deps = Pick<Platform, 'db' | 'clock' | 'log'> & { config: Pick<Config, 'DELIVERY_RETRY_DELAY_S'> };

/**
 * A clock that is set back leaves everything that was due a moment ago due in the future: without this it would wait until
 * the clock has caught up. It may have been set while nothing ran, so a start looks as well.
 */
export function clockRecovery(app: Deps): Loop {
  const watch = new ClockWatch(app.clock, smallestJump_ms);
  let recoveries = 1;

  async function step(): Promise<number> {
    const jump_ms = watch.jump_ms();
    if (jump_ms !== 0) app.log.warn({ jump_ms: Math.round(jump_ms) }, 'the clock was set');
    if (jump_ms < 0) recoveries = 2;
    if (recoveries === 0) return lookEvery_ms;
    await recover(app);
    recoveries -= 1;
    return mendAgainAfter_ms;
  }
  return new Loop({ name: 'clock', step, log: app.log });
}

async function recover({ db, clock, config }: Deps): Promise<void> {
  const now_ms = clock.now().getTime();
  const ahead = (ms: number) => timestamp(new Date(now_ms + ms));
  const longest_ms = Math.max(config.DELIVERY_RETRY_DELAY_S * 1_000, lease_ms);
  await rescheduleFutureDue(db, { now: ahead(0), latest: ahead(longest_ms), leasedUntil: ahead(lease_ms) });
  await bringCallbacksForward(db, ahead(0));
}
