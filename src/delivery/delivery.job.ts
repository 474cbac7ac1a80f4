import type { Config } from '../config.ts';
import { day_ms, earlier, timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import type { Job } from '../platform/queue/worker.ts';
import { forgetOldCallbacks } from './callbacks/callback-history.ts';
import { driftBack, shiftFromSlow } from './failover/provider-failover.ts';
import { deleteHealthBefore } from './failover/provider-health.sql.ts';
import { findLostMessages } from './lost-messages.ts';
import { checkQueue } from './queue-check.ts';
import { cleanSandbox } from './sandbox/sandbox.ts';
import { timeOutMessages } from './time-outs.ts';

/** The timed part of delivery. All of it may run in any process, twice or late: the rows say what is due. */
export function deliveryJobs(app: Platform & { config: Config }): Job[] {
  return [
    {
      name: 'time-out-messages',
      description:
        'Ends text messages and emails for which no receipt came in 72 hours, or that were never handed over.',
      handle: () => timeOutMessages(app),
    },
    {
      name: 'find-lost-messages',
      description: 'Puts accepted messages into the queue that have no place in it.',
      handle: () => findLostMessages(app),
    },
    {
      name: 'shift-from-slow-provider',
      description: 'Gives less to a text message provider whose receipts are slow.',
      handle: () => shiftFromSlow(app),
    },
    {
      name: 'drift-providers-back',
      description: 'Moves the shares of providers back to their usual ones when nothing has gone wrong for a while.',
      handle: () => driftBack(app),
    },
    {
      name: 'check-delivery-queue',
      description: 'Warns when messages wait for minutes.',
      handle: () => checkQueue(app),
    },
    {
      name: 'clean-delivery',
      description: 'Forgets old callbacks, the health of past days, and what the sandbox kept.',
      async handle() {
        await forgetOldCallbacks(app);
        await deleteHealthBefore(app.db, timestamp(earlier(app.clock.now(), day_ms)));
        await cleanSandbox(app);
      },
    },
  ];
}
