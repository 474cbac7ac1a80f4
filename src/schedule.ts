import type { TimedTask } from './platform/queue/worker.ts';

/**
 * Every scheduled task, in the order of the features. A task may start in any process, and twice: its job checks what
 * is really due.
 */
export const schedule: TimedTask[] = [
  {
    cron: '13 * * * *',
    job: 'forget-verify-codes',
    description: 'Hourly, so that a code is deleted soon after it expires.',
  },
  {
    cron: '17 * * * *',
    job: 'forget-invites',
    description: 'Hourly, so that an invitation is deleted soon after its link expires.',
  },
  {
    cron: '1 2 * * *',
    job: 'open-financial-year',
    description: 'Nightly, although it has work only on 1 April, so that a platform that was down then catches up.',
  },
  {
    cron: '5,20,35,50 * * * *',
    job: 'fold-rollups',
    description:
      'Every 15 minutes: reports add the changes since the last run, and rows are locked only four times an hour.',
  },
  {
    cron: '50 1 * * *',
    job: 'reconcile-figures',
    description: 'At night, when load is low, and long before the messages of these days are deleted.',
  },
  {
    cron: '7 * * * *',
    job: 'prepare-partitions',
    description: 'Hourly, so that a failure is retried many times before it matters.',
  },
  {
    cron: '0 3 * * *',
    job: 'apply-retention',
    description: 'After midnight in London all year round, and after the rollups were reconciled with the messages.',
  },
  {
    cron: '37 * * * *',
    job: 'forget-leftovers',
    description: 'Hourly, so that expired data is deleted soon after its retention period.',
  },
  {
    cron: '*/10 * * * *',
    job: 'resume-letters',
    description: 'Resumes letters whose process died.',
  },
  {
    cron: '30,50 16-21 * * *',
    job: 'collate-letters',
    description:
      '17:30 in London is 16:30 or 17:30 UTC; the later runs collect letters that were not ready then, or catch up after downtime.',
  },
  {
    cron: '0 7,19 * * *',
    job: 'check-letters',
    description: 'In the morning, while there is time to act, and in the evening, after the printer’s working day.',
  },
  {
    cron: '30 4 * * *',
    job: 'clean-letters',
    description: 'After the nightly deletion of old notifications.',
  },
  {
    cron: '* * * * *',
    job: 'shift-from-slow-provider',
    description: 'Every minute: checks the last 15 minutes.',
  },
  {
    cron: '*/5 * * * *',
    job: 'drift-providers-back',
    description: 'Gradually, so that a recovering provider is not overloaded.',
  },
  {
    cron: '* * * * *',
    job: 'check-delivery-queue',
    description: 'Every minute, so that the operator hears of a backlog before the services do.',
  },
  {
    cron: '5 * * * *',
    job: 'time-out-messages',
    description: 'Hourly, so that a message times out after 72 hours, not the following night.',
  },
  {
    cron: '45 * * * *',
    job: 'find-lost-messages',
    description: 'Hourly, so that a message missing from the queue is delayed by hours, not lost.',
  },
  {
    cron: '25 3 * * *',
    job: 'clean-delivery',
    description: 'At night, when load is low.',
  },
  {
    cron: '0 2 * * *',
    job: 'record-processing-time',
    description: 'After midnight in London, before yesterday’s messages are deleted.',
  },
  {
    cron: '40 3 * * *',
    job: 'forget-old-records',
    description: 'At night, when load is low.',
  },
];
