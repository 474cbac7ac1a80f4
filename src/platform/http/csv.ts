/** Comma-separated values as RFC 4180 has them: a header line, CRLF, quotes only where needed. */

export type Cell = string | number | boolean | null | undefined;

export function csvText<Row extends { [Column in keyof Row]: Cell }>(
  columns: readonly (keyof Row & string)[],
  rows: Row[],
): string {
  const lines = [columns.map(cellText), ...rows.map((row) => columns.map((column) => cellText(row[column])))];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

// A spreadsheet runs a cell that begins like a formula, and its text may come from anyone who can name a service. The
// apostrophe makes it plain text there. (The full-width forms count in East Asian editions.)
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

function cellText(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Whether the reader asks for a spreadsheet rather than for JSON, which is what everyone else gets. */
export function prefersCsv(accept = ''): boolean {
  const ranges = accept.split(',').map((part, place) => {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { range, place, quality: quality === undefined ? 1 : Number(quality) || 0 };
  });
  /** The narrowest range that holds a type speaks for it. */
  const wish = (type: 'text/csv' | 'application/json') => {
    const holders = [type, type.replace(/[^/]+$/, '*'), '*/*'];
    const found = holders.flatMap((holder, width) =>
      ranges.filter(({ range }) => range === holder).map((range) => ({ ...range, width })),
    );
    return found[0] ?? { quality: 0, width: holders.length, place: 0 };
  };
  const csv = wish('text/csv');
  const json = wish('application/json');
  // Of two that are wanted alike: what is named rather than what is meant too, then what is named first.
  const order = csv.quality - json.quality || json.width - csv.width || json.place - csv.place;
  return csv.quality > 0 && order > 0;
}
