import type { Platform } from '../platform/platform.ts';
import type { Job } from '../platform/queue/worker.ts';
import { preparePartitions } from './partitions.ts';
import { applyRetention, forgetLeftovers } from './retention.ts';

export function upkeepJobs(app: Platform): Job[] {
  return [
    {
      name: 'prepare-partitions',
      description: 'Makes the partitions of the coming days.',
      async handle() {
        if (!(await preparePartitions(app))) throw new Error('not every partition could be made');
      },
    },
    {
      name: 'apply-retention',
      description: 'Deletes messages whose service keeps them no longer.',
      handle: () => applyRetention(app),
    },
    {
      name: 'forget-leftovers',
      description: 'Deletes expired files, keys of repeated requests and old counters.',
      handle: () => forgetLeftovers(app),
    },
  ];
}
