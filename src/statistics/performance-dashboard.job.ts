import type { Platform } from '../platform/platform.ts';
import type { Job } from '../platform/queue/worker.ts';
import { recordProcessingTime } from './performance-dashboard.ts';

export function processingTimeJob(app: Platform): Job {
  return {
    name: 'record-processing-time',
    description: 'Counts how many of yesterday’s messages reached a provider within ten seconds.',
    handle: () => recordProcessingTime(app),
  };
}
