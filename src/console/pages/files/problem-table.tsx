import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { pageUrl } from '../../links.ts';
import { count } from '../../money.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { describeRowProblem } from './problem-texts.ts';

export interface ProblemOfRow {
  /** Its number in the spreadsheet, whose header is row 1. */
  row: number;
  /** Null if the whole message or address is wrong. */
  column: string | null;
  value: string;
  problem: string;
}

interface RowWithCells {
  row: number;
  cells: Record<string, unknown>;
  problems: readonly { column: string | null; problem: string }[];
}

/** One entry for each problem of the rows that a check has kept. */
export function listProblems(rows: readonly RowWithCells[]): ProblemOfRow[] {
  return rows.flatMap(({ row, cells, problems }) =>
    problems.map(({ column, problem }) => ({
      row,
      column,
      problem,
      value: column === null ? '' : [cells[column] ?? ''].flat().join(', '),
    })),
  );
}

interface ProblemTableProps {
  problems: readonly ProblemOfRow[];
  /** All rows with problems: the table has the first ones. */
  bad: number;
  /** The path of the page; the download is below it. */
  path: string;
  /** Whether there is a file with the reasons. */
  canDownload: boolean;
  /** Whether the page shows one row at a time. */
  hasRows?: boolean;
}

/** The first rows with problems; the others are in the file to download. */
export function ProblemTable({ problems, bad, path, canDownload, hasRows }: ProblemTableProps) {
  if (bad === 0) return null;
  const shown = new Set(problems.map(({ row }) => row)).size;
  return (
    <section class="card card--flush" aria-labelledby="problems">
      <div class="card-head">
        <h2 id="problems">
          {t('{count, plural, one {# row has problems} other {# rows have problems}}', { count: bad })}
        </h2>
        {canDownload && (
          <ButtonLink to={`${path}/problems.csv`} small download>
            {t('Download rows with reasons')}
          </ButtonLink>
        )}
      </div>
      <table class="table">
        <caption class="sr">{t('Rows with problems')}</caption>
        <thead>
          <tr>
            <th scope="col" class="num">
              {t('Row')}
            </th>
            <th scope="col">{t('Column')}</th>
            <th scope="col">{t('Value')}</th>
            <th scope="col">{t('What is wrong')}</th>
          </tr>
        </thead>
        <tbody>
          {problems.map(({ row, column, value, problem }) => (
            <tr key={`${row} ${column} ${problem}`}>
              <th scope="row" class="num">
                {hasRows ? <a href={pageUrl(`${path}?row=${row}#preview`)}>{count(row)}</a> : count(row)}
              </th>
              <td data-label={t('Column')} dir="auto">
                {column ?? <span class="muted">{t('all')}</span>}
              </td>
              <td data-label={t('Value')} dir="auto">
                {value === '' ? <span class="muted">{column === null ? '–' : t('empty')}</span> : <code>{value}</code>}
              </td>
              <td data-label={t('What is wrong')}>{describeRowProblem(problem)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {bad > shown && (
        <p class="card-foot small muted">
          <T>
            The first {{ shown }} of {{ bad: count(bad) }} are shown.
          </T>
        </p>
      )}
    </section>
  );
}
