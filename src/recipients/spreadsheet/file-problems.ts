import { type Columns, planColumns } from './columns.ts';
import {
  type CheckedRow,
  type Destination,
  type RecipientPermissions,
  type RowTemplate,
  rowChecker,
} from './row-problems.ts';
import { buildRow, type CellValue, type Row } from './rows.ts';
import type { Header, RowBatch, SheetCell } from './sheet.ts';
import { type FileProblem, fileProblemTexts, type RowProblemKind } from './spreadsheet-problems.ts';

export interface CheckOptions {
  permissions: RecipientPermissions;
  /** Rows beyond are counted and not read. */
  maxRows: number;
  /** Normalised; null if the service may send to anyone. */
  allowedRecipients: ReadonlySet<string> | null;
  /** Letters of a service in trial mode. */
  refuseLetters: boolean;
  /** Null where no limit applies. */
  remainingMessages: number | null;
  remainingInternational: number | null;
  /** Rows to show: the first ones with a problem, or else the first ones. */
  maxRowsShown: number;
}

/** Also a line of the problems of a file. */
interface ShownRow {
  /** As the spreadsheet counts: the header is row 1. */
  row: number;
  recipient: string | null;
  cells: Record<string, CellValue>;
  surplus: string[];
  problems: { column: string | null; problem: string }[];
}

export interface FileSummary {
  columns: Columns;
  rowCount: number;
  /** Rows with each kind of problem. */
  rowProblemCounts: Map<RowProblemKind, number>;
  rowsWithProblems: number;
  internationalCount: number;
  notAllowedCount: number;
  /** In the order in which they are told. */
  problems: FileProblem[];
  rowsShown: ShownRow[];
}

/** Checks a file batch by batch, with constant memory. */
export class FileCheck {
  readonly columns: Columns;
  private readonly template: RowTemplate;
  private readonly options: CheckOptions;
  private readonly check: ReturnType<typeof rowChecker>;
  private readonly rowProblemCounts = new Map<RowProblemKind, number>();
  private rowCount = 0;
  private rowsWithProblems = 0;
  private internationalCount = 0;
  private notAllowedCount = 0;
  private readonly firstRows: ShownRow[] = [];
  private readonly firstBadRows: ShownRow[] = [];

  constructor(header: Header, template: RowTemplate, options: CheckOptions) {
    this.columns = planColumns(header, template.channel, template.placeholders);
    this.template = template;
    this.options = options;
    this.check = rowChecker(this.columns, template, options.permissions);
  }

  addBatch({ firstRow, rows }: RowBatch): CheckedRow[] {
    this.rowCount += rows.length;
    const readable = Math.max(0, this.options.maxRows - firstRow);
    return rows.slice(0, readable).map((cells, offset) => {
      const row = buildRow(this.columns, cells);
      const checked = this.check(firstRow + offset, row);
      this.count(checked);
      this.show(checked, row);
      return checked;
    });
  }

  /** For lists of all rows with problems; `cells` as they were read. */
  showRow(cells: readonly SheetCell[], checked: CheckedRow): ShownRow {
    return showRow(this.columns, checked, buildRow(this.columns, cells));
  }

  summary(): FileSummary {
    const { columns, rowCount, rowProblemCounts, rowsWithProblems, internationalCount, notAllowedCount } = this;
    const showBad = rowsWithProblems > 0 && columns.missing.length === 0;
    return {
      columns,
      rowCount,
      rowProblemCounts,
      rowsWithProblems,
      internationalCount,
      notAllowedCount,
      problems: this.listProblems(),
      rowsShown: showBad ? this.firstBadRows : this.firstRows,
    };
  }

  private count({ problems, abroad, destination }: CheckedRow): void {
    for (const kind of new Set(problems.map((problem) => problem.kind))) {
      this.rowProblemCounts.set(kind, (this.rowProblemCounts.get(kind) ?? 0) + 1);
    }
    if (problems.length > 0) this.rowsWithProblems++;
    if (abroad) this.internationalCount++;
    if (!isAllowed(destination, this.options.allowedRecipients)) this.notAllowedCount++;
  }

  private show(checked: CheckedRow, row: Row): void {
    const lists = checked.problems.length > 0 ? [this.firstRows, this.firstBadRows] : [this.firstRows];
    for (const list of lists) {
      if (list.length < this.options.maxRowsShown) list.push(showRow(this.columns, checked, row));
    }
  }

  private listProblems(): FileProblem[] {
    const { columns, options, rowCount } = this;
    const { remainingMessages, remainingInternational } = options;
    const applies: Record<FileProblem, boolean> = {
      'too-many-rows': rowCount > options.maxRows,
      'no-rows': rowCount === 0,
      'no-recipient-columns': !columns.hasRecipient,
      'duplicate-recipient-columns': columns.duplicates.length > 0,
      'missing-columns': columns.missing.length > 0,
      'row-errors': this.rowsWithProblems > 0,
      'not-allowed-to-send-to': this.notAllowedCount > 0,
      'letters-in-trial-mode': options.refuseLetters && this.template.channel === 'letter',
      'too-many-messages': remainingMessages !== null && rowCount > remainingMessages,
      'too-many-international':
        remainingInternational !== null && this.internationalCount > Math.max(0, remainingInternational),
    };
    return (Object.keys(fileProblemTexts) as FileProblem[]).filter((problem) => applies[problem]);
  }
}

/** Letters go to anyone; a recipient that is not valid is another problem. */
export function isAllowed(destination: Destination | null, allowed: ReadonlySet<string> | null): boolean {
  if (allowed === null || destination === null || destination.channel === 'letter') return true;
  return allowed.has(destination.channel === 'sms' ? destination.number.normalised : destination.address);
}

function showRow({ columns }: Columns, { index, recipient, problems }: CheckedRow, row: Row): ShownRow {
  return {
    row: index + 2,
    recipient,
    cells: Object.fromEntries(
      columns.flatMap(({ name }, column) => {
        const value = row.values[column] ?? null;
        return name === '' && value === null ? [] : [[name, value]];
      }),
    ),
    surplus: row.surplus,
    problems: problems.map(({ column, message }) => ({ column, problem: message })),
  };
}
