import type { Log } from '../platform/log.ts';
import { WorkerFailure } from '../platform/threads/worker-pool.ts';
import { type PrecompiledKind, type PrecompiledReading, unreadablePrecompiled } from '../rendering/pdf/pdf-verdict.ts';
import type { PdfTasks } from './pdf-threads.ts';

/** Reads an uploaded file. One that exceeds the limits of its thread is unreadable. */
export async function readPages(
  log: Log,
  pdfTasks: PdfTasks,
  pdf: Uint8Array,
  kind: PrecompiledKind,
): Promise<PrecompiledReading> {
  try {
    return await pdfTasks.run('readPrecompiled', pdf, kind);
  } catch (error) {
    if (!(error instanceof WorkerFailure) || error.reason === 'closed') throw error;
    log.warn(
      { event: 'pdf.read_failed', kind, reason: error.reason },
      'An uploaded file exceeded the limits of its thread',
    );
    return unreadablePrecompiled;
  }
}
