/** CSV as in RFC 4180: a header line, CRLF, quotes only where needed. */

export type Cell = string | number | boolean | null | undefined;

export function csvText<Row extends { [Column in keyof Row]: Cell }>(
  columns: readonly (keyof Row & string)[],
  rows: Row[],
): string {
  const lines = [columns.map(cellText), ...rows.map((row) => columns.map((column) => cellText(row[column])))];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

// A spreadsheet executes a cell that starts like a formula, and anyone who can name a service can supply the text. The
// apostrophe makes it plain text. The full-width forms apply in East Asian editions.
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

function cellText(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Whether the client prefers CSV to JSON, which is the default. */
export function prefersCsv(accept = ''): boolean {
  const ranges = accept.split(',').map((part, place) => {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { range, place, quality: quality === undefined ? 1 : Number(quality) || 0 };
  });
  /** The most specific range that matches a type applies. */
  const wish = (type: 'text/csv' | 'application/json') => {
    const holders = [type, type.replace(/[^/]+$/, '*'), '*/*'];
    const found = holders.flatMap((holder, width) =>
      ranges.filter(({ range }) => range === holder).map((range) => ({ ...range, width })),
    );
    return found[0] ?? { quality: 0, width: holders.length, place: 0 };
  };
  const csv = wish('text/csv');
  const json = wish('application/json');
  // With equal quality, the more specific range wins, then the first one.
  const order = csv.quality - json.quality || json.width - csv.width || json.place - csv.place;
  return csv.quality > 0 && order > 0;
}
