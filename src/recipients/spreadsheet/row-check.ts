import type { Country } from '../../countries/country.ts';
import type { Header, SheetCell } from '../../libraries/spreadsheet/sheet.ts';
import { buildRow, type CellValue, type Columns, planColumns } from './columns.ts';
import {
  type CheckedRow,
  type Destination,
  type RecipientPermissions,
  type RowTemplate,
  rowChecker,
} from './row-problems.ts';

/** A row as shown to people; also a line of the file of problems. */
export interface ShownRow {
  /** The row number in the spreadsheet, whose header is row 1. */
  row: number;
  recipient: string | null;
  cells: Record<string, CellValue>;
  /** Cells without a column. */
  surplus?: string[];
  problems: ShownProblem[];
}

export interface ShownProblem {
  column: string | null;
  problem: string;
}

/** Checks the rows of a file one by one, without keeping them. */
export class RowCheck {
  readonly columns: Columns;
  /** Checks a row with these columns. */
  readonly checkRow: ReturnType<typeof rowChecker>;

  /** `columns` are those of all texts, if rows use different texts. */
  constructor(
    country: Country,
    header: Header,
    template: RowTemplate,
    permissions: RecipientPermissions,
    columns = planColumns(header, template.channel, template.placeholders),
  ) {
    this.columns = columns;
    this.checkRow = rowChecker(country, this.columns, template, permissions);
  }

  /** `index` counts from 0. */
  check(index: number, cells: readonly SheetCell[]): CheckedRow {
    return this.checkRow(index, buildRow(this.columns, cells));
  }
}

/** `cells` are as read from the file. */
export function showRow(
  columns: Columns,
  cells: readonly SheetCell[],
  { index, recipient, problems }: Pick<CheckedRow, 'index' | 'recipient' | 'problems'>,
): ShownRow {
  const { values, surplus } = buildRow(columns, cells);
  return {
    row: index + 2,
    recipient,
    cells: Object.fromEntries(
      columns.columns.flatMap(({ name }, column) => {
        const value = values[column] ?? null;
        return name === '' && value === null ? [] : [[name, value]];
      }),
    ),
    ...(surplus.length > 0 ? { surplus } : {}),
    problems: showProblems(problems),
  };
}

export function showProblems(problems: CheckedRow['problems']): ShownProblem[] {
  return problems.map(({ column, message }) => ({ column, problem: message }));
}

/** `null` allows any recipient. Letters may go to anyone. An invalid recipient is reported as another problem. */
export function isAllowed(destination: Destination | null, allowed: ReadonlySet<string> | null): boolean {
  if (allowed === null || destination === null || destination.channel === 'letter') return true;
  return allowed.has(destination.channel === 'sms' ? destination.number.normalised : destination.address);
}
