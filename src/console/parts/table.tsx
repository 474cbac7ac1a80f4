import type { ComponentChildren } from 'preact';
import { T } from '../../language/sentence.tsx';
import { type Text, within } from '../../language/text.ts';
import { pageUrl } from '../links.ts';

export interface Column<Row> {
  head: Text;
  cell(row: Row): ComponentChildren;
  /** Right-aligned, for figures. */
  numeric?: true;
  /** The heading is only for screen readers, for example above buttons. */
  hidden?: true;
}

interface TableProps<Row> {
  /** The accessible name of the table. */
  caption: Text;
  rows: readonly Row[];
  keyOf(row: Row): string;
  /** The first column names the row. */
  columns: readonly Column<Row>[];
  /** Vertically centres cells beside cells of several lines. */
  middle?: boolean;
  /** Centres the ticks, except in the last two columns. */
  matrix?: boolean;
}

/** On narrow screens, each row becomes a list of labelled values. */
export function Table<Row>({ caption, rows, keyOf, columns, middle, matrix }: TableProps<Row>) {
  const [name, ...others] = columns;
  const classes = ['table table--hover', middle && 'table--middle', matrix && 'matrix'].filter(Boolean);
  return (
    <div class="card card--flush">
      <table class={classes.join(' ')}>
        <caption class="sr">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, numeric, hidden }) => (
              <th key={head} scope="col" class={numeric && 'num'}>
                {hidden ? <span class="sr">{head}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">{name?.cell(row)}</th>
              {others.map(({ head, cell, numeric, hidden }) => (
                <td key={head} class={numeric ? 'num' : hidden && 'actions'} data-label={hidden ? undefined : head}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface Row {
  label: Text;
  value: ComponentChildren;
  /** The page that changes it, below /console. */
  change?: string;
}

/** Settings with their values; each links to a page that changes it. */
export function Summary({ rows }: { rows: readonly Row[] }) {
  return (
    <dl class="summary">
      {rows.map(({ label, value, change }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd dir="auto">{value}</dd>
          <dd>
            {change && (
              <a href={pageUrl(change)}>
                <T>
                  Change<span class="sr"> {{ label: within(label) }}</span>
                </T>
              </a>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
