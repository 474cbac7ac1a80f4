import { type Static, Type } from 'typebox';
import type { Failure } from '../../platform/failure.ts';
import { Nullable } from '../../protocol/fields.ts';
import type { FileSummary } from '../../recipients/spreadsheet/file-problems.ts';

const ProblemRow = Type.Object({
  row: Type.Integer({ description: 'As a spreadsheet counts: the column names are row 1' }),
  recipient: Nullable(Type.String()),
  cells: Type.Record(Type.String(), Type.Any()),
  problems: Type.Array(Type.Object({ column: Nullable(Type.String()), problem: Type.String() })),
});

/** The result of a dry run. */
export const BulkCheck = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether the request would be accepted' }),
    message: Nullable(Type.String({ description: 'Why not: the error that the request would get' })),
    notification_count: Type.Integer({ description: 'All rows' }),
    rows_with_problems: Type.Integer(),
    problem_counts: Type.Record(Type.String(), Type.Integer(), { description: 'Rows with each kind of problem' }),
    rows_shown: Type.Array(ProblemRow, { description: 'The first 50 rows with problems, or the first 50 rows' }),
  },
  { title: 'BulkCheck' },
);

export function bulkCheck({
  summary,
  refusal,
}: {
  summary: FileSummary;
  refusal: Failure | undefined;
}): Static<typeof BulkCheck> {
  return {
    valid: refusal === undefined,
    message: refusal === undefined ? null : String(refusal.detail),
    notification_count: summary.row_count,
    rows_with_problems: summary.rows_with_problems,
    problem_counts: summary.row_problem_counts as Record<string, number>,
    rows_shown: summary.rows_shown.map(({ row, recipient, cells, problems }) => ({ row, recipient, cells, problems })),
  };
}
