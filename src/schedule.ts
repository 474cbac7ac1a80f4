import type { TimedTask } from './platform/queue/worker.ts';

/**
 * Every timed task, in the order of the features. Each may start in any process and twice: its job checks what is
 * really due.
 */
export const schedule: TimedTask[] = [
  {
    cron: '13 * * * *',
    job: 'forget-verify-codes',
    description: 'Hourly, so that a code is kept for hardly more than its day.',
  },
  { cron: '17 * * * *', job: 'forget-invites', description: 'Hourly: an invitation goes when its link stops working.' },
  {
    cron: '1 2 * * *',
    job: 'open-financial-year',
    description: 'It has work on 1 April only; every night, so that a platform that was down in that one catches up.',
  },
  {
    cron: '5,20,35,50 * * * *',
    job: 'fold-rollups',
    description:
      'Reports add up what changed since: a quarter of an hour is little, and rows are locked only four times in it.',
  },
  {
    cron: '50 1 * * *',
    job: 'reconcile-figures',
    description: 'In the quiet of the night, long before the first messages of these days are deleted.',
  },
  {
    cron: '7 * * * *',
    job: 'prepare-partitions',
    description: 'Hourly, so that a failure is mended a hundred times before it could matter.',
  },
  {
    cron: '0 3 * * *',
    job: 'apply-retention',
    description: 'After London midnight at any time of year, and after the rollups were compared with the messages.',
  },
  {
    cron: '37 * * * *',
    job: 'forget-leftovers',
    description: 'Hourly, so that nothing is kept for much longer than its time.',
  },
  {
    cron: '*/10 * * * *',
    job: 'resume-letters',
    description: 'A letter whose process died is only forgotten for a while.',
  },
  {
    cron: '30,50 16-21 * * *',
    job: 'collate-letters',
    description:
      'Half past five in London is 16:30 or 17:30 UTC; the later runs take what was not ready or not running then.',
  },
  {
    cron: '0 7,19 * * *',
    job: 'check-letters',
    description: 'When people begin their day there is still time to act; in the evening the printer’s day is over.',
  },
  {
    cron: '30 4 * * *',
    job: 'clean-letters',
    description: 'After the night’s deletion of old notifications.',
  },
  {
    cron: '* * * * *',
    job: 'shift-from-slow-provider',
    description: 'Looks at the last fifteen minutes.',
  },
  {
    cron: '*/5 * * * *',
    job: 'drift-providers-back',
    description: 'Slowly: a provider that recovers should not be flooded.',
  },
  {
    cron: '* * * * *',
    job: 'check-delivery-queue',
    description: 'Someone should know before the senders do.',
  },
  {
    cron: '5 * * * *',
    job: 'time-out-messages',
    description: 'Every hour: a message waits 72 hours for its receipt, not until the next night.',
  },
  {
    cron: '45 * * * *',
    job: 'find-lost-messages',
    description: 'Hourly, so that a message that fell out of the queue is late by hours, not lost.',
  },
  {
    cron: '25 3 * * *',
    job: 'clean-delivery',
    description: 'In the quiet of the night.',
  },
  {
    cron: '0 2 * * *',
    job: 'record-processing-time',
    description: 'Yesterday is over in London, and its messages are still there.',
  },
  {
    cron: '40 3 * * *',
    job: 'forget-old-records',
    description: 'In the quiet of the night.',
  },
];
