import { parseWithNumbersAsWritten } from '../../platform/http/body/verbatim-numbers.ts';
import type { Channel } from '../../protocol/channels.ts';
import { openDelimitedText } from '../../recipients/spreadsheet/delimited-text.ts';
import { openJsonRows } from '../../recipients/spreadsheet/json/json-rows.ts';
import { openNdjson } from '../../recipients/spreadsheet/json/ndjson.ts';
import { defaultLimits } from '../../recipients/spreadsheet/limits.ts';
import type { Sheet } from '../../recipients/spreadsheet/sheet.ts';
import type { BulkRows } from './read-bulk-request.ts';

/** The rows of a request: in its JSON, or as a stream of text. */
export type BulkBody = BulkRows | { type: 'text/csv' | 'application/x-ndjson'; bytes: AsyncIterable<Uint8Array> };

interface Template {
  channel: Channel;
  placeholders: readonly string[];
}

export function openBody(body: BulkBody, { channel, placeholders }: Template, maxBytes: number): Promise<Sheet> {
  const limits = { ...defaultLimits, textBytes: maxBytes };
  if ('rows' in body) return openJsonRows(body.rows, limits);
  if ('csv' in body) return openDelimitedText(bytesOf(body.csv), 'csv', { limits, channel });
  if (body.type === 'text/csv') return openDelimitedText(body.bytes, 'csv', { limits, channel });
  return openNdjson(body.bytes, { limits, channel, placeholders, parse: parseLine });
}

const parseLine = (json: string) => parseWithNumbersAsWritten(json, 'personalisation');

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
