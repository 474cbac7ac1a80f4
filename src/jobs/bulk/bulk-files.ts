import { earlier, hour_ms } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/failure.ts';
import { csvLine, csvLineAsUploaded } from '../../platform/http/csv.ts';
import { firstIdAt } from '../../platform/id.ts';
import { RowCheck, showRow } from '../../recipients/spreadsheet/row-check.ts';
import type { Header, SheetCell } from '../../recipients/spreadsheet/sheet.ts';
import { selectHeader } from '../reports/job-report.sql.ts';
import { chunksWithProblems } from './bulk-chunks.sql.ts';
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
  return problemLines(db, job, header, format);
}

async function* problemLines(db: Db, job: BulkJob, header: Header, format: FileFormat): AsyncGenerator<string> {
  const { names } = header;
  if (format === 'csv') yield csvLineAsUploaded(['Row number', ...names, 'Problem']);
  const anyone = { internationalSms: true, landlines: true, internationalLetters: true };
  const template = { channel: job.template_type, placeholders: [], contentProblems: () => [] };
  const check = new RowCheck(header, template, anyone);
  for await (const { first_row, cells, problems: described } of chunksWithProblems(db, job.id)) {
    const lines = described.map(({ row: index, problems }) => {
      const row = cells[index - first_row] ?? [];
      if (format === 'csv') {
        const texts = problems.map(({ column, problem }) => (column === null ? problem : `${column}: ${problem}`));
        return csvLineAsUploaded([String(index + 2), ...names.map((_, at) => textOf(row[at])), texts.join('; ')]);
      }
      const { recipient } = check.check(index, row);
      return jsonLine({ ...showRow(check.columns, row, { index, recipient, problems: [] }), problems });
    });
    yield lines.join('');
  }
}

function textOf(cell: SheetCell | undefined): string {
  return typeof cell === 'object' ? cell.join(', ') : (cell ?? '');
}

const jsonLine = (value: object) => `${JSON.stringify(value)}\n`;
