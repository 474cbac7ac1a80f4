import { posix } from 'node:path';
import { isDay } from '../../countries/calendar.ts';
import { openDelimitedText } from '../../libraries/spreadsheet/delimited-text.ts';
import { megabytes, type SheetCell } from '../../libraries/spreadsheet/sheet.ts';
import { SpreadsheetError } from '../../libraries/spreadsheet/spreadsheet-error.ts';
import type { Platform } from '../../platform/platform.ts';
import { isDatetime } from '../../protocol/fields.ts';
import { defaultLimits } from '../../recipients/spreadsheet/limits.ts';
import { maxReferences, recordReturnedLetters } from '../returned/returned-letters.ts';
import type { PrintSettings } from '../settings.ts';
import {
  jobStatuses,
  mailingProducts,
  type PrinterReport,
  postageClasses,
  recordPrinterReports,
  sheetsPattern,
} from './despatch.ts';
import { referencePattern } from './print-provider.ts';
import { selectPrintedLetters } from './print-run.sql.ts';
import { type RemoteFile, SftpConnection } from './sftp-connection.ts';

type Deps = Platform & { config: { letters: PrintSettings } };

/** Max folder entries per run. Files are moved away after reading, so the next run sees others. */
const maxEntries = 10_000;
/** A file changed within this time may still be growing. */
const quiet_ms = 60_000;
const recordedAtOnce = 500;

/** Excludes paths, hidden files, and temporary names with other extensions such as `.part`. */
const reportName = /^[A-Za-z0-9_][A-Za-z0-9_. -]{0,150}\.csv$/i;

/**
 * Reads the reports that the printer puts on its server. A file is moved after its rows are stored. If the process ends in between, the
 * file is read again, which changes nothing.
 */
export async function readReportFiles(app: Deps): Promise<void> {
  const { sftpReportsFolder: folder } = app.config.letters;
  if (folder === undefined) return;
  const connection = await SftpConnection.open(app.config.letters);
  try {
    const files = await listReports(app, connection, folder);
    if (files.length === 0) return;
    const [done, quarantine] = reportFolders(folder);
    for (const target of [done, quarantine]) await connection.createFolder(target);
    const serverTime = await connection.tryToWrite(done);
    const complete = files.filter(({ modifiedAt }) => serverTime.getTime() - modifiedAt.getTime() >= quiet_ms);
    await takeReports(app, connection, folder, complete);
  } finally {
    await connection.close();
  }
}

/** Returns the folders for files that were read, and for files that cannot be read. */
export function reportFolders(folder: string): [done: string, quarantine: string] {
  return [posix.join(folder, 'done'), posix.join(folder, 'quarantine')];
}

/** Lists the oldest first, because a letter is posted before it is returned. */
async function listReports(app: Deps, connection: SftpConnection, folder: string): Promise<RemoteFile[]> {
  const files = new Map<string, RemoteFile>();
  let entries = 0;
  let refused = 0;
  for await (const file of connection.list(folder, maxEntries)) {
    entries++;
    if (file.regular && reportName.test(file.name)) files.set(file.name, file);
    else if (/\.csv$/i.test(file.name)) refused++;
  }
  if (refused > 0 || entries === maxEntries) {
    app.log.warn(
      { event: 'printer_report.ignored', refused, entries },
      'The folder of printer reports has .csv entries that are no files or have unusual names, or too many entries',
    );
  }
  return [...files.values()].sort((a, b) => a.modifiedAt.getTime() - b.modifiedAt.getTime());
}

/** Continues after a file that cannot be fetched, so that it does not block the others. */
async function takeReports(app: Deps, connection: SftpConnection, folder: string, files: RemoteFile[]): Promise<void> {
  const failures: { file: string; err: unknown }[] = [];
  for (const file of files) {
    if (!connection.isOpen) break;
    await takeReport(app, connection, folder, file).catch((err) => failures.push({ file: file.name, err }));
  }
  const [first] = failures;
  if (!first) return;
  app.log.error(
    { event: 'printer_report.failed', failures: failures.length, ...first },
    'Reports of the printer could not be taken: they are tried again',
  );
  throw first.err;
}

async function takeReport(app: Deps, connection: SftpConnection, folder: string, file: RemoteFile): Promise<void> {
  const path = posix.join(folder, file.name);
  const [done, quarantine] = reportFolders(folder);
  // The printer may reuse a name.
  const name = `${app.clock.now().toISOString().replace(/\D/g, '').slice(0, 14)}.${file.name}`;
  try {
    const report = await fetchReport(app, connection, path, file);
    if (!report) return;
    await storeReport(app, file.name, report);
    await connection.move(path, posix.join(done, name));
    files(app.metrics).inc({ outcome: 'stored' });
  } catch (error) {
    if (!(error instanceof ReportFileError)) throw error;
    const { problems } = error;
    const text = [`${file.name} was not read. Nothing in it was recorded. Correct it and put it back.`, ...problems];
    await connection.replace(posix.join(quarantine, `${name}.txt`), Buffer.from(`${text.join('\n')}\n`), false);
    await connection.move(path, posix.join(quarantine, name));
    files(app.metrics).inc({ outcome: 'quarantined' });
    app.log.error(
      { event: 'printer_report.quarantined', file: file.name, problem: problems[0] },
      'A report of the printer could not be read: see the text file beside it in the folder quarantine',
    );
  }
}

/** Returns undefined if the file does not have its listed length, because it is still being written. */
async function fetchReport(app: Deps, connection: SftpConnection, path: string, { size_bytes }: RemoteFile) {
  if (size_bytes > maxReportBytes) throw new ReportFileError([tooLarge]);
  const content = await connection.read(path, maxReportBytes + 1);
  return content.length === size_bytes ? readReportFile(content, app.country.calendar.day(app.clock.now())) : undefined;
}

/** Skips unknown letters: the printer may also print for others, or report a deleted letter. */
async function storeReport(app: Deps, file: string, { despatches, returned }: ReportFile): Promise<void> {
  const references = [...despatches.keys(), ...returned];
  const letters = await selectPrintedLetters(app.db, references);
  const reports = [...despatches].flatMap(([reference, report]) => {
    const notification_id = letters.get(reference);
    return notification_id === undefined ? [] : { ...report, notification_id };
  });
  let recorded = returned.size > 0 ? await recordReturnedLetters(app, [...returned]) : 0;
  for (let start = 0; start < reports.length; start += recordedAtOnce) {
    recorded += await recordPrinterReports(app, reports.slice(start, start + recordedAtOnce));
  }
  const unknown = references.length - letters.size;
  const line = { event: 'printer_report.stored', file, letters: references.length, recorded, unknown };
  app.log[unknown > 0 ? 'warn' : 'info'](line, 'A report of the printer was read');
}

/** Starts at 0, so that the first file in quarantine is an increase. */
export function measureReportFiles({ metrics }: Platform): void {
  for (const outcome of ['stored', 'quarantined']) files(metrics).inc({ outcome }, 0);
}

function files(metrics: Deps['metrics']) {
  return metrics.counter('printer_report_files_total', 'Files with reports of the printer, by outcome', ['outcome']);
}

/** Why a report file cannot be read, for the printer's staff to correct. */
class ReportFileError extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(problems[0]);
    this.problems = problems;
  }
}

/** The contents of one of the two kinds of reports, without duplicate letters. */
interface ReportFile {
  despatches: Map<string, Omit<PrinterReport, 'notification_id'>>;
  returned: Set<string>;
}

const maxReportBytes = 5 * 1024 * 1024;
const limits = {
  ...defaultLimits,
  textBytes: maxReportBytes,
  textRows: maxReferences,
  textColumns: 100,
  rowCharacters: 10_000,
};
const maxProblems = 20;

/** Returns the problem of a value as the end of a sentence. */
type Check = (value: string, row: Record<string, string>, today: string) => string | undefined;

const reference = matching(referencePattern, 'must be 16 capital letters and digits');
const kinds: Record<'despatches' | 'returned', Record<string, Check>> = {
  despatches: {
    reference,
    jobStatus: oneOf(jobStatuses),
    transitionDate: (value) => (isDatetime(value) ? undefined : 'must be a datetime such as 2026-07-02T14:30:00Z'),
    totalSheets: whenPosted(matching(sheetsPattern, 'must be a whole number')),
    postageClass: whenPosted(oneOf(postageClasses)),
    mailingProduct: whenPosted(oneOf(mailingProducts)),
  },
  returned: {
    reference,
    returnedDate: (value, _row, today) =>
      isDay(value) && value <= today ? undefined : 'must be a day such as 2026-07-02, and not in the future',
  },
};

/** Reads and checks a whole file first, so that a file with a problem changes nothing. */
async function readReportFile(content: Uint8Array, today: string): Promise<ReportFile> {
  if (content.length > maxReportBytes) throw new ReportFileError([tooLarge]);
  const report: ReportFile = { despatches: new Map(), returned: new Set() };
  const problems: string[] = [];
  try {
    const { header, batches } = await openDelimitedText(inOnePiece(content), 'csv', { limits });
    const names = header.names.map((name) => name.trim());
    const kind = kindOf(names);
    for await (const { firstRow, rows } of batches) {
      for (const [index, cells] of rows.entries()) {
        const row = rowOf(names, cells);
        const found = problemsOf(row, cells.length > names.length, kinds[kind], today);
        problems.push(...found.map((problem) => `Row ${firstRow + index + 2}: ${problem}`));
        if (problems.length >= maxProblems) throw new ReportFileError(problems);
        addRow(report, kind, row);
      }
    }
  } catch (error) {
    throw error instanceof SpreadsheetError ? new ReportFileError([...problems, error.message]) : error;
  }
  if (problems.length > 0) throw new ReportFileError(problems);
  return report;
}

const tooLarge = new SpreadsheetError('too-large', { limit: megabytes(maxReportBytes) }).message;

async function* inOnePiece(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

/** The header determines the kind of report. */
function kindOf(names: string[]): keyof typeof kinds {
  for (const kind of ['despatches', 'returned'] as const) {
    const columns = Object.keys(kinds[kind]);
    if (names.length === columns.length && columns.every((column) => names.includes(column))) return kind;
  }
  const [despatches, returned] = Object.values(kinds).map((columns) => Object.keys(columns).join(','));
  throw new ReportFileError([
    `Row 1: the columns must be ${despatches} for letters that were posted or rejected, or ${returned} for returned letters`,
  ]);
}

function rowOf(names: string[], cells: SheetCell[]): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [name, String(cells[index] ?? '').trim()]));
}

function problemsOf(
  row: Record<string, string>,
  hasMoreCells: boolean,
  columns: Record<string, Check>,
  today: string,
): string[] {
  if (hasMoreCells) return ['has more cells than the header'];
  return Object.entries(columns).flatMap(([name, check]) => {
    const problem = check(row[name] ?? '', row, today);
    return problem === undefined ? [] : `${name} ${problem}`;
  });
}

/** As with API calls, the first report about a letter counts. */
function addRow({ despatches, returned }: ReportFile, kind: keyof typeof kinds, row: Record<string, string>): void {
  const { reference = '', transitionDate = '', totalSheets = '', postageClass = '', mailingProduct = '' } = row;
  const jobStatus = row.jobStatus as PrinterReport['jobStatus'];
  if (kind === 'returned') returned.add(reference);
  else if (!despatches.has(reference)) {
    despatches.set(reference, { jobStatus, transitionDate, totalSheets, postageClass, mailingProduct });
  }
}

function matching(pattern: string, problem: string): Check {
  const expression = new RegExp(pattern);
  return (value) => (expression.test(value) ? undefined : problem);
}

function oneOf(values: readonly string[]): Check {
  return (value) => (values.includes(value) ? undefined : `must be one of ${values.join(', ')}`);
}

/** As with API calls, only posted letters have these values. */
function whenPosted(check: Check): Check {
  return (value, row, today) => (row.jobStatus === 'REJECTED' && value === '' ? undefined : check(value, row, today));
}
