import type { Channel } from '../../protocol/channels.ts';
import { megabytes, type SpreadsheetLimits } from './limits.ts';
import { openSheet, RowBatches } from './row-batches.ts';
import { SeparatedRecords } from './separator.ts';
import type { RowBatch, Sheet } from './sheet.ts';
import { SpreadsheetError } from './spreadsheet-error.ts';
import { TextDecoding } from './text-decoding.ts';

/** Bounds the records that exist at once, even if the whole file arrives as one chunk. */
const pieceLength = 65_536;

/** Opens a csv or tsv file. Runs in browsers, too. */
export function openDelimitedText(
  bytes: AsyncIterable<Uint8Array>,
  format: 'csv' | 'tsv',
  { limits, channel }: { limits: SpreadsheetLimits; channel?: Channel },
): Promise<Sheet> {
  const decoding = new TextDecoding();
  const records = new SeparatedRecords(limits, format === 'tsv' ? { separator: '\t' } : { channel });
  const batches = new RowBatches(format === 'tsv' ? limits.rows : limits.textRows);

  async function* read(): AsyncGenerator<RowBatch> {
    let byteCount = 0;
    for await (const chunk of bytes) {
      byteCount += chunk.length;
      if (byteCount > limits.textBytes) throw new SpreadsheetError('too-large', { limit: megabytes(limits.textBytes) });
      yield* add(decoding.decode(chunk));
    }
    yield* add(decoding.end());
    for (const record of records.end()) batches.add(record);
    yield* batches.end();
  }

  function* add(text: string): Generator<RowBatch> {
    for (let at = 0; at < text.length; at += pieceLength) {
      for (const record of records.read(text.slice(at, at + pieceLength))) batches.add(record);
      yield* batches.full();
    }
  }

  return openSheet(
    read(),
    () => batches.header,
    () => decoding.encoding,
  );
}
