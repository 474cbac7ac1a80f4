import type { Geometry } from '../countries/letter-geometry.ts';
import { t } from '../language/text.ts';
import { Failure } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { WorkerFailure } from '../platform/threads/thread.ts';
import { type TaskRunner, WorkerPool } from '../platform/threads/worker-pool.ts';
import { type PrecompiledKind, type PrecompiledReading, unreadablePrecompiled } from '../rendering/pdf/pdf-verdict.ts';
import type * as pdfTasks from '../rendering/pdf/pdf-worker.ts';

export type PdfTasks = TaskRunner<typeof pdfTasks>;

/**
 * All rendering and parsing of PDFs runs in these threads, so that it never blocks the event loop. Services take turns, and requests take
 * precedence over background work.
 */
export interface PdfThreads {
  readonly size: number;
  /** For requests: throws a 429 if too many requests of the service are waiting. */
  forRequest(serviceId: string): PdfTasks;
  inBackground(serviceId: string): PdfTasks;
  warmUp(geometry: Geometry): Promise<void>;
  close(): Promise<void>;
}

// A letter of ten pages, the maximum, takes three seconds on a dedicated core.
const backgroundTimeout_ms = 15_000;
const requestTimeout_ms = 10_000;
const maxWaitingRequests = 10;

/** Threads start on demand. */
export function createPdfThreads(size: number | undefined): PdfThreads {
  const pool = new WorkerPool<typeof pdfTasks>({
    module: new URL('../rendering/pdf/pdf-worker.ts', import.meta.url),
    size,
    timeout_ms: backgroundTimeout_ms,
  });
  return {
    size: pool.size,
    forRequest(owner) {
      const share = { owner, urgent: true, maxWaiting: maxWaitingRequests, timeout_ms: requestTimeout_ms };
      const runner = pool.runnerFor(share);
      return { run: (...task) => runner.run(...task).catch(refuseIfTooMany) };
    },
    inBackground: (owner) => pool.runnerFor({ owner }),
    warmUp: (geometry) => pool.run('warmUp', geometry),
    close: () => pool.close(),
  };
}

function refuseIfTooMany(error: unknown): never {
  if (!(error instanceof WorkerFailure) || error.reason !== 'too-many') throw error;
  const message = t('Too many PDF files of this service are being prepared - try again in a few seconds');
  throw new Failure('too-many', 'TooManyRequestsError', message, { headers: { 'retry-after': '5' }, cause: error });
}

/**
 * Runs in the background at startup, because otherwise the first letter takes a second longer. It finishes before the first request and
 * does not delay readiness (2.0 s with and without, on two cores).
 */
export function warmPdfThreads({ pdfThreads, country, log }: Platform & { pdfThreads: PdfThreads }): void {
  pdfThreads
    .warmUp(country.letter.geometry)
    .catch((error) => log.debug({ event: 'pdf.warm_up_failed', err: error }, 'The PDF threads could not be warmed up'));
}

/** Reads an uploaded file. A file that exceeds the limits of its thread counts as unreadable. */
export async function readPages(
  { log, country }: Platform,
  pdfTasks: PdfTasks,
  pdf: Uint8Array,
  kind: PrecompiledKind,
): Promise<PrecompiledReading> {
  try {
    return await pdfTasks.run('readPrecompiled', pdf, kind, country.letter.geometry);
  } catch (error) {
    if (!(error instanceof WorkerFailure) || error.reason === 'closed') throw error;
    log.warn(
      { event: 'pdf.read_failed', kind, reason: error.reason },
      'An uploaded file exceeded the limits of its thread',
    );
    return unreadablePrecompiled;
  }
}
