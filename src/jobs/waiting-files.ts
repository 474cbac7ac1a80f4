import type { SendingService } from '../notifications/sending/sending-service.ts';
import { findFirstHeld } from '../notifications/windows/held-messages.ts';
import { openingOfFile, type WindowDeps } from '../notifications/windows/placing.ts';
import { type Timestamp, timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { Failure } from '../platform/failure.ts';
import type { TemplateRow } from '../templates/template-row.ts';
import { enqueueExpansion, findTemplateOfJob, type JobDeps } from './accept-job.ts';
import { type JobRow, lockJob, selectScheduledJobs, updateJob } from './jobs.sql.ts';
import { selectPlaces } from './uploads/uploads.sql.ts';

/** Returns when the first row of a job may go out, or undefined if one may go out at `start`. */
export async function findOpening(
  { db }: JobDeps,
  job: JobRow,
  { service, template }: { service: SendingService; template: TemplateRow },
  start: Date,
): Promise<Date | undefined> {
  if (service.sending_times === null || job.ignores_sending_times) return undefined;
  const { process_type } = template;
  return openingOfFile(service.sending_times, { ...job, process_type }, await selectPlaces(db, job.id), start);
}

/** Returns the opening that a job waits or waited for; its rows are spread after it. Returns undefined if it did not wait. */
export function openingOf(
  job: Pick<JobRow, 'scheduled_for' | 'wanted_at' | 'ignores_sending_times'>,
): Timestamp | undefined {
  const { scheduled_for, wanted_at, ignores_sending_times } = job;
  if (ignores_sending_times || wanted_at === null || scheduled_for === wanted_at) return undefined;
  return scheduled_for ?? undefined;
}

/** Whether a job waits for its sending times, so that none of its rows is a message yet. */
export function isWaitingFile(job: JobRow): boolean {
  return job.status === 'scheduled' && openingOf(job) !== undefined;
}

/** Returns, by job, when the first sending time that its rows wait for begins or began. */
export async function findHeldUntil(
  app: WindowDeps,
  db: Db | Tx,
  jobs: readonly JobRow[],
): Promise<ReadonlyMap<string, Timestamp>> {
  const started = jobs.filter(({ processing_started }) => processing_started !== null).map(({ id }) => id);
  const held = new Map(await findFirstHeld(app, db, started));
  for (const job of jobs) {
    const opening = isWaitingFile(job) ? openingOf(job) : undefined;
    if (opening !== undefined) held.set(job.id, opening);
  }
  return held;
}

/** Gives the scheduled files of a service new times after its sending times changed. */
export async function retimeFiles(app: JobDeps, { service_id }: { service_id: string }): Promise<void> {
  await app.changeListener.catchUp();
  const service = await app.sending.services.find(service_id);
  if (!service) return;
  for (const job of await selectScheduledJobs(app.db, service_id)) await retimeFile(app, service, job);
}

async function retimeFile(app: JobDeps, service: SendingService, job: JobRow): Promise<void> {
  const template = await findTemplateOfJob(app, job);
  const wanted_at = job.wanted_at ?? job.scheduled_for;
  const now = timestamp(app.clock.now());
  if (!template || wanted_at === null || job.scheduled_for === null || job.scheduled_for <= now) return;
  const start = [wanted_at, now].sort()[1] ?? now;
  let opening: Date | undefined;
  try {
    opening = await findOpening(app, job, { service, template }, new Date(start));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    app.log.warn({ event: 'job.kept', job: job.id, err: error }, 'A waiting file keeps its time');
    return;
  }
  const scheduled_for = opening ? timestamp(opening) : start;
  if (scheduled_for === job.scheduled_for) return;
  await inTransaction(app.db, async (tx) => {
    const current = await lockJob(tx, job.id);
    if (current?.status !== 'scheduled' || current.scheduled_for !== job.scheduled_for) return;
    await updateJob(tx, job.id, { scheduled_for, wanted_at, updated_at: now });
    await enqueueExpansion(app, tx, job.id, new Date(scheduled_for));
  });
}
