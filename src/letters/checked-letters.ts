import { letterTooLarge, maxLetterBytes } from '../notifications/sending/letter-rules.ts';
import type { SendingService } from '../notifications/sending/sending-service.ts';
import { putForAnHour } from '../notifications/unconfirmed-files.ts';
import { invalidField, notFound } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { refuseIfInfected, type VirusScanner } from '../platform/storage/virus-scan.ts';
import { withoutHiddenCharacters } from '../protocol/hidden-characters.ts';
import { evaluatePrecompiled, type PrecompiledCheck } from '../rendering/pdf/pdf-verdict.ts';
import { type PdfThreads, readPages } from './pdf-threads.ts';
import { readAddress } from './precompiled.ts';

export interface CheckedLetter {
  id: string;
  filename: string;
  check: PrecompiledCheck;
}

const pathOf = (serviceId: string, id: string) => `checked-letters/${serviceId}/${id}`;

/** Checks a PDF and stores it with the result for an hour, so that a person can look at its pages and send it. */
export async function keepCheckedLetter(
  app: CheckDeps,
  service: SendingService,
  filename: string,
  pdf: Uint8Array,
): Promise<CheckedLetter> {
  const check = await checkPdfLetter(app, service, pdf);
  const letter = { id: newId(app.clock.now()), filename: withoutHiddenCharacters(filename), check };
  const path = pathOf(service.id, letter.id);
  await putForAnHour(app, { [`${path}.pdf`]: pdf, [`${path}.json`]: Buffer.from(JSON.stringify(letter)) });
  return letter;
}

export async function getCheckedLetter({ files }: Platform, serviceId: string, id: string): Promise<CheckedLetter> {
  const stored = await files.get(`${pathOf(serviceId, id)}.json`);
  if (!stored) throw notFound();
  return JSON.parse(stored.toString());
}

export async function getCheckedPdf({ files }: Platform, serviceId: string, id: string): Promise<Buffer> {
  const pdf = await files.get(`${pathOf(serviceId, id)}.pdf`);
  if (!pdf) throw notFound();
  return pdf;
}

export type CheckDeps = Platform & { pdfThreads: PdfThreads; virusScanner: VirusScanner };

/** Returns the result that a PDF would have if the service sent it as a letter. */
export async function checkPdfLetter(
  app: CheckDeps,
  service: Pick<SendingService, 'id' | 'permissions'>,
  pdf: Uint8Array,
): Promise<PrecompiledCheck> {
  if (pdf.length > maxLetterBytes) throw invalidField('content', letterTooLarge);
  await refuseIfInfected(app.virusScanner, pdf);
  const reading = await readPages(app, app.pdfThreads.forRequest(service.id), pdf, 'letter');
  const rules = { international_letters: service.permissions.has('international_letters') };
  return evaluatePrecompiled(reading, (lines) => readAddress(app, rules, lines));
}
