import { cancelEveryLetterRow, cancelLetterRows, cancelQueuedRows } from '../notifications/cancel-rows.ts';
import type { Status } from '../notifications/notification.ts';
import { later, timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import { invalid, notFound } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import type { Task } from '../platform/queue/queue.ts';
import type { Channel } from '../protocol/channels.ts';
import { type JobDeps, nothingReserved, returnReservation } from './accept-job.ts';
import { type JobRow, lockJob, selectJob, selectJobStatistics, updateJob } from './jobs.sql.ts';
import { findHeldUntil } from './waiting-files.ts';

export const cancelJobRows: Task<{ job_id: string }> = {
  name: 'cancel-job-rows',
  description: 'Cancels the messages of a cancelled job that no worker has leased.',
  maxAttempts: 25,
};

const cancellable: readonly string[] = ['scheduled', 'pending', 'in progress'] satisfies JobRow['status'][];

/** Whether a job may still have something to cancel: letters until they are printed, other channels until all rows are messages. */
export function isCancellable({ job_status, template_type }: { job_status: string; template_type: Channel }): boolean {
  return cancellable.includes(job_status) || (template_type === 'letter' && job_status.startsWith('finished'));
}

/**
 * Cancels a job that is not finished, or whose messages wait for a sending time. No more of its rows become notifications, and the limits
 * get back their share. A task cancels the notifications that wait, and returns those to the limits. `cancelled` is false if there is nothing to cancel.
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
    if (!cancellable.includes(job.status) && !(await findHeldUntil(app, tx, [job])).has(jobId))
      return { job, cancelled: false };
    const cancelled = await updateJob(tx, jobId, {
      status: 'cancelled',
      processing_finished: timestamp(now),
      updated_at: timestamp(now),
      ...nothingReserved,
    });
    if (job.rows_done > 0) await enqueueCancelling(app, tx, jobId);
    // Last, because it blocks other messages of the service.
    await returnReservation(app, tx, job, now);
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

/** Repeats until no message is left: one that a worker holds is either sent, or waits for a retry and is cancelled then. */
export async function runCancelling(app: JobDeps, { job_id }: { job_id: string }): Promise<void> {
  const job = await selectJob(app.db, job_id);
  if (job?.status !== 'cancelled') return;
  const now = app.clock.now();
  if (job.notification_type === 'letter') await cancelLetterRows(app, job_id, now);
  else await cancelQueuedRows(app, job_id, now);
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

const unsentStatuses: readonly string[] = [
  'created',
  'cancelled',
  'pending-virus-check',
  'technical-failure',
  'validation-failed',
  'virus-scan-failed',
] satisfies Status[];

/** Cancels all letters of a job, or none if one of them may have been printed. Returns their number. */
export async function cancelLetterJob(app: JobDeps, serviceId: string, jobId: string): Promise<number> {
  const now = app.clock.now();
  const letters = await inTransaction(app.db, async (tx) => {
    const job = await lockJob(tx, jobId);
    if (job?.service_id !== serviceId) throw notFound();
    if (job.notification_type !== 'letter') {
      throw invalid('Only letter jobs can be cancelled through this endpoint. This is not a letter job.');
    }
    if (!isFinished(job)) {
      throw invalid('We are still processing these letters, please try again in 5 minutes.');
    }
    const statistics = await selectJobStatistics(tx, [jobId]);
    const sent = statistics.some(({ status }) => !unsentStatuses.includes(status));
    const lastCutOff = app.country.letterDays.lastCutOff(now);
    if (sent || new Date(job.processing_started ?? job.created_at) < lastCutOff) throw tooLate();
    const cancelled = await cancelEveryLetterRow(app, tx, jobId, now);
    const before = statistics.find(({ status }) => status === 'cancelled')?.count ?? 0;
    // A letter that was printed meanwhile did not change.
    if (cancelled + before < job.rows_done) throw tooLate();
    await updateJob(tx, jobId, { status: 'cancelled', updated_at: timestamp(now) });
    return cancelled;
  });
  app.log.info(
    { event: 'job.letters_cancelled', job: jobId, service: serviceId, letters },
    'The letters of a job were cancelled',
  );
  return letters;
}

function isFinished({ status, rows_done, rows_skipped, row_count }: JobRow): boolean {
  return status === 'finished all notifications created' && rows_done + rows_skipped === row_count;
}

function tooLate() {
  return invalid('It’s too late to cancel sending, these letters have already been sent.');
}
