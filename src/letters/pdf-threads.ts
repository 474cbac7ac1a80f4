import { Failure } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import { createWorkerPool, type TaskRunner, WorkerFailure } from '../platform/threads/worker-pool.ts';
import type * as pdfTasks from '../rendering/pdf/pdf-worker.ts';

export type PdfTasks = TaskRunner<typeof pdfTasks>;

/**
 * Everything that draws, reads or shows a PDF happens in these threads, so that a page never delays a text message.
 * Services take turns, and what a client waits for goes before what is done in the background.
 */
export interface PdfThreads {
  readonly size: number;
  /** For a request: refused with 429 when too many of the service's requests wait already. */
  forRequest(serviceId: string): PdfTasks;
  inBackground(serviceId: string): PdfTasks;
  warmUp(): Promise<void>;
  close(): Promise<void>;
}

// Ten pages, the most that a letter may have, take three seconds on a core of their own.
const backgroundTimeout_ms = 15_000;
const requestTimeout_ms = 10_000;
const mostWaitingRequests = 10;

/** Threads start when there is work for them. */
export function createPdfThreads(size: number | undefined): PdfThreads {
  const pool = createWorkerPool<typeof pdfTasks>({
    module: new URL('../rendering/pdf/pdf-worker.ts', import.meta.url),
    size,
    timeout_ms: backgroundTimeout_ms,
  });
  return {
    size: pool.size,
    forRequest(owner) {
      const share = { owner, urgent: true, maxWaiting: mostWaitingRequests, timeout_ms: requestTimeout_ms };
      const runner = pool.runnerFor(share);
      return { run: (...task) => runner.run(...task).catch(refuseIfTooMany) };
    },
    inBackground: (owner) => pool.runnerFor({ owner }),
    warmUp: () => pool.run('warmUp'),
    close: () => pool.close(),
  };
}

function refuseIfTooMany(error: unknown): never {
  if (!(error instanceof WorkerFailure) || error.reason !== 'too-many') throw error;
  const message = 'Too many PDF files of this service are being prepared - try again in a few seconds';
  throw new Failure('too-many', 'TooManyRequestsError', message, { headers: { 'retry-after': '5' }, cause: error });
}

/**
 * In the background while a process starts: else its first letter takes a second longer than the others. Begun this early
 * it is done when the first request comes, and readiness is no later for it (2.0 s either way, on two cores).
 */
export function warmPdfThreads({ pdfThreads, log }: { pdfThreads: PdfThreads; log: Log }): void {
  pdfThreads.warmUp().catch((error) => log.debug({ err: error }, 'the PDF threads were not warmed up'));
}
