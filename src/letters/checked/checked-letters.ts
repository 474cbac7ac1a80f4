import type { SendingService } from '../../notifications/sending/sending-service.ts';
import { putForAnHour } from '../../notifications/unconfirmed-files.ts';
import { notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { PrecompiledCheck } from '../../rendering/pdf/pdf-verdict.ts';
import { type CheckDeps, checkPdfLetter } from './check-pdf-letter.ts';

export interface CheckedLetter {
  id: string;
  filename: string;
  check: PrecompiledCheck;
}

const pathOf = (serviceId: string, id: string) => `checked-letters/${serviceId}/${id}`;

/** Checks a PDF and keeps it for an hour, with the result: time to look at its pages, and to send it. */
export async function keepCheckedLetter(
  app: CheckDeps,
  service: SendingService,
  filename: string,
  pdf: Uint8Array,
): Promise<CheckedLetter> {
  const letter = { id: newId(app.clock.now()), filename, check: await checkPdfLetter(app, service, pdf) };
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
