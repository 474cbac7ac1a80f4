import { refuseUnlessFilesAreSetUp } from '../documents/file-requests.ts';
import { forApi, t } from '../language/text.ts';
import { annualQuotas, returnInYears } from '../notifications/limits/annual-limits.ts';
import {
  countsParts,
  type ExceededLimit,
  reserveMessages,
  returnMessages,
} from '../notifications/limits/daily-limits.ts';
import { lanes } from '../notifications/notification.ts';
import type { SendDeps } from '../notifications/sending/send-context.ts';
import type { SendingService } from '../notifications/sending/sending-service.ts';
import type { GuardSettings } from '../notifications/settings.ts';
import { openingOfFile } from '../notifications/windows/placing.ts';
import { type Timestamp, timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { conflict, Failure, invalid, notFound } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import type { Task } from '../platform/queue/queue.ts';
import { findTemplate } from '../templates/compiled-templates.ts';
import type { TemplateRow } from '../templates/template-row.ts';
import {
  countUnfinishedJobs,
  countUploadRows,
  insertJob,
  type JobRow,
  lockJobsOf,
  markUploadSent,
  updateJob,
} from './jobs.sql.ts';
import type { BulkSettings } from './settings.ts';
import { isSendable } from './uploads/upload-record.ts';
import { lockUpload, selectUpload } from './uploads/uploads.sql.ts';

const maxUnfinishedJobs = 5;

export interface JobRequest {
  service: SendingService;
  upload_id: string;
  created_by_id: string | null;
  /** Null if it starts now. */
  scheduled_for: Timestamp | null;
  /** For rows without a reference of their own. */
  client_reference?: string | null;
  /** Needed if the upload is not itself a copy of the contact list. */
  contact_list_id?: string | null;
  /** If rows have problems: reject the file, or skip them and send the others. */
  on_error?: 'reject' | 'skip';
  /** If the file would exceed a limit: throw this failure, or store the job as `sending limits exceeded`. */
  when_limit_exceeded: ((exceeded: ExceededLimit, reserved: ReturnType<typeof reservationOf>) => Failure) | 'record';
  /** Stores related rows, such as the idempotency key, in the same transaction. `job` is what the response will contain. */
  alsoStore?: (tx: Tx, job: JobRow) => Promise<void>;
}

/**
 * Turns a checked upload into a job, exactly once, and reserves its share of the daily limits. Scheduled jobs reserve when
 * they start. A job whose sending times are closed for all of its rows is scheduled for when the first of them begins.
 */
export async function acceptJob(app: JobDeps, request: JobRequest): Promise<JobRow> {
  const { service, upload_id, scheduled_for } = request;
  const template = await templateOfUpload(app, service, upload_id);
  const now = app.clock.now();
  const job = await inTransaction(app.db, async (tx) => {
    const upload = await lockUpload(tx, service.id, upload_id);
    if (!upload || upload.state === 'receiving') throw notFound();
    if (upload.state === 'sent') throw invalid('This upload has already been sent');
    if (upload.state !== 'checked') throw notValid();
    // While a check runs, some rows are checked against one template and some against another.
    const isSameTemplate = upload.template_id === template.id && upload.template_version === template.version;
    if (upload.summary === null || !isSameTemplate)
      throw conflict(
        forApi('The file is being checked again', t('We are still checking the file. Try again in a moment.')),
      );
    if (!isSendable(upload.summary)) throw notValid();
    const { id: template_id, template_type: notification_type, process_type } = template;
    const file = { key_type: upload.key_type, template_id, notification_type, process_type };
    const wanted_at = scheduled_for ?? timestamp(now);
    const opening = openingOfFile(service.sending_times, file, upload.summary.places, new Date(wanted_at));
    const starts_at = opening ? timestamp(opening) : scheduled_for;
    if (starts_at === null) await refuseTooManyJobs(tx, service.id);
    const { rows, problems, abroad, parts } = await countUploadRows(tx, upload_id);
    if (rows === problems || (problems > 0 && request.on_error !== 'skip')) throw notValid();
    const limited = scheduled_for === null && upload.key_type !== 'test';
    const stored = await insertJob(tx, {
      id: upload.id,
      service_id: service.id,
      template_id: template.id,
      template_version: template.version,
      notification_type: template.template_type,
      original_file_name: upload.original_file_name,
      status: starts_at === null ? 'pending' : 'scheduled',
      key_type: upload.key_type,
      api_key_id: upload.api_key_id,
      created_by_id: request.created_by_id,
      sender_id: upload.sender_id,
      contact_list_id: upload.contact_list_id ?? request.contact_list_id ?? null,
      client_reference: request.client_reference ?? null,
      row_count: rows,
      rows_skipped: problems,
      reserved_day: limited ? app.country.limitCalendar.day(now) : null,
      reserved: limited ? rows - problems : 0,
      reserved_international: limited ? abroad : 0,
      reserved_parts: limited && countsParts(app.country, service, template.template_type, now) ? parts : null,
      lane: laneOf(app, template, rows),
      scheduled_for: starts_at,
      wanted_at: opening ? wanted_at : null,
      created_at: timestamp(now),
    });
    await markUploadSent(tx, upload_id);
    await enqueueExpansion(app, tx, stored.id, starts_at === null ? undefined : new Date(starts_at));
    await request.alsoStore?.(tx, stored);
    return limited ? reserve(app, tx, request, stored, now) : stored;
  });
  app.log.info(
    { event: 'job.accepted', job: job.id, service: job.service_id, status: job.status, rows: job.row_count },
    'A file was accepted for sending',
  );
  return job;
}

export function notValid(): Failure {
  return invalid(
    forApi("File is not valid, can't create job", t('This file cannot be sent. Fix it and upload it again.')),
  );
}

async function templateOfUpload(app: JobDeps, service: SendingService, uploadId: string): Promise<TemplateRow> {
  const upload = await selectUpload(app.db, service.id, uploadId);
  if (!upload) throw notFound();
  if (upload.template_id === null || upload.template_version === null) throw notValid();
  const { template_id, template_version } = upload;
  const template = await findTemplateOfJob(app, { service_id: service.id, template_id, template_version });
  if (!template) throw notFound();
  refuseUnlessFilesAreSetUp(app, service, template.email_files.length > 0);
  return template;
}

async function refuseTooManyJobs(tx: Tx, serviceId: string): Promise<void> {
  await lockJobsOf(tx, serviceId);
  if ((await countUnfinishedJobs(tx, serviceId)) < maxUnfinishedJobs) return;
  throw new Failure(
    'too-many',
    'TooManyRequestsError',
    t('{max} files of this service are still being sent. Try again when one of them has finished.', {
      max: maxUnfinishedJobs,
    }),
    { headers: { 'retry-after': '60' } },
  );
}

/** Large files go to the bulk lane, whatever their template says. Small ones are not bulk sends. */
function laneOf(
  { config }: JobDeps,
  { template_type, process_type }: Pick<TemplateRow, 'template_type' | 'process_type'>,
  rows: number,
): number | null {
  if (template_type === 'letter') return null;
  if (rows >= config.bulk.laneFromRows) return lanes.bulk;
  return lanes[process_type === 'bulk' ? 'normal' : process_type];
}

async function reserve(app: JobDeps, tx: Tx, request: JobRequest, job: JobRow, now: Date): Promise<JobRow> {
  const { service } = request;
  const annual = annualQuotas(app.country, service, job.notification_type, () => now);
  const exceeded = await reserveMessages(tx, reservationOf(job), service.daily_limits, annual);
  if (!exceeded) return job;
  if (request.when_limit_exceeded !== 'record') throw request.when_limit_exceeded(exceeded, reservationOf(job));
  return updateJob(tx, job.id, limitsExceeded(now));
}

/** Returns what a job has reserved and not used. */
export function reservationOf(job: JobRow) {
  if (job.reserved_day === null) throw new Error('A job without a reservation');
  return {
    service_id: job.service_id,
    utc_day: job.reserved_day,
    channel: job.notification_type,
    messages: job.reserved,
    parts: job.reserved_parts,
    international: job.reserved_international,
    job: job.id,
  };
}

/** Returns unused reservations to the limits: to daily limits only while that day lasts, to annual limits always. */
export async function returnReservation(
  { country }: Pick<Platform, 'country'>,
  tx: Tx,
  job: JobRow,
  now: Date,
): Promise<void> {
  if (job.reserved_day === null) return;
  const { reserved: messages, reserved_parts: parts } = job;
  if (job.reserved_day === country.limitCalendar.day(now)) await returnMessages(tx, reservationOf(job));
  const isOnAcceptance = (job.wanted_at ?? job.scheduled_for ?? job.created_at) === job.created_at;
  const reservedAt = isOnAcceptance ? job.created_at : (job.processing_started ?? job.created_at);
  const { service_id, notification_type: channel } = job;
  await returnInYears(tx, country, { service_id, channel, at: new Date(reservedAt) }, { messages, parts });
}

export const nothingReserved = { reserved_day: null, reserved: 0, reserved_international: 0, reserved_parts: null };

export function limitsExceeded(now: Date) {
  const at = timestamp(now);
  return {
    status: 'sending limits exceeded' as const,
    processing_finished: at,
    updated_at: at,
    ...nothingReserved,
  };
}

/** Dependencies of accepting jobs and turning them into notifications. */
export type JobDeps = SendDeps & { config: { bulk: BulkSettings; guard: GuardSettings } };

/** The version that a job sends. Files of the newest version can change without a new one, so it is not read from the versions. */
export async function findTemplateOfJob(
  app: Pick<JobDeps, 'compiledTemplates'>,
  { service_id, template_id, template_version }: { service_id: string; template_id: string; template_version: number },
): Promise<TemplateRow | undefined> {
  const newest = await findTemplate(app, service_id, template_id);
  if (newest.found !== 'here') return undefined;
  if (newest.template.row.version === template_version) return newest.template.row;
  return (await app.compiledTemplates.findVersion(template_id, template_version, null, null))?.row;
}

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
      // It comes before letters to compose, of which there may be thousands.
      priority: -1,
      runAt,
    },
  );
}
