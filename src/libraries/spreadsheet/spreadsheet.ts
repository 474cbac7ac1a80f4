import { type IsHeader, openDelimitedText } from './delimited-text.ts';
import type { Sheet, SpreadsheetLimits } from './sheet.ts';
import { SpreadsheetError } from './spreadsheet-error.ts';
import { openOds } from './workbook/ods.ts';
import { openWorkbook } from './workbook/workbook.ts';

const formats = ['csv', 'tsv', 'xlsx', 'xlsm', 'ods'] as const;
type Format = (typeof formats)[number];

interface OpenOptions {
  limits: SpreadsheetLimits;
  isHeader?: IsHeader;
}

/** Opens a spreadsheet, by the extension of its file name. */
export async function openSpreadsheet(
  fileName: string,
  bytes: AsyncIterable<Uint8Array>,
  { limits, isHeader }: OpenOptions,
): Promise<Sheet> {
  const format = formatOf(fileName);
  if (format === 'csv' || format === 'tsv') return openDelimitedText(bytes, format, { limits, isHeader });
  return format === 'ods' ? openOds(bytes, limits) : openWorkbook(bytes, limits);
}

export function formatOf(fileName: string): Format {
  const extension = /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase();
  if (extension === 'xls') throw new SpreadsheetError('old-excel-file');
  const format = formats.find((known) => known === extension);
  if (!format) throw new SpreadsheetError('not-a-spreadsheet');
  return format;
}
