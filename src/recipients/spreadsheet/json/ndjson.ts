import type { Channel } from '../../../protocol/channels.ts';
import { megabytes, type SpreadsheetLimits } from '../limits.ts';
import { BatchOfRows, openSheet } from '../row-batches.ts';
import type { Header, RowBatch, Sheet } from '../sheet.ts';
import { SpreadsheetError } from '../spreadsheet-error.ts';
import { LineReader } from './line-reader.ts';
import { lineReading, ndjsonColumns } from './ndjson-lines.ts';

interface NdjsonOptions {
  limits: Pick<SpreadsheetLimits, 'textBytes' | 'textRows' | 'rowCharacters'>;
  channel: Channel;
  /** Of the template. A line may have other values; they are not used. */
  placeholders: readonly string[];
  /** Parses one line. */
  parse?: (json: string) => unknown;
}

/**
 * Opens lines of `{"email_address" or "phone_number", "personalisation", "reference"}`. Lines may differ in their keys, so the
 * columns are those of the template: a value that a line does not have is an empty cell.
 */
export function openNdjson(
  bytes: AsyncIterable<Uint8Array>,
  { limits, channel, placeholders, parse = JSON.parse }: NdjsonOptions,
): Promise<Sheet> {
  const lines = new LineReader(limits.rowCharacters);
  const readLine = lineReading(channel, parse);
  const batch = new BatchOfRows(limits.textRows);
  let columns: ReturnType<typeof ndjsonColumns> | undefined;
  let header: Header | undefined;

  async function* read(): AsyncGenerator<RowBatch> {
    let byteCount = 0;
    for await (const chunk of bytes) {
      byteCount += chunk.length;
      if (byteCount > limits.textBytes) throw new SpreadsheetError('too-large', { limit: megabytes(limits.textBytes) });
      yield* add(lines.read(chunk));
    }
    yield* add(lines.end());
    yield* batch.end();
  }

  function* add(texts: Iterable<{ line: number; text: string }>): Generator<RowBatch> {
    for (const { line, text } of texts) {
      if (text.trim() === '') continue;
      const values = readLine(text, line);
      columns ??= ndjsonColumns(channel, placeholders, values);
      header ??= { names: columns.names, width: columns.names.length };
      batch.add(columns.cellsOf(values), text.length);
      yield* batch.full();
    }
  }

  return openSheet(
    read(),
    () => header,
    () => 'utf-8',
  );
}
