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

/** A row as people see it; also a line of the problems of a file. */
export interface ShownRow {
  /** Its number in the spreadsheet, whose header is row 1. */
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

/** Checks the rows of a file, one by one: nothing is kept. */
export class RowCheck {
  readonly columns: Columns;
  /** Checks a row of these columns. */
  readonly checkRow: ReturnType<typeof rowChecker>;

  /** `columns`: those of all texts, if rows have different ones. */
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

/** `cells` as they were read. */
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

/** Null allows any recipient. Letters go to anyone; a recipient that is not valid is another problem. */
export function isAllowed(destination: Destination | null, allowed: ReadonlySet<string> | null): boolean {
  if (allowed === null || destination === null || destination.channel === 'letter') return true;
  return allowed.has(destination.channel === 'sms' ? destination.number.normalised : destination.address);
}
