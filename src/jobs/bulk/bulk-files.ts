import { earlier, hour_ms } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/failure.ts';
import { csvLine, csvLineAsUploaded } from '../../platform/http/csv.ts';
import { firstIdAt } from '../../platform/id.ts';
import { RowCheck, showRow } from '../../recipients/spreadsheet/row-check.ts';
import type { Header } from '../../recipients/spreadsheet/sheet.ts';
import { selectHeader } from '../reports/job-report.sql.ts';
import { problemsFile, rowsWithProblems } from '../uploads/problems-file.ts';
import { pagesOfResults } from './bulk-files.sql.ts';
import type { BulkJob } from './bulk-records.ts';

/** Files about a send. They are made piece by piece, while they are downloaded. */

export type FileFormat = 'csv' | 'ndjson';

const resultColumns = ['row', 'id', 'recipient', 'reference', 'status', 'updated_at'];

/** One line for each message, in the order of the rows. */
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

/** The rows that were not sent. As CSV with all their cells, so that they can be corrected and sent again. */
export async function problemsOf(db: Db, job: BulkJob, format: FileFormat): Promise<AsyncGenerator<string>> {
  const header = job.archived ? undefined : await selectHeader(db, job.id);
  if (!header) throw notFound();
  return format === 'csv' ? problemsFile(db, { id: job.id, header }, csvLineAsUploaded) : problemLines(db, job, header);
}

async function* problemLines(db: Db, job: BulkJob, header: Header): AsyncGenerator<string> {
  const anyone = { internationalSms: true, landlines: true, internationalLetters: true };
  const template = { channel: job.template_type, placeholders: [], contentProblems: () => [] };
  const check = new RowCheck(header, template, anyone);
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
