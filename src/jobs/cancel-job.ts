import { cancelLetterRows, cancelQueuedRows } from '../notifications/cancel-rows.ts';
import { returnMessages } from '../notifications/limits/reserve-messages.ts';
import { utcDay } from '../platform/calendar.ts';
import { later, timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import type { Task } from '../platform/queue/task.ts';
import type { Channel } from '../protocol/channels.ts';
import { nothingReserved, reservationOf } from './accept-job.ts';
import type { JobDeps } from './job-deps.ts';
import { type JobRow, lockJob, selectJob, selectJobStatistics, updateJob } from './jobs.sql.ts';

export const cancelJobRows: Task<{ job_id: string }> = {
  name: 'cancel-job-rows',
  description: 'Cancels the messages of a cancelled job that no worker has leased.',
  maxAttempts: 25,
};

const cancellable: readonly string[] = ['scheduled', 'pending', 'in progress'] satisfies JobRow['status'][];

/** Whether there may be something to cancel: of letters until they are printed, of others while they become messages. */
export function isCancellable({ job_status, template_type }: { job_status: string; template_type: Channel }): boolean {
  return cancellable.includes(job_status) || (template_type === 'letter' && job_status.startsWith('finished'));
}

/**
 * Cancels a job that is not finished: none of its further rows becomes a notification, and the limits get back those that
 * have not. A task cancels the notifications that wait. `cancelled` is false if there is nothing to cancel.
 */
export async function cancelJob(
  app: JobDeps,
  serviceId: string,
  jobId: string,
): Promise<{ job: JobRow | undefined; cancelled: boolean }> {
  const now = app.clock.now();
  const result = await inTransaction(app.db, async (tx) => {
    const job = await lockJob(tx, jobId);
    if (job?.service_id !== serviceId) return { job: undefined, cancelled: false };
    if (!cancellable.includes(job.status)) return { job, cancelled: false };
    const cancelled = await updateJob(tx, jobId, {
      status: 'cancelled',
      processing_finished: timestamp(now),
      updated_at: timestamp(now),
      ...nothingReserved,
    });
    if (job.rows_done > 0) await enqueueCancelling(app, tx, jobId);
    // Last, because it blocks other messages of the service.
    if (job.reserved_day === utcDay(now)) await returnMessages(tx, reservationOf(job));
    return { job: cancelled, cancelled: true };
  });
  if (result.cancelled && result.job) {
    const { id, service_id, rows_done, row_count } = result.job;
    app.log.info(
      { event: 'job.cancelled', job: id, service: service_id, rows_done, rows: row_count },
      'A job was cancelled',
    );
  }
  return result;
}

const pause_ms = 2_000;

/** A message that a worker holds is sent, or waits for a retry: then it is cancelled, too. So repeats until none is left. */
export async function runCancelling(app: JobDeps, { job_id }: { job_id: string }): Promise<void> {
  const job = await selectJob(app.db, job_id);
  if (job?.status !== 'cancelled') return;
  const now = app.clock.now();
  if (job.notification_type === 'letter') await cancelLetterRows(app.db, job_id, now);
  else await cancelQueuedRows(app.db, job_id, now);
  const statistics = await selectJobStatistics(app.db, [job_id]);
  const waits = statistics.some(({ status }) => status === 'created');
  if (waits && job.notification_type !== 'letter') await enqueueCancelling(app, app.db, job_id, later(now, pause_ms));
}

async function enqueueCancelling(
  { queue }: Platform,
  db: Parameters<JobDeps['queue']['add']>[0],
  job_id: string,
  runAt?: Date,
): Promise<void> {
  await queue.add(db, cancelJobRows, { job_id }, { key: `${cancelJobRows.name} ${job_id}`, priority: -1, runAt });
}
