import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { SheetCell } from '../../libraries/spreadsheet/sheet.ts';
import { formatOf, openSpreadsheet } from '../../libraries/spreadsheet/spreadsheet.ts';
import { OperatorError } from '../../platform/failure.ts';
import { defaultLimits } from '../../recipients/spreadsheet/limits.ts';

export interface FileToSend {
  type: 'text/csv' | 'application/x-ndjson';
  size_bytes: number;
  /** SHA-256 of the file, in hexadecimal. */
  digest: string;
  /** Yields the request body and reports the bytes of the file read so far to `onRead`. Can be called again. */
  body(onRead: (bytes: number) => void): AsyncGenerator<Uint8Array>;
}

/** Formats other than CSV and NDJSON are sent as CSV. */
export async function openFile(path: string): Promise<FileToSend> {
  const isNdjson = /\.(ndjson|jsonl)$/i.test(path);
  const format = isNdjson ? 'ndjson' : formatOf(path);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new OperatorError(`${path} is not a file.`);
  const size_bytes = found.size;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return {
    type: isNdjson ? 'application/x-ndjson' : 'text/csv',
    size_bytes,
    digest: hash.digest('hex'),
    body: (onRead) => {
      const bytes = read(path, onRead);
      return format === 'csv' || format === 'ndjson' ? bytes : asCsv(path, bytes);
    },
  };
}

async function* read(path: string, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of createReadStream(path)) {
    length += chunk.length;
    onRead(length);
    yield chunk;
  }
}

async function* asCsv(path: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { header, batches } = await openSpreadsheet(path, bytes, { limits: defaultLimits });
  yield Buffer.from(line(header.names));
  for await (const { rows } of batches) yield Buffer.from(rows.map(line).join(''));
}

/** Quotes every cell, so that leading spaces are kept. */
function line(cells: readonly SheetCell[]): string {
  return `${cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(',')}\r\n`;
}
