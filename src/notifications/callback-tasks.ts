import type { Task } from '../platform/queue/task.ts';

/** Delivery does the work: it owns the callbacks to services. */
export const announceFailures: Task<{ notification_ids: string[] }> = {
  name: 'announce-failures',
  description: 'Stores callbacks about emails of a file that were not sent because their recipients are suppressed.',
  maxAttempts: 25,
};
