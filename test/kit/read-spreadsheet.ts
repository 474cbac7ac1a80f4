import { defaultLimits, type SpreadsheetLimits } from '../../src/recipients/spreadsheet/limits.ts';
import { openSpreadsheet } from '../../src/recipients/spreadsheet/spreadsheet.ts';
import type { TextEncoding } from '../../src/recipients/spreadsheet/text-decoding.ts';

type Content = string | Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

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
