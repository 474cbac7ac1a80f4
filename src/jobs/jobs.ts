import { addDays } from '../countries/calendar.ts';
import { forApi, t } from '../language/text.ts';
import { refusalOfGuard } from '../notifications/guard/guard.ts';
import { parseMoment, readScheduledTime } from '../notifications/sending/scheduled-time.ts';
import type { WindowDeps } from '../notifications/windows/placing.ts';
import { day_ms, type Timestamp, timestamp } from '../platform/clock.ts';
import { refuseUnlessExists, selectUnknownIds } from '../platform/db/exists.ts';
import { Failure, forbidden, invalid, invalidField, notFound } from '../platform/failure.ts';
import { isUuid } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { countFileProblems, type FileSummary } from '../recipients/spreadsheet/file-problems.ts';
import { findTemplate } from '../templates/compiled-templates.ts';
import { acceptJob, type JobDeps, notValid } from './accept-job.ts';
import { cancelJob } from './cancel-job.ts';
import { hasContactList } from './contact-lists/contact-lists.sql.ts';
import { jobRecords } from './job-record.ts';
import { countJobs, type JobFilter, selectJobs, selectRecordedJob, selectServiceState } from './jobs.sql.ts';
import { selectUpload } from './uploads/uploads.sql.ts';

const jobPageSize = 50;

export interface CreateJobRequest {
  id?: unknown;
  created_by?: unknown;
  scheduled_for?: unknown;
  contact_list_id?: unknown;
  on_error?: unknown;
}

/** The order of the refusals is part of the API. */
export async function createJob(app: JobDeps, serviceId: string, request: CreateJobRequest) {
  const state = await selectServiceState(app.db, serviceId);
  if (!state) throw notFound();
  // The trailing spaces of these texts are part of the API.
  if (!state.active)
    throw forbidden(
      forApi(
        'Create job is not allowed: service is inactive ',
        t('This service is suspended, so it cannot send. Ask the people who run this Pennypost.'),
      ),
    );
  const uploadId = readId(request.id);
  const upload = await selectUpload(app.db, serviceId, uploadId);
  if (!upload || upload.state === 'receiving') throw notFound();
  if (upload.template_id === null) throw notValid();
  const template = await findTemplate(app, serviceId, upload.template_id);
  if (template.found !== 'here') throw notFound();
  if (template.template.row.template_type === 'letter' && state.restricted) {
    throw forbidden(
      forApi(
        'Create letter job is not allowed for service in trial mode ',
        t('Your service is in trial mode, so it cannot send letters yet. Ask to go live.'),
      ),
    );
  }
  if (upload.state === 'sent') throw invalid('This upload has already been sent');
  const on_error = request.on_error === 'skip' ? 'skip' : 'reject';
  if (!isValid(upload.summary, on_error)) throw notValid();
  if (template.template.row.archived) throw invalidField('template', 'Template has been deleted');
  const fields = await readFields(app, serviceId, request);
  const service = await app.sending.services.find(serviceId);
  if (!service) throw notFound();
  const refusal = refusalOfGuard(app, service, {
    notification_type: template.template.row.template_type,
    key_type: upload.key_type,
  });
  if (refusal) throw refusal;
  await acceptJob(app, { service, upload_id: upload.id, on_error, ...fields, when_limit_exceeded: 'record' });
  return getJob(app, serviceId, upload.id);
}

/** Limits are not checked here: a job that exceeds them is stored with that status. */
function isValid(summary: FileSummary | null, on_error: 'reject' | 'skip'): boolean {
  if (summary === null) return false;
  return countFileProblems(summary).every(([problem]) => on_error === 'skip' && problem === 'row-errors');
}

function readId(id: unknown): string {
  if (id === undefined) throw invalidField('id', 'Missing data for required field.');
  if (id === null) throw invalidField('id', 'Field may not be null.');
  if (!isUuid(id)) throw invalidField('id', 'Not a valid UUID.');
  return id.toLowerCase();
}

const schedulingLimit = {
  maxAhead_ms: 7 * day_ms,
  past: 'Date cannot be in the past',
  tooLate: 'Datetime can only be up to 7 days in the future',
};

/** Reports all fields at once. */
async function readFields(
  app: JobDeps,
  serviceId: string,
  { created_by, scheduled_for, contact_list_id, on_error }: CreateJobRequest,
) {
  const problems: Record<string, string[]> = {};
  if (created_by === undefined) problems.created_by = ['Missing data for required field.'];
  else if (created_by === null) problems.created_by = ['Field may not be null.'];
  else if (!isUuid(created_by)) problems.created_by = ['Not a valid UUID.'];
  let at: Timestamp | null = null;
  if (scheduled_for !== undefined && scheduled_for !== null) {
    const read = readTime(scheduled_for, app.clock.now());
    if ('problem' in read) problems.scheduled_for = [read.problem];
    else at = read.at;
  }
  const list = contact_list_id ?? null;
  if (list !== null && !isUuid(list)) problems.contact_list_id = ['Not a valid UUID.'];
  if (on_error !== undefined && on_error !== 'skip' && on_error !== 'reject') {
    problems.on_error = ['Must be one of: reject, skip.'];
  }
  if (Object.keys(problems).length > 0) throw new Failure('invalid', 'ValidationError', problems);
  const user = String(created_by);
  const unknown = await selectUnknownIds(app.db, [{ field: 'created_by', table: 'users', id: user }]);
  if (unknown.length > 0) throw invalidField('created_by', 'No result found');
  if (list !== null && !(await hasContactList(app.db, serviceId, String(list)))) {
    throw invalidField('contact_list_id', 'No result found');
  }
  return { created_by_id: user, scheduled_for: at, contact_list_id: list === null ? null : String(list) };
}

function readTime(value: unknown, now: Date): { at: Timestamp } | { problem: string } {
  if (typeof value !== 'string' || !parseMoment(value)) return { problem: 'Not a valid datetime.' };
  return readScheduledTime(value, now, schedulingLimit);
}

export async function getJob(app: WindowDeps, serviceId: string, jobId: string) {
  const job = await selectRecordedJob(app.db, serviceId, jobId);
  const [record] = await jobRecords(app, job ? [job] : []);
  if (!record) throw notFound();
  return record;
}

interface ListQuery extends Pick<JobFilter, 'statuses' | 'contact_list_id'> {
  page: number;
  limit_days?: number;
}

export async function listJobs(app: WindowDeps, serviceId: string, query: ListQuery) {
  await refuseUnlessExists(app.db, 'services', serviceId);
  const { page, limit_days, ...filter } = query;
  const created_since = limit_days === undefined ? undefined : timestamp(midnightBefore(app, limit_days));
  const wanted = { ...filter, created_since };
  const total = await countJobs(app.db, serviceId, wanted);
  const pages = Math.max(1, Math.ceil(total / jobPageSize));
  if (page > pages) throw notFound();
  const rows = await selectJobs(app.db, serviceId, wanted, { size: jobPageSize, skip: (page - 1) * jobPageSize });
  return { data: await jobRecords(app, rows), page_size: jobPageSize, total, pages };
}

function midnightBefore({ clock, country: { calendar } }: Platform, days: number): Date {
  return calendar.start(addDays(calendar.day(clock.now()), -days));
}

export async function cancelJobOfAdmin(app: JobDeps, serviceId: string, jobId: string) {
  const { cancelled } = await cancelJob(app, serviceId, jobId);
  if (!cancelled) throw notFound();
  return getJob(app, serviceId, jobId);
}

/** A page number, or the size of a page; `format: integer-text` has checked that it is an integer. */
export function readPage(field: 'page' | 'page_size', text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (number < 1) throw invalidField(field, 'Not a positive integer');
  return number;
}

/** More days than any record is old; a calendar has no day much further back. */
const maxDays = 36_500;

export function readDays(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^-?\d+$/.test(text)) throw invalidField('limit_days', `${text} is not an integer`);
  return Math.min(Math.max(Number(text), -maxDays), maxDays);
}
