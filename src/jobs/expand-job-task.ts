import type { Db, Tx } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import type { Task } from '../platform/queue/task.ts';

export const expandJob: Task<{ job_id: string }> = {
  name: 'expand-job',
  description: 'Turns the rows of a file into notifications, for about a second, then enqueues itself again.',
  maxAttempts: 25,
};

/** Enqueues the next part of a job, behind other jobs that wait. Replaces a waiting task of the same job. */
export async function enqueueExpansion({ queue }: Platform, db: Db | Tx, job_id: string, runAt?: Date): Promise<void> {
  await queue.add(
    db,
    expandJob,
    { job_id },
    {
      key: `${expandJob.name} ${job_id}`,
      // Before letters to compose, of which there may be thousands.
      priority: -1,
      runAt,
    },
  );
}
