import type { Selectable } from 'kysely';
import type { SheetCell } from '../../libraries/spreadsheet/sheet.ts';
import { statusesInFilter } from '../../notifications/history/activity.ts';
import {
  type ExportRow,
  exportJobActivity,
  listJobActivity,
  statusLabel,
} from '../../notifications/history/activity-export.ts';
import { type ActivityRecord, templatesOf } from '../../notifications/history/activity-record.ts';
import type { PublicStatus } from '../../notifications/history/public-notification.ts';
import type { Status } from '../../notifications/notification.ts';
import { earlier, hour_ms } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import type { DB } from '../../platform/db/schema.ts';
import { notFound } from '../../platform/failure.ts';
import { csvLine, csvLineAsUploaded } from '../../platform/http/csv.ts';
import { firstIdAt } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import { defaultRetentionDays, findRetention, firstKeptId } from '../../services/settings/data-retention.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import {
  chunksOf,
  countByStatistics,
  countMessages,
  selectHeader,
  selectJobOfService,
  selectMessagesOfRows,
} from './job-report.sql.ts';

interface CsvFile {
  name: string;
  parts: AsyncIterable<string>;
}

/** Returns the columns of the file and, for each row, the status of its message. */
export async function reportOfJob(app: Platform, serviceId: string, jobId: string): Promise<CsvFile> {
  const { job, header } = await fileOfJob(app, serviceId, jobId);
  const templateOf = await templatesOf(app.db, [job]);
  const template = templateOf(job);
  return {
    name: `${template.name} - ${app.country.calendar.day(new Date(job.created_at))}.csv`,
    parts: reportLines(app, job, header.names, template.name),
  };
}

async function* reportLines(
  app: Platform,
  job: Selectable<DB['jobs']>,
  names: readonly string[],
  templateName: string,
): AsyncGenerator<string> {
  const { calendar } = app.country;
  const columns = columnsOf(names);
  yield csvLine(['Row number', ...columns.keys(), 'Template', 'Type', 'Job', 'Status', 'Time']);
  // The ids of the messages are later than the creation of their job.
  const firstId = firstIdAt(earlier(new Date(job.created_at), hour_ms));
  for await (const chunk of chunksOf(app.db, job.id, 'expanded')) {
    const messages = await selectMessagesOfRows(app.db, job.id, chunk, firstId);
    const lines = messages.map(({ job_row_number, status, created_at }) => {
      const cells = chunk.cells[job_row_number - chunk.first_row] ?? [];
      return csvLine([
        job_row_number + 1,
        ...[...columns.values()].map((positions) => joined(positions.map((position) => cells[position] ?? ''))),
        ...[templateName, job.notification_type, job.original_file_name],
        ...[statusLabel(job.notification_type, status), calendar.time(new Date(created_at))],
      ]);
    });
    if (lines.length > 0) yield lines.join('');
  }
}

/** The positions of each name: a repeated column is a list. */
function columnsOf(names: readonly string[]): Map<string, number[]> {
  const columns = new Map<string, number[]>();
  for (const [position, name] of names.entries()) columns.set(name, [...(columns.get(name) ?? []), position]);
  return columns;
}

function joined(cells: readonly SheetCell[]): string {
  return cells
    .flat()
    .filter((text) => text !== '')
    .join(', ');
}

/** Returns the file as it was read, always as CSV. */
export async function originalOfJob(app: Platform, serviceId: string, jobId: string): Promise<CsvFile> {
  const { job, header } = await fileOfJob(app, serviceId, jobId);
  const name = job.original_file_name.replace(/\.[^.]*$/, '');
  return { name: `${name}.csv`, parts: originalLines(app.db, job.id, header.names) };
}

export async function* originalLines(db: Db, uploadId: string, names: readonly string[]): AsyncGenerator<string> {
  yield csvLineAsUploaded(names);
  for await (const { cells } of chunksOf(db, uploadId, 'all')) {
    yield cells
      .map((row) => {
        const width = Math.max(names.length, row.length);
        return csvLineAsUploaded(Array.from({ length: width }, (_, position) => joined([row[position] ?? ''])));
      })
      .join('');
  }
}

/** The rows of a job are deleted with its messages. */
async function fileOfJob({ db }: Platform, serviceId: string, jobId: string) {
  const job = await selectJobOfService(db, serviceId, jobId);
  const header = job && !job.archived ? await selectHeader(db, job.id) : undefined;
  if (!job || !header) throw notFound();
  return { job, header };
}

type Deps = Platform & { compiledTemplates: CompiledTemplates };

interface Query {
  status?: PublicStatus[];
  template_type?: Channel[];
  page: number;
  page_size: number;
  format_for_csv: boolean;
}

interface PageOfJob {
  notifications: (ActivityRecord | ExportRow)[];
  total: number;
  pages: number;
}

/** Returns a page of a job's notifications, in the order of its file. The page of an unknown job is empty. */
export async function pageOfJob(
  app: Deps,
  serviceId: string,
  jobId: string,
  { status, template_type, page, page_size, format_for_csv }: Query,
): Promise<PageOfJob> {
  await refuseUnlessExists(app.db, 'services', serviceId);
  const job = await selectJobOfService(app.db, serviceId, jobId);
  const isWanted = job && (!template_type?.length || template_type.includes(job.notification_type));
  const statuses = statusesInFilter(status);
  const total = isWanted ? await countOfJob(app, job, statuses) : 0;
  const pages = Math.max(1, Math.ceil(total / page_size));
  if (page > pages) throw notFound();
  if (total === 0) return { notifications: [], total, pages };
  const list = format_for_csv ? exportJobActivity : listJobActivity;
  const place = { size: page_size, skip: (page - 1) * page_size };
  return { notifications: await list(app, serviceId, { job_id: jobId, statuses }, place), total, pages };
}

/** The statistics are exact until the first messages of the job are deleted; then few are left to count. */
async function countOfJob(app: Platform, job: Selectable<DB['jobs']>, statuses: Status[] | undefined): Promise<number> {
  const { notification_type } = job;
  const rule = await findRetention(app.db, job.service_id, { notification_type });
  const firstKept = firstKeptId(app.country.calendar, app.clock.now(), rule?.days_of_retention ?? defaultRetentionDays);
  const count = firstIdAt(new Date(job.created_at)) >= firstKept ? countByStatistics : countMessages;
  return count(app.db, job.id, statuses);
}
