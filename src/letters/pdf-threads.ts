import type { Log } from '../platform/log.ts';
import { createWorkerPool, type WorkerPool } from '../platform/worker-pool.ts';
import type * as pdfTasks from '../rendering/pdf-worker.ts';

/** Everything that draws, reads or shows a PDF happens in these threads, so that a page never delays a text message. */
export type PdfThreads = WorkerPool<typeof pdfTasks>;

/** Threads start when there is work for them. */
export function createPdfThreads(size: number | undefined): PdfThreads {
  return createWorkerPool<typeof pdfTasks>({
    module: new URL('../rendering/pdf-worker.ts', import.meta.url),
    size,
  });
}

/**
 * In the background while a process starts: else its first letter takes a second longer than the others. Begun this early
 * it is done when the first request comes, and readiness is no later for it (2.0 s either way, on two cores).
 */
export function warmPdfThreads({ pdfThreads, log }: { pdfThreads: PdfThreads; log: Log }): void {
  pdfThreads.run('warmUp').catch((error) => log.debug({ err: error }, 'the PDF threads were not warmed up'));
}
