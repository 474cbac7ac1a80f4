import type { Config } from '../config.ts';
import { day_ms, earlier, timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import type { Job } from '../platform/queue/worker.ts';
import { deleteOldCallbacks } from './callbacks/callback-history.ts';
import { driftBack, shiftFromSlow } from './failover/provider-failover.ts';
import { deleteHealthBefore } from './failover/provider-health.sql.ts';
import { findLostMessages } from './lost-messages.ts';
import { checkQueue } from './queue-check.ts';
import { cleanSandbox } from './sandbox/sandbox.ts';
import { timeOutMessages } from './time-outs.ts';

/** Scheduled jobs of delivery. Safe to run in any process, twice or late: the rows determine what is due. */
export function deliveryJobs(app: Platform & { config: Config }): Job[] {
  return [
    {
      name: 'time-out-messages',
      description:
        'Ends text messages and emails without a receipt after 72 hours, and messages that were never handed over.',
      handle: () => timeOutMessages(app),
    },
    {
      name: 'find-lost-messages',
      description: 'Queues accepted messages that are missing from the queue.',
      handle: () => findLostMessages(app),
    },
    {
      name: 'shift-from-slow-provider',
      description: 'Reduces the share of a text message provider whose receipts are slow.',
      handle: () => shiftFromSlow(app),
    },
    {
      name: 'drift-providers-back',
      description: 'Moves the shares of the providers back to normal when they have not changed for a while.',
      handle: () => driftBack(app),
    },
    {
      name: 'check-delivery-queue',
      description: 'Logs a warning when messages have been due for minutes.',
      handle: () => checkQueue(app),
    },
    {
      name: 'clean-delivery',
      description: 'Deletes old callbacks, health data of past days, and old messages of the sandbox.',
      async handle() {
        await deleteOldCallbacks(app);
        await deleteHealthBefore(app.db, timestamp(earlier(app.clock.now(), day_ms)));
        await cleanSandbox(app);
      },
    },
  ];
}
