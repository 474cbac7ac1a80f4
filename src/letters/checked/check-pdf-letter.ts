import { letterTooLarge, maxLetterBytes } from '../../notifications/sending/letter-rules.ts';
import type { SendingService } from '../../notifications/sending/sending-service.ts';
import { invalidField } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { refuseIfInfected, type VirusScanner } from '../../platform/storage/virus-scan.ts';
import { judgePrecompiled, type PrecompiledCheck } from '../../rendering/pdf/pdf-verdict.ts';
import type { PdfThreads } from '../pdf-threads.ts';
import { readAddress } from '../precompiled.ts';
import { readPages } from '../read-pages.ts';

export type CheckDeps = Platform & { pdfThreads: PdfThreads; virusScanner: VirusScanner };

/** What would become of a PDF if the service sent it as a letter. */
export async function checkPdfLetter(
  app: CheckDeps,
  service: Pick<SendingService, 'id' | 'permissions'>,
  pdf: Uint8Array,
): Promise<PrecompiledCheck> {
  if (pdf.length > maxLetterBytes) throw invalidField('content', letterTooLarge);
  await refuseIfInfected(app.virusScanner, pdf);
  const reading = await readPages(app.log, app.pdfThreads.forRequest(service.id), pdf, 'letter');
  const rules = { international_letters: service.permissions.has('international_letters') };
  return judgePrecompiled(reading, (lines) => readAddress(rules, lines));
}
