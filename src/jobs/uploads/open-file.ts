import type { BodyMemory } from '../../platform/http/body/body-memory.ts';
import { collectBytes } from '../../platform/http/body/collect-bytes.ts';
import type { Channel } from '../../protocol/channels.ts';
import { openDelimitedText } from '../../recipients/spreadsheet/delimited-text.ts';
import { defaultLimits } from '../../recipients/spreadsheet/limits.ts';
import type { Sheet } from '../../recipients/spreadsheet/sheet.ts';
import { formatOf } from '../../recipients/spreadsheet/spreadsheet.ts';
import type { BulkSettings } from '../settings.ts';
import type { SheetThreads } from './sheet-threads.ts';
import { openWorkbookInThread } from './workbook-reading.ts';

interface Deps {
  sheetThreads: SheetThreads;
  bodyMemory: BodyMemory;
  config: { bulk: BulkSettings };
}

interface IncomingFile {
  serviceId: string;
  fileName: string;
  bytes: AsyncIterable<Uint8Array>;
  /** Of the template, if it is known. */
  channel?: Channel;
}

/** The maximum size of a file, by the extension of its name. Throws if it is no spreadsheet. */
export function maxBytesOf({ config }: Pick<Deps, 'config'>, fileName: string): number {
  return isText(fileName) ? config.bulk.maxBytes : defaultLimits.packedBytes;
}

/** Opens a file while it arrives. Text is read here, piece by piece; a workbook in a thread, once it is complete. */
export async function openFile(app: Deps, { serviceId, fileName, bytes, channel }: IncomingFile): Promise<Sheet> {
  const format = formatOf(fileName);
  if (format === 'csv' || format === 'tsv') {
    const limits = { ...defaultLimits, textBytes: app.config.bulk.maxBytes };
    return openDelimitedText(bytes, format, { limits, channel });
  }
  const threads = app.sheetThreads.readersFor(serviceId);
  return openWorkbookInThread(threads, {
    fileName,
    bytes: await collectBytes(app.bodyMemory, bytes),
    limits: defaultLimits,
  });
}

function isText(fileName: string): boolean {
  return ['csv', 'tsv'].includes(formatOf(fileName));
}
