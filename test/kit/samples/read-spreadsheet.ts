import { createCountry } from '../../../src/countries/country.ts';
import { gb } from '../../../src/countries/gb.ts';
import type { Sheet, SheetCell, SpreadsheetLimits } from '../../../src/libraries/spreadsheet/sheet.ts';
import { openSpreadsheet as openByName } from '../../../src/libraries/spreadsheet/spreadsheet.ts';
import type { TextEncoding } from '../../../src/libraries/spreadsheet/text-decoding.ts';
import type { Channel } from '../../../src/protocol/channels.ts';
import { namesRecipient } from '../../../src/recipients/spreadsheet/columns.ts';
import {
  countFileProblems,
  countRow,
  FileTally,
  noLimits,
  noRows,
  type Remaining,
} from '../../../src/recipients/spreadsheet/file-problems.ts';
import { defaultLimits } from '../../../src/recipients/spreadsheet/limits.ts';
import { isAllowed, RowCheck, showRow } from '../../../src/recipients/spreadsheet/row-check.ts';
import type {
  CheckedRow,
  RecipientPermissions,
  RowTemplate,
} from '../../../src/recipients/spreadsheet/row-problems.ts';

type Content = string | Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Opens a file as an upload is opened: the separator is the one that makes columns of recipients. */
export function openSpreadsheet(
  fileName: string,
  bytes: AsyncIterable<Uint8Array>,
  { limits = defaultLimits, channel }: { limits?: SpreadsheetLimits; channel?: Channel } = {},
): Promise<Sheet> {
  return openByName(fileName, bytes, { limits, isHeader: (names) => namesRecipient(names, channel) });
}

/** Reads a whole file: its header and its rows. */
export async function readSpreadsheet(
  fileName: string,
  content: Content,
  limits: Partial<SpreadsheetLimits> = {},
): Promise<{ header: readonly string[]; rows: string[][]; encoding: TextEncoding | null }> {
  const sheet = await openSpreadsheet(fileName, chunksOf(content), { limits: { ...defaultLimits, ...limits } });
  const rows: string[][] = [];
  for await (const batch of sheet.batches) rows.push(...batch.rows.map((cells) => cells.map(String)));
  return { header: sheet.header.names, rows, encoding: sheet.encoding() };
}

export async function* chunksOf(content: Content): AsyncGenerator<Uint8Array> {
  if (typeof content === 'string') yield Buffer.from(content);
  else if (content instanceof Uint8Array) yield content;
  else yield* content;
}

export interface CheckOptions {
  permissions: RecipientPermissions;
  maxRows: number;
  allowedRecipients: ReadonlySet<string> | null;
  refuseLetters: boolean;
  remaining: Remaining;
  maxRowsShown: number;
}

const country = createCountry(gb);

export const anyRecipient: CheckOptions = {
  permissions: { internationalSms: true, landlines: true, internationalLetters: true },
  maxRows: 100_000,
  allowedRecipients: null,
  refuseLetters: false,
  remaining: noLimits,
  maxRowsShown: 50,
};

/** Checks a whole file in this thread. */
export async function checkSheet(sheet: Sheet, template: RowTemplate, options: CheckOptions) {
  const check = new RowCheck(country, sheet.header, template, options.permissions);
  const tally = new FileTally();
  const rows: CheckedRow[] = [];
  const records: SheetCell[][] = [];
  for await (const batch of sheet.batches) {
    tally.rowCount += batch.rows.length;
    const counts = noRows();
    const toShow = tally.toShow(options.maxRowsShown);
    for (const cells of batch.rows.slice(0, Math.max(0, options.maxRows - batch.firstRow))) {
      const row = check.check(records.length, cells);
      records.push(cells);
      rows.push(row);
      const allowed = isAllowed(row.destination, options.allowedRecipients);
      countRow(counts, row, {
        allowed,
        isLossy: false,
        isUnclear: false,
        show: () => showRow(check.columns, cells, row),
        toShow,
      });
    }
    tally.add(counts);
  }
  const summary = tally.summary(check.columns, template.channel, options.maxRows);
  const problems = countFileProblems(summary, options).map(([problem]) => problem);
  return { columns: check.columns, rows, records, summary, problems };
}
