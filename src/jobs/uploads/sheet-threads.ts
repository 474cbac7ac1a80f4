import { type TransferringRunner, WorkerPool } from '../../platform/threads/worker-pool.ts';
import type * as sheetTasks from './sheet-worker.ts';
import { tooManyFiles } from './upload-slots.ts';

/**
 * Reading workbooks and checking rows run in threads, so that a large file never blocks the event loop. Services take turns.
 * Workbooks have a thread of their own: it waits while the batch that it has read is checked in another.
 */
export interface SheetThreads {
  /** Throws when too many workbooks wait. */
  readersFor(serviceId: string): TransferringRunner<typeof sheetTasks>;
  checkersFor(serviceId: string): TransferringRunner<typeof sheetTasks>;
  close(): Promise<void>;
}

/** Each may wait for as long as those before it are read. */
const maxWaitingWorkbooks = 4;

/** Threads start on demand. */
export function createSheetThreads(): SheetThreads {
  const module = new URL('./sheet-worker.ts', import.meta.url);
  // 200 MB of XML take 40 seconds of processor time, and their texts up to 200 MB of memory. On a busy machine this ends after
  // three minutes, before clients give up.
  const readers = new WorkerPool<typeof sheetTasks>({ module, size: 2, timeout_ms: 60_000, memory_mb: 512 });
  const checkers = new WorkerPool<typeof sheetTasks>({ module, timeout_ms: 60_000, memory_mb: 384 });
  return {
    readersFor: (owner) => {
      if (readers.waiting >= maxWaitingWorkbooks) throw tooManyFiles();
      return readers.runnerFor({ owner });
    },
    checkersFor: (owner) => checkers.runnerFor({ owner }),
    async close() {
      await Promise.all([readers.close(), checkers.close()]);
    },
  };
}
