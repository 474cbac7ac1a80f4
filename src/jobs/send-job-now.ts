import { findFirstHeld, sendHeldRows } from '../notifications/windows/held-messages.ts';
import { timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import { invalid, notFound } from '../platform/failure.ts';
import type { JobDeps } from './accept-job.ts';
import { lockJob, updateJob } from './jobs.sql.ts';

/** Sends the messages of a file that wait for a sending time, those that a task has not made yet among them. */
export async function sendJobNow(app: JobDeps, serviceId: string, jobId: string): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const job = await lockJob(tx, jobId);
    if (job?.service_id !== serviceId) throw notFound();
    if (!(await findFirstHeld(app, tx, jobId))) throw invalid('No message of this file waits for its sending time');
    await updateJob(tx, jobId, { ignores_sending_times: true, updated_at: timestamp(app.clock.now()) });
    const key = `${sendHeldRows.name} ${jobId}`;
    await app.queue.add(tx, sendHeldRows, { service_id: serviceId, job_id: jobId }, { key });
  });
  app.log.info({ event: 'job.sent_now', job: jobId, service: serviceId }, 'A file waits for no sending time any more');
}
