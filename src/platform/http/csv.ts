import type { FastifyRequest } from 'fastify';

/** CSV as in RFC 4180: a header line, CRLF, quotes only where needed. */

export type Cell = string | number | boolean | null | undefined;

export function csvText<Row extends { [Column in keyof Row]: Cell }>(
  columns: readonly (keyof Row & string)[],
  rows: Row[],
): string {
  const lines = [columns.map(cellText), ...rows.map((row) => columns.map((column) => cellText(row[column])))];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

// A spreadsheet executes a cell that starts like a formula, and the text may come from anyone. The
// apostrophe makes it plain text. The full-width forms apply in East Asian editions.
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

function cellText(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Whether the client prefers CSV to JSON, which is the default. */
export function prefersCsv(request: FastifyRequest): boolean {
  // With its charset too: a range with parameters matches only a type with the same parameters.
  const csv = ['text/csv', 'text/csv; charset=utf-8'];
  return csv.includes(String(request.type(['application/json', ...csv])));
}
