import { createWorkerPool, type WorkerPool } from '../platform/worker-pool.ts';
import type * as pdfTasks from '../rendering/pdf-worker.ts';

/** Everything that draws, reads or shows a PDF happens in these threads, so that a page never delays a text message. */
export type PdfThreads = WorkerPool<typeof pdfTasks>;

/** Threads start with the first letter. */
export function createPdfThreads(size: number | undefined): PdfThreads {
  return createWorkerPool<typeof pdfTasks>({
    module: new URL('../rendering/pdf-worker.ts', import.meta.url),
    ...(size === undefined ? {} : { size }),
  });
}
