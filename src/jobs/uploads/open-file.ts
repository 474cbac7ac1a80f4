import { type BodyMemory, noRoom } from '../../platform/http/body/body-memory.ts';
import type { Channel } from '../../protocol/channels.ts';
import { openDelimitedText } from '../../recipients/spreadsheet/delimited-text.ts';
import { defaultLimits, megabytes } from '../../recipients/spreadsheet/limits.ts';
import type { Sheet } from '../../recipients/spreadsheet/sheet.ts';
import { formatOf } from '../../recipients/spreadsheet/spreadsheet.ts';
import { SpreadsheetError } from '../../recipients/spreadsheet/spreadsheet-error.ts';
import type { SheetThreads } from './sheet-threads.ts';
import { openWorkbookInThread } from './workbook-reading.ts';

interface Deps {
  sheetThreads: SheetThreads;
  bodyMemory: BodyMemory;
  config: { bulk: { maxBytes: number } };
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
    bytes: await collect(app.bodyMemory, bytes),
    limits: defaultLimits,
  });
}

function isText(fileName: string): boolean {
  return ['csv', 'tsv'].includes(formatOf(fileName));
}

/** Counted in the memory of request bodies while it arrives; then it belongs to the thread. */
async function collect(memory: BodyMemory, bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const limit = defaultLimits.packedBytes;
  let chunks: Uint8Array[] = [];
  let held = 0;
  let dropped = false;
  const release = () => {
    memory.release(held);
    held = 0;
    chunks = [];
  };
  const arriving = {
    since: performance.now(),
    drop: () => {
      dropped = true;
      memory.end(arriving);
      release();
    },
  };
  memory.begin(arriving);
  try {
    for await (const chunk of bytes) {
      if (held + chunk.length > limit) throw new SpreadsheetError('too-large', { limit: megabytes(limit) });
      if (!dropped) memory.hold(chunk.length);
      if (dropped) throw noRoom();
      held += chunk.length;
      chunks.push(chunk);
    }
    const file = new Uint8Array(held);
    let at = 0;
    for (const chunk of chunks) {
      file.set(chunk, at);
      at += chunk.length;
    }
    return file;
  } finally {
    memory.end(arriving);
    release();
  }
}
