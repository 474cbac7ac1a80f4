import { Readable } from 'node:stream';
import contentDisposition from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isText } from '../../language/text.ts';

/** CSV as in RFC 4180: a header line, CRLF, quotes only where needed. */

export type Cell = string | number | boolean | null | undefined;

export function csvText<Row extends { [Column in keyof Row]: Cell }>(
  columns: readonly (keyof Row & string)[],
  rows: Row[],
): string {
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))].map(csvLine).join('');
}

export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

/** Writes the cells exactly as they were uploaded, without an apostrophe, which would change their value. */
export function csvLineAsUploaded(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

// A spreadsheet executes a cell that starts like a formula, and the text may come from anyone. The
// apostrophe makes it plain text. The full-width forms apply in East Asian editions.
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

function cellText(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (!isText(value)) return String(value);
  const text = String(value);
  return quoted(formula.test(text) ? `'${text}` : text);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Streams a download: each part is generated when the client has taken the previous one. */
export function sendCsv(
  reply: FastifyReply,
  fileName: string,
  parts: Iterable<string> | AsyncIterable<string>,
): FastifyReply {
  return (
    reply
      .type('text/csv; charset=utf-8')
      // A name may contain characters that are not allowed in headers.
      .header('content-disposition', contentDisposition(fileName.replaceAll(/[\p{Cc}/\\]/gu, '_')))
      .send(Readable.from(parts, { objectMode: false }))
  );
}

/** Whether the client prefers CSV to JSON, which is the default. */
export function prefersCsv(request: FastifyRequest): boolean {
  // Include the charset: a media range with parameters matches only a type with the same parameters.
  const csv = ['text/csv', 'text/csv; charset=utf-8'];
  return csv.includes(String(request.type(['application/json', ...csv])));
}
