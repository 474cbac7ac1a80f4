import { sendHeldRows } from '../notifications/windows/held-messages.ts';
import { timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import { invalid, notFound } from '../platform/failure.ts';
import { enqueueExpansion, type JobDeps } from './accept-job.ts';
import { lockJob, updateJob } from './jobs.sql.ts';
import { findHeldUntil, isWaitingFile, openingOf } from './waiting-files.ts';

/** Sends a waiting file, or the waiting messages of a file that has started. Rows that are not messages yet will not wait either. */
export async function sendJobNow(app: JobDeps, serviceId: string, jobId: string): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const job = await lockJob(tx, jobId);
    if (job?.service_id !== serviceId) throw notFound();
    const isExpanding = job.status === 'in progress' && openingOf(job) !== undefined;
    if (!isExpanding && !(await findHeldUntil(app, tx, [job])).has(jobId)) {
      throw invalid('No message of this file waits for its sending time');
    }
    const now = timestamp(app.clock.now());
    const freed = { ignores_sending_times: true, updated_at: now };
    if (isWaitingFile(job)) {
      await updateJob(tx, jobId, { ...freed, scheduled_for: now });
      await enqueueExpansion(app, tx, jobId);
    } else {
      await updateJob(tx, jobId, freed);
      const key = `${sendHeldRows.name} ${jobId}`;
      await app.queue.add(tx, sendHeldRows, { service_id: serviceId, job_id: jobId }, { key });
    }
  });
  app.log.info({ event: 'job.sent_now', job: jobId, service: serviceId }, 'A waiting file was sent now');
}
