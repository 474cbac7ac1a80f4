import { t } from '../../language/text.ts';
import { readLetterPdf } from '../../notifications/history/public-notifications.ts';
import { storedId } from '../../notifications/one-off/uploaded-letters.ts';
import { letterFiles } from '../../notifications/tasks-for-others.ts';
import type { Db } from '../../platform/db/database.ts';
import { invalid, invalidField, notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { refuseIfInfected, type VirusScanner } from '../../platform/storage/virus-scan.ts';
import { WorkerFailure } from '../../platform/threads/thread.ts';
import { addressRules } from '../../recipients/address-rules.ts';
import { addressLinesFromPersonalisation } from '../../recipients/postal-address.ts';
import type { LetterPurpose } from '../../rendering/letter/ink.ts';
import { maxPages } from '../../rendering/pdf/letter-geometry.ts';
import type { PageToPngOptions } from '../../rendering/pdf/pdf-image.ts';
import type { CompiledTemplates, ReadyTemplate } from '../../templates/compiled-templates.ts';
import { type RenderInput, renderInput, renderInputOfLetter } from '../letter-document.ts';
import {
  type Letter,
  type LetterFile,
  selectChannel,
  selectLetter,
  selectLetterFile,
  selectServiceBrand,
} from '../letters.sql.ts';
import type { PdfTasks, PdfThreads } from '../pdf-threads.ts';

type Deps = Platform & {
  compiledTemplates: CompiledTemplates;
  pdfThreads: PdfThreads;
};

export type PreviewFormat = 'pdf' | 'png';

export interface LetterPreview {
  content: Uint8Array;
  message: string;
  invalid_pages: number[];
}

/** Returns a letter as printed, or as it would have been printed, with the reason if it was rejected. */
export async function previewLetter(
  app: Deps & { virusScanner: VirusScanner },
  serviceId: string,
  notificationId: string,
  format: PreviewFormat,
  page: number,
): Promise<LetterPreview & { page_count: number | null }> {
  const id = await storedId(app.db, serviceId, notificationId);
  const channel = await selectChannel(app.db, serviceId, id);
  if (!channel) throw notFound();
  if (channel !== 'letter') throw invalid(t('Notification is not a letter'));
  const letter = await selectLetter(app.db, id);
  if (!letter) throw notFound();
  const found = await selectLetterFile(app.db, letter.id);
  const problems = { message: found?.message ?? '', invalid_pages: found?.invalid_pages ?? [] };
  if (letter.precompiled) {
    const content = await showUploaded(app, letter, found, format, page);
    return { content, page_count: found?.page_count ?? null, ...problems };
  }
  const pdfTasks = app.pdfThreads.forRequest(letter.service_id);
  const { pdf, page_count } = await compose(app, pdfTasks, await renderInputOfLetter(app, letter));
  return { content: await show(pdfTasks, pdf, format, page), page_count, ...problems };
}

/** Returns null until the letter is drawn, or if its file cannot be read. */
export async function countLetterPages(db: Db, letterId: string): Promise<number | null> {
  return (await selectLetterFile(db, letterId))?.page_count ?? null;
}

/** Returns a picture of a page of the file that the printer gets. */
export async function letterPagePicture(
  app: Pick<Deps, 'files' | 'pdfThreads'>,
  letter: Pick<Letter, 'id' | 'service_id' | 'status'>,
  page: number,
): Promise<Uint8Array> {
  const pdf = await readLetterPdf(app.files, letter);
  return show(app.pdfThreads.forRequest(letter.service_id), pdf, 'png', page);
}

async function showUploaded(
  app: Deps & { virusScanner: VirusScanner },
  letter: Letter,
  found: LetterFile | undefined,
  format: PreviewFormat,
  page: number,
): Promise<Uint8Array> {
  const pdf = (await readUnchecked(app, letter)) ?? (await readLetterPdf(app.files, letter));
  const pdfTasks = app.pdfThreads.forRequest(letter.service_id);
  const { geometry } = app.country.letter;
  const outside = found?.message === 'content-outside-printable-area' ? (found.invalid_pages ?? []) : undefined;
  if (format === 'pdf') return outside ? pdfTasks.run('overlayPdf', pdf, geometry) : pdf;
  const decoration = outside?.includes(page) ? 'red-overlay' : 'hide-tag';
  return show(pdfTasks, pdf, format, page, { decoration, geometry });
}

/** Returns the file as received until a task has checked it, because a person who has just uploaded a letter wants to see it. */
async function readUnchecked(
  { files, virusScanner }: Platform & { virusScanner: VirusScanner },
  { id, status }: Letter,
): Promise<Buffer | undefined> {
  if (status !== 'pending-virus-check') return undefined;
  const pdf = await files.get(letterFiles.uploaded(id));
  if (pdf) await refuseIfInfected(virusScanner, pdf);
  return pdf;
}

/** Renders a template as a letter with empty placeholders highlighted. */
export async function previewLetterTemplate(
  app: Deps,
  { row, compiled }: ReadyTemplate,
  personalisation: Record<string, string>,
  format: PreviewFormat,
  page: number,
): Promise<LetterPreview & { page_count: number }> {
  if (row.template_type !== 'letter') throw invalidField('template', 'Only letter templates can be shown on paper');
  const { lines } = addressRules(app.country).parse(addressLinesFromPersonalisation(personalisation));
  const drawing = await renderInput(app, row, await selectServiceBrand(app.db, row.service), {
    compiled,
    personalisation,
    address: lines,
    day: app.country.calendar.day(app.clock.now()),
  });
  const pdfTasks = app.pdfThreads.forRequest(row.service);
  const { pdf, page_count } = await compose(app, pdfTasks, drawing);
  return {
    content: await show(pdfTasks, pdf, format, page),
    page_count,
    message: page_count > maxPages ? 'letter-too-long' : '',
    invalid_pages: [],
  };
}

export async function compose(
  { country }: Platform,
  pdfTasks: PdfTasks,
  { document, logo, attachments }: RenderInput,
  purpose: LetterPurpose = 'preview',
) {
  const { geometry } = country.letter;
  try {
    return await pdfTasks.run('composeLetter', document, { purpose, geometry, attachments, logo });
  } catch (error) {
    if (error instanceof WorkerFailure && error.reason !== 'closed') {
      throw invalid('There is no picture of this letter: drawing it takes too long');
    }
    throw error;
  }
}

export async function show(
  pdfTasks: PdfTasks,
  pdf: Uint8Array,
  format: PreviewFormat,
  page: number,
  options?: PageToPngOptions,
): Promise<Uint8Array> {
  if (format === 'pdf') return pdf;
  try {
    return await pdfTasks.run('pageToPng', pdf, page, options);
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchPage') throw invalid(error.message);
    if (isFaultOfFile(error)) throw invalid('There is no picture of this letter: its file cannot be read');
    throw error;
  }
}

function isFaultOfFile(error: unknown): boolean {
  if (error instanceof WorkerFailure) return error.reason !== 'closed';
  return error instanceof Error && ['UnreadablePdf', 'RuntimeError', 'RangeError'].includes(error.name);
}
