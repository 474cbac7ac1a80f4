import { type Static, Type } from 'typebox';
import type { ApiCaller } from '../../auth/api-caller.ts';
import type { Country } from '../../countries/country.ts';
import type { Header } from '../../libraries/spreadsheet/sheet.ts';
import type { WindowDeps } from '../../notifications/windows/placing.ts';
import { earlier, hour_ms, type Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { Failure, invalid, notFound } from '../../platform/failure.ts';
import { csvLine, csvLineAsUploaded } from '../../platform/http/csv.ts';
import { firstIdAt } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { Nullable, OneOf, Uuid } from '../../protocol/fields.ts';
import { RowCheck, showRow } from '../../recipients/spreadsheet/row-check.ts';
import type { JobDeps } from '../accept-job.ts';
import { cancelJob } from '../cancel-job.ts';
import { jobFields, jobValues } from '../job-record.ts';
import { selectJobStatistics } from '../jobs.sql.ts';
import { selectHeader } from '../reports/job-report.sql.ts';
import { problemsFile, rowsWithProblems } from '../uploads/stored-rows.ts';
import { findHeldUntil } from '../waiting-files.ts';
import { pagesOfResults, selectBulkSend, selectBulkSends } from './bulk-records.sql.ts';

const pageSize = 250;

const publicStatuses = [
  'pending',
  'scheduled',
  'in progress',
  'finished',
  'sending limits exceeded',
  'cancelled',
  'error',
] as const;

export const BulkJob = Type.Object(
  {
    ...jobFields,
    job_status: OneOf(publicStatuses),
    created_by: Type.Null(),
    api_key: Type.Object({ id: Uuid, name: Type.String(), key_type: OneOf(['normal', 'team', 'test']) }),
    sender_id: Nullable(Uuid),
  },
  { title: 'BulkJob' },
);
export type BulkJob = Static<typeof BulkJob>;

type Owner = Pick<ApiCaller, 'service_id' | 'key_type'>;
type Row = NonNullable<Awaited<ReturnType<typeof selectBulkSend>>>;
type Statistics = Awaited<ReturnType<typeof selectJobStatistics>>;

async function findBulkJob(app: WindowDeps, db: Db | Tx, owner: Owner, id: string): Promise<BulkJob | undefined> {
  const row = await selectBulkSend(db, owner, id);
  return row && bulkJob(row, await selectJobStatistics(db, [row.id]), await findHeldUntil(app, db, [row]));
}

export async function getBulkJob(app: WindowDeps, db: Db | Tx, owner: Owner, id: string): Promise<BulkJob> {
  const job = await findBulkJob(app, db, owner, id);
  if (!job) throw notFound();
  return job;
}

export async function listBulkJobs(app: WindowDeps, owner: Owner, older_than: string | undefined): Promise<BulkJob[]> {
  const { db } = app;
  if (older_than !== undefined && !(await selectBulkSend(db, owner, older_than))) {
    throw invalid(`older_than ${older_than} does not exist in database for service id ${owner.service_id}`);
  }
  const rows = await selectBulkSends(db, owner, { older_than, size: pageSize });
  const statistics = await selectJobStatistics(
    db,
    rows.map(({ id }) => id),
  );
  const held = await findHeldUntil(app, db, rows);
  return rows.map((row) => bulkJob(row, statistics, held));
}

function bulkJob(row: Row, statistics: Statistics, held: ReadonlyMap<string, Timestamp>): BulkJob {
  const { key_type, api_key_id, status } = row;
  if (api_key_id === null) throw new Error('A bulk send without a key');
  return {
    ...jobValues(row, statistics, held),
    job_status: status === 'finished all notifications created' ? 'finished' : status,
    created_by: null,
    api_key: { id: api_key_id, name: row.api_key_name, key_type },
    sender_id: row.sender_id,
  };
}

/** The names of the errors are those of the API of GC Notify. */
export async function cancelBulk(app: JobDeps, caller: ApiCaller, id: string): Promise<BulkJob> {
  const found = await findBulkJob(app, app.db, caller, id);
  if (!found) throw new Failure('not-found', 'JobNotFoundError', 'No result found');
  const { job, cancelled } = await cancelJob(app, caller.service_id, id);
  if (!cancelled) {
    throw job?.status === 'cancelled'
      ? new Failure('conflict', 'JobAlreadyCancelledError', 'This send has already been cancelled')
      : new Failure('conflict', 'JobCancellationNotAllowedError', 'This send has finished and cannot be cancelled');
  }
  return getBulkJob(app, app.db, caller, id);
}

/** Files about a send, which are streamed while they are created. */

export type FileFormat = 'csv' | 'ndjson';

const resultColumns = ['row', 'id', 'recipient', 'reference', 'status', 'updated_at'];

/** Yields one line for each message, in the order of the rows. */
export async function* resultsOf(db: Db, job: BulkJob, format: FileFormat): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(resultColumns);
  // The ids of its messages follow its creation, by the clock of another process.
  const firstId = firstIdAt(earlier(new Date(job.created_at), hour_ms));
  for await (const rows of pagesOfResults(db, job.id, firstId)) {
    const lines = rows.map(({ job_row_number, client_reference: reference, ...message }) => {
      const { id, recipient, status, updated_at } = message;
      const row = job_row_number + 1;
      return format === 'csv'
        ? csvLine([row, id, recipient, reference, status, updated_at])
        : jsonLine({ row, id, recipient, reference, status, updated_at });
    });
    yield lines.join('');
  }
}

/** Returns the rows that were not sent. CSV has all their cells, so that they can be corrected and sent again. */
export async function problemsOf(
  { db, country }: Platform,
  job: BulkJob,
  format: FileFormat,
): Promise<AsyncGenerator<string>> {
  const header = job.archived ? undefined : await selectHeader(db, job.id);
  if (!header) throw notFound();
  return format === 'csv'
    ? problemsFile(db, { id: job.id, header }, csvLineAsUploaded)
    : problemLines(db, country, job, header);
}

async function* problemLines(db: Db, country: Country, job: BulkJob, header: Header): AsyncGenerator<string> {
  const anyone = { internationalSms: true, landlines: true, internationalLetters: true };
  const template = { channel: job.template_type, placeholders: [], contentProblems: () => [] };
  const check = new RowCheck(country, header, template, anyone);
  for await (const rows of rowsWithProblems(db, job.id)) {
    const lines = rows.map(({ index, cells, problems }) => {
      const { recipient } = check.check(index, cells);
      const shown = showRow(check.columns, cells, { index, recipient, problems: [] });
      return jsonLine({ row: shown.row, recipient, cells: shown.cells, problems });
    });
    yield lines.join('');
  }
}

const jsonLine = (value: object) => `${JSON.stringify(value)}\n`;
