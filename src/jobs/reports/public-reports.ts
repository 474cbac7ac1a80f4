import type { ApiCaller } from '../../auth/api-caller.ts';
import type { Calendar } from '../../countries/calendar.ts';
import { statusLabel } from '../../notifications/history/activity-export.ts';
import { templatesOf } from '../../notifications/history/activity-record.ts';
import { type ReportLayout, recipientInReport, reportActivity } from '../../notifications/history/search-messages.ts';
import type { Status } from '../../notifications/notification.ts';
import { day_ms, earlier, hour_ms, later, timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { Failure, invalid, notFound } from '../../platform/failure.ts';
import { csvLine } from '../../platform/http/csv.ts';
import { firstIdAt, newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import { pagesOfResults } from '../bulk/bulk-records.sql.ts';
import { selectJobOfService } from './job-report.sql.ts';
import {
  insertReportRequest,
  lockReportRequestsOf,
  type ReportRequestRow,
  selectReportRequest,
  selectReportsOfKeys,
} from './report-requests.sql.ts';
import { keptFor_ms, prepareReport } from './report-requests.ts';

export const languages = ['en', 'fr'] as const;
type Language = (typeof languages)[number];

export const reportTypes = ['sms', 'email', 'job'] as const;

interface PublicReportRequest {
  report_type: (typeof reportTypes)[number];
  language: Language;
  job_id?: string | null;
}

const pageSize = 250;
const maxPerHour = 10;
/** A report covers the messages of the last days. */
const coveredDays = 7;

export function refuseUnlessReportManager({ manage_reports }: ApiCaller): void {
  if (manage_reports) return;
  throw new Failure('forbidden', 'ForbiddenError', 'This API key does not have permission to manage reports.');
}

export function requestPublicReport(
  app: Platform,
  { service_id, api_key_id }: ApiCaller,
  { report_type, language, job_id = null }: PublicReportRequest,
  user_id: string,
): Promise<ReportRequestRow> {
  const now = app.clock.now();
  return inTransaction(app.db, async (tx) => {
    await lockReportRequestsOf(tx, service_id);
    await refuseIfTooMany(tx, service_id, now);
    const subject =
      report_type === 'job'
        ? { job_id, notification_type: await channelOfJob(tx, service_id, job_id ?? '') }
        : { job_id: null, notification_type: report_type };
    const id = newId(now);
    const row = await insertReportRequest(tx, {
      ...subject,
      ...{ id, service_id, user_id, api_key_id, language },
      notification_status: 'all',
      status: 'pending',
      created_at: timestamp(now),
    });
    await app.queue.add(tx, prepareReport, { report_request_id: id });
    return row;
  });
}

async function channelOfJob(tx: Tx, serviceId: string, jobId: string): Promise<Channel> {
  const job = await selectJobOfService(tx, serviceId, jobId);
  if (!job) throw invalid('job_id not found');
  return job.notification_type;
}

async function refuseIfTooMany(tx: Tx, serviceId: string, now: Date): Promise<void> {
  const since = timestamp(earlier(now, hour_ms));
  const recent = await selectReportsOfKeys(tx, serviceId, { since, size: maxPerHour });
  const oldest = recent.at(-1);
  if (!oldest || recent.length < maxPerHour) return;
  const free_ms = new Date(oldest.created_at).getTime() + hour_ms;
  const text = `Maximum ${maxPerHour} report requests per hour`;
  throw new Failure('too-many', 'RateLimitExceeded', text, {
    headers: {
      'retry-after': String(Math.max(1, Math.ceil((free_ms - now.getTime()) / 1000))),
      'x-ratelimit-limit': String(maxPerHour),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(free_ms / 1000)),
    },
  });
}

export async function listPublicReports(db: Db, { service_id }: ApiCaller, older_than?: string) {
  return (await selectReportsOfKeys(db, service_id, { older_than, size: pageSize })).map(publicReport);
}

export async function getPublicReport(db: Db, { service_id }: ApiCaller, id: string) {
  return publicReport(await getRow(db, service_id, id));
}

async function getRow(db: Db, serviceId: string, id: string): Promise<ReportRequestRow> {
  const row = await selectReportRequest(db, serviceId, id, 'key');
  if (!row) throw notFound();
  return row;
}

export const publicStatuses = ['requested', 'generating', 'ready', 'error'] as const;

function publicStatus({ status }: ReportRequestRow): (typeof publicStatuses)[number] {
  const [requested, generating, ready, error] = publicStatuses;
  switch (status) {
    case 'pending':
      return requested;
    case 'in progress':
      return generating;
    case 'stored':
      return ready;
    default:
      return error;
  }
}

function publicReport(row: ReportRequestRow) {
  const { id, service_id, notification_type, job_id, api_key_id, created_at, updated_at } = row;
  const isReady = row.status === 'stored';
  return {
    id,
    report_type: job_id === null ? (notification_type as 'sms' | 'email') : ('job' as const),
    service_id,
    status: publicStatus(row),
    requested_at: created_at,
    completed_at: isReady ? updated_at : null,
    expires_at: isReady ? timestamp(later(new Date(created_at), keptFor_ms)) : null,
    api_key_id,
  };
}

/** Downloads the messages that were accepted before the report was requested, or those of a job. */
export async function downloadPublicReport(app: Platform, serviceId: string, id: string) {
  const row = await getRow(app.db, serviceId, id);
  if (row.status !== 'stored') {
    const text = `Report is not ready for download (status: ${publicStatus(row)})`;
    throw new Failure('conflict', 'BadRequestError', text);
  }
  const language = row.language ?? 'en';
  const requested = new Date(row.created_at);
  const range = {
    first_id: firstIdAt(earlier(requested, coveredDays * day_ms)),
    end_id: firstIdAt(later(requested, 1)),
  };
  const filter = { types: [row.notification_type], key_types: ['normal', 'team'] as const };
  return {
    name: `${row.id}.csv`,
    parts:
      row.job_id === null
        ? reportActivity(app, serviceId, filter, range, undefined, layoutIn(language))
        : jobLines(app, serviceId, row.job_id, language),
  };
}

const headings = {
  row: { en: 'Row number', fr: 'Numéro de ligne' },
  recipient: { en: 'Recipient', fr: 'Destinataire' },
  template: { en: 'Template', fr: 'Gabarit' },
  type: { en: 'Type', fr: 'Type' },
  sentBy: { en: 'Sent by', fr: 'Envoyé par' },
  sentByEmail: { en: 'Sent by email', fr: 'Envoyé par courriel' },
  job: { en: 'Job', fr: 'Tâche' },
  status: { en: 'Status', fr: 'État' },
  sentTime: { en: 'Sent Time', fr: 'Heure d’envoi' },
} satisfies Record<string, Record<Language, string>>;

function headingsOf(names: (keyof typeof headings)[], language: Language): string[] {
  return names.map((name) => headings[name][language]);
}

function layoutIn(language: Language): ReportLayout {
  return {
    header: headingsOf(
      ['recipient', 'template', 'type', 'sentBy', 'sentByEmail', 'job', 'status', 'sentTime'],
      language,
    ),
    cells: (message, calendar) => [
      recipientInReport(message),
      ...[message.template_name, message.notification_type],
      ...[message.created_by_name, message.created_by_email_address, message.job_name],
      ...statusAndTime(message.notification_type, message, calendar),
    ],
  };
}

async function* jobLines(app: Platform, serviceId: string, jobId: string, language: Language): AsyncGenerator<string> {
  yield csvLine(headingsOf(['row', 'recipient', 'template', 'type', 'job', 'status', 'sentTime'], language));
  const job = await selectJobOfService(app.db, serviceId, jobId);
  if (!job) return;
  const { notification_type, original_file_name } = job;
  const { name } = (await templatesOf(app.db, [job]))(job);
  // The ids of its messages follow its creation, by the clock of another process.
  const firstId = firstIdAt(earlier(new Date(job.created_at), hour_ms));
  for await (const rows of pagesOfResults(app.db, job.id, firstId)) {
    const lines = rows.map((row) => [
      ...[row.job_row_number + 1, recipientInReport({ notification_type, recipient: row.recipient })],
      ...[name, notification_type, original_file_name],
      ...statusAndTime(notification_type, row, app.country.calendar),
    ]);
    yield lines.map(csvLine).join('');
  }
}

function statusAndTime(
  type: Channel,
  { status, sent_at }: { status: Status; sent_at: string | null },
  calendar: Calendar,
): [string, string] {
  return [statusLabel(type, status), sent_at === null ? '' : calendar.time(new Date(sent_at))];
}
