import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { openDelimitedText } from '../../libraries/spreadsheet/delimited-text.ts';
import type { RowBatch, Sheet, SpreadsheetLimits } from '../../libraries/spreadsheet/sheet.ts';
import { formatOf } from '../../libraries/spreadsheet/spreadsheet.ts';
import { SpreadsheetError } from '../../libraries/spreadsheet/spreadsheet-error.ts';
import { type BodyMemory, collectBytes } from '../../platform/http/body/body-memory.ts';
import { WorkerFailure } from '../../platform/threads/thread.ts';
import type { TransferringRunner } from '../../platform/threads/worker-pool.ts';
import type { Channel } from '../../protocol/channels.ts';
import { namesRecipient } from '../../recipients/spreadsheet/columns.ts';
import { defaultLimits } from '../../recipients/spreadsheet/limits.ts';
import type { BulkSettings } from '../settings.ts';
import type { SheetThreads } from './sheet-threads.ts';
import type * as sheetTasks from './sheet-worker.ts';
import type { WorkbookMessage } from './sheet-worker.ts';

interface Deps {
  sheetThreads: SheetThreads;
  bodyMemory: BodyMemory;
  config: { bulk: BulkSettings };
}

interface IncomingFile {
  serviceId: string;
  fileName: string;
  bytes: AsyncIterable<Uint8Array>;
  /** The channel of the template, if it is known. */
  channel?: Channel;
}

/** Returns the maximum size of a file, by the extension of its name. Throws if it is not a spreadsheet. */
export function maxBytesOf({ config }: Pick<Deps, 'config'>, fileName: string): number {
  return isText(fileName) ? config.bulk.maxBytes : defaultLimits.packedBytes;
}

/** Opens a file while it arrives. Reads text here, piece by piece, and a complete workbook in a thread. */
export async function openFile(app: Deps, { serviceId, fileName, bytes, channel }: IncomingFile): Promise<Sheet> {
  const format = formatOf(fileName);
  if (format === 'csv' || format === 'tsv') {
    const limits = { ...defaultLimits, textBytes: app.config.bulk.maxBytes };
    return openDelimitedText(bytes, format, {
      limits,
      isHeader: (names) => namesRecipient(names, channel),
    });
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

/** Opens a workbook that a thread reads, one batch ahead of the caller at most. The bytes are gone afterwards. */
export async function openWorkbookInThread(
  threads: TransferringRunner<typeof sheetTasks>,
  { fileName, bytes, limits }: { fileName: string; bytes: Uint8Array; limits: SpreadsheetLimits },
): Promise<Sheet> {
  const { port1: port, port2 } = new MessageChannel();
  const reading = threads.runWith([port2, bytes.buffer as ArrayBuffer], 'readWorkbook', port2, fileName, bytes, limits);
  // Only its failure matters, and that is noticed by the next message that does not come.
  reading.catch(() => undefined);
  try {
    const message = await nextMessage(port, reading);
    if (!('header' in message)) throw new Error('The first message of a workbook is its header');
    return { header: message.header, batches: batchesOf(port, reading), encoding: () => null };
  } catch (error) {
    port.close();
    throw error;
  }
}

/** Not a generator: closing one that has not started runs none of its code, and the thread would wait in vain. */
function batchesOf(port: MessagePort, reading: Promise<void>): AsyncIterableIterator<RowBatch> {
  const end = async () => {
    port.close();
    return { done: true as const, value: undefined };
  };
  return {
    async next() {
      try {
        const message = await nextMessage(port, reading);
        return 'batch' in message ? { value: message.batch } : end();
      } catch (error) {
        port.close();
        throw error;
      }
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function nextMessage(
  port: MessagePort,
  reading: Promise<void>,
): Promise<Exclude<WorkbookMessage, { error: unknown }>> {
  const arrived = new Promise<WorkbookMessage>((resolve, reject) => {
    port.once('message', resolve);
    reading.catch((error) => reject(workbookError(error)));
  });
  port.postMessage('next');
  const message = await arrived;
  if ('error' in message) throw new SpreadsheetError(message.error.kind, message.error.detail);
  return message;
}

/** A workbook that takes too long or too much memory is too large, whatever its size. */
function workbookError(error: unknown): unknown {
  const reason = error instanceof WorkerFailure ? error.reason : undefined;
  if (reason !== 'timeout' && reason !== 'memory') return error;
  return new SpreadsheetError('too-large-unpacked', {}, { cause: error });
}
