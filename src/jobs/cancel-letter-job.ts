import { cancelEveryLetterRow, lastPrintRun } from '../notifications/cancel-rows.ts';
import { returnMessages } from '../notifications/limits/reserve-messages.ts';
import type { Status } from '../notifications/notification.ts';
import { utcDay } from '../platform/calendar.ts';
import { timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import { invalid, notFound } from '../platform/failure.ts';
import type { JobDeps } from './job-deps.ts';
import { type JobRow, lockJob, selectJobStatistics, updateJob } from './jobs.sql.ts';

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
    if (sent || new Date(job.processing_started ?? job.created_at) < lastPrintRun(now)) throw tooLate();
    const cancelled = await cancelEveryLetterRow(tx, jobId, now);
    const before = statistics.find(({ status }) => status === 'cancelled')?.count ?? 0;
    // A letter that was printed meanwhile did not change.
    if (cancelled + before < job.rows_done) throw tooLate();
    await updateJob(tx, jobId, { status: 'cancelled', updated_at: timestamp(now) });
    if (job.reserved_day === utcDay(now)) {
      const day = { service_id: serviceId, utc_day: job.reserved_day, channel: 'letter' as const };
      await returnMessages(tx, { ...day, messages: cancelled, international: 0 });
    }
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
