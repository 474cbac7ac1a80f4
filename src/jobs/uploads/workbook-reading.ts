import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { type TransferringRunner, WorkerFailure } from '../../platform/threads/worker-pool.ts';
import type { SpreadsheetLimits } from '../../recipients/spreadsheet/limits.ts';
import type { RowBatch, Sheet } from '../../recipients/spreadsheet/sheet.ts';
import { SpreadsheetError } from '../../recipients/spreadsheet/spreadsheet-error.ts';
import type * as sheetTasks from './sheet-worker.ts';
import type { WorkbookMessage } from './sheet-worker.ts';

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
