import { count } from '../../money.ts';
import type { CheckedFile } from './load-file.ts';

/** The first rows with problems; the others are in the file to download. */
export function ProblemTable({ file: { record, upload, goodRows }, path }: { file: CheckedFile; path: string }) {
  return <ProblemRows record={record} bad={upload.row_count - goodRows} path={path} />;
}

interface ProblemRowsProps {
  record: Pick<CheckedFile['record'], 'rows_shown'>;
  /** All rows with problems. */
  bad: number;
  /** The address of the page; the download is below it. */
  path: string;
}

export function ProblemRows({ record, bad, path }: ProblemRowsProps) {
  if (bad === 0) return null;
  const shown = record.rows_shown.flatMap(({ row, cells, problems }) =>
    problems.map(({ column, problem }) => ({
      row,
      column,
      problem,
      value: column === null ? '' : [cells[column] ?? ''].flat().join(', '),
    })),
  );
  const title = bad === 1 ? '1 row has problems' : `${count(bad)} rows have problems`;
  return (
    <section class="card card--flush" aria-labelledby="problems">
      <div class="card-head">
        <h2 id="problems">{title}</h2>
        <a class="button button--small" href={`${path}/problems.csv`} download>
          Download rows with reasons
        </a>
      </div>
      <table class="table">
        <caption class="sr">Rows with problems</caption>
        <thead>
          <tr>
            <th scope="col" class="num">
              Row
            </th>
            <th scope="col">Column</th>
            <th scope="col">Value</th>
            <th scope="col">What is wrong</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ row, column, problem, value }) => (
            <tr key={`${row} ${column} ${problem}`}>
              <th scope="row" class="num">
                {count(row)}
              </th>
              <td data-label="Column">{column ?? <span class="muted">the row</span>}</td>
              <td data-label="Value">{value === '' ? <span class="muted">empty</span> : <code>{value}</code>}</td>
              <td data-label="What is wrong">{problem === 'Missing' ? 'Needs a value' : problem}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {bad > record.rows_shown.length && (
        <p class="card-foot small muted">
          The first {record.rows_shown.length} of {count(bad)} are shown.
        </p>
      )}
    </section>
  );
}
