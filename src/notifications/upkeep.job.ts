import type { Platform } from '../platform/platform.ts';
import type { Job } from '../platform/queue/worker.ts';
import { preparePartitions } from './partitions.ts';
import { applyRetention, forgetLeftovers } from './retention.ts';

export function upkeepJobs(app: Platform): Job[] {
  return [
    {
      name: 'prepare-partitions',
      description: 'Creates the partitions of the coming days.',
      async handle() {
        if (!(await preparePartitions(app))) throw new Error('could not create every partition');
      },
    },
    {
      name: 'apply-retention',
      description: 'Deletes messages beyond the retention of their service.',
      handle: () => applyRetention(app),
    },
    {
      name: 'forget-leftovers',
      description: 'Deletes expired files, idempotency keys and old counters.',
      handle: () => forgetLeftovers(app),
    },
  ];
}
