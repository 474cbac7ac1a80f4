import { isDay, londonDay } from '../../platform/calendar.ts';
import { isDatetime } from '../../protocol/text-formats.ts';
import { openDelimitedText } from '../../recipients/spreadsheet/delimited-text.ts';
import { defaultLimits, megabytes } from '../../recipients/spreadsheet/limits.ts';
import type { SheetCell } from '../../recipients/spreadsheet/sheet.ts';
import { SpreadsheetError } from '../../recipients/spreadsheet/spreadsheet-error.ts';
import { maxReferences } from '../returned/returned-letters.ts';
import { referencePattern } from './print-provider.ts';
import { jobStatuses, mailingProducts, type PrinterReport, postageClasses, sheetsPattern } from './printer-report.ts';

/** Why a file of the printer cannot be read, for its author to correct. */
export class ReportFileError extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(problems[0]);
    this.problems = problems;
  }
}

/** One of the two reports, each letter once. */
export interface ReportFile {
  despatches: Map<string, Omit<PrinterReport, 'notification_id'>>;
  returned: Set<string>;
}

export const maxReportBytes = 5 * 1024 * 1024;
const limits = {
  ...defaultLimits,
  textBytes: maxReportBytes,
  textRows: maxReferences,
  textColumns: 100,
  rowCharacters: 10_000,
};
const maxProblems = 20;

/** Says what is wrong with a value, as the end of a sentence. */
type Check = (value: string, row: Record<string, string>, now: Date) => string | undefined;

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
    returnedDate: (value, _row, now) =>
      isDay(value) && value <= londonDay(now) ? undefined : 'must be a day such as 2026-07-02, and not in the future',
  },
};

/** Reads and checks a whole file, so that a file with a problem changes nothing. */
export async function readReportFile(content: Uint8Array, now: Date): Promise<ReportFile> {
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
        const found = problemsOf(row, cells.length > names.length, kinds[kind], now);
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

export const tooLarge = new SpreadsheetError('too-large', { limit: megabytes(maxReportBytes) }).message;

async function* inOnePiece(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

/** The header says which report it is. */
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
  now: Date,
): string[] {
  if (hasMoreCells) return ['has more cells than the header'];
  return Object.entries(columns).flatMap(([name, check]) => {
    const problem = check(row[name] ?? '', row, now);
    return problem === undefined ? [] : `${name} ${problem}`;
  });
}

/** The first report of a letter counts, as with calls. */
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

/** As with calls, only a posted letter has these. */
function whenPosted(check: Check): Check {
  return (value, row, now) => (row.jobStatus === 'REJECTED' && value === '' ? undefined : check(value, row, now));
}
