import { letterTooLarge, maxLetterBytes } from '../../notifications/sending/letter-rules.ts';
import { timestamp } from '../../platform/clock.ts';
import { allowLongPauses, type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { invalid, notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { refuseIfInfected, type VirusScanner } from '../../platform/storage/virus-scan.ts';
import { withoutHiddenCharacters } from '../../protocol/hidden-characters.ts';
import { maxPages } from '../../rendering/pdf/letter-geometry.ts';
import { readUpload } from '../../templates/files/file-types.ts';
import type { LetterAttachment } from '../../templates/template-row.ts';
import { getServiceOfTemplate, getTemplateToAttachTo, setTemplateAttachment } from '../../templates/templates.ts';
import { type PdfThreads, readPages } from '../pdf-threads.ts';
import { archiveAttachmentRow, insertLetterAttachment, selectLetterAttachment } from './letter-attachments.sql.ts';

type Deps = Platform & { pdfThreads: PdfThreads; virusScanner: VirusScanner };

interface NewAttachment {
  upload_id: string;
  template_id: string;
  original_filename: string;
  page_count: number;
  created_by_id: string;
}

/** Returns the storage key of an attachment's pages. */
export function letterAttachmentPath(serviceId: string, attachmentId: string): string {
  return `letter-attachments/${serviceId}/${attachmentId}.pdf`;
}

/** Rejects unprintable pages at upload, so that they do not fail each letter that includes them. */
export async function attachPages(app: Deps, request: NewAttachment & { content: string }): Promise<LetterAttachment> {
  const { content, ...attachment } = request;
  const pdf = readUpload(content);
  refuseIfTooLarge(pdf);
  const serviceId = await getServiceOfTemplate(app.db, attachment.template_id);
  await refuseIfInfected(app.virusScanner, pdf);
  const page_count = await countPrintablePages(app, serviceId, pdf);
  return createLetterAttachment(app, { ...attachment, page_count }, pdf);
}

/** Copies the attached pages of a template to its copy. */
export async function copyAttachedPages(
  app: Deps,
  from: { service: string; letter_attachment: LetterAttachment | null },
  toTemplateId: string,
  createdById: string,
): Promise<void> {
  const { letter_attachment: attached } = from;
  if (!attached) return;
  const pages = await app.files.get(letterAttachmentPath(from.service, attached.id));
  if (!pages) throw new Error('The file of the letter attachment is missing');
  const { original_filename, page_count } = attached;
  const upload_id = newId(app.clock.now());
  const attachment = {
    upload_id,
    template_id: toTemplateId,
    original_filename,
    page_count,
    created_by_id: createdById,
  };
  await createLetterAttachment(app, attachment, pages);
}

function refuseIfTooLarge(pdf: Buffer): void {
  if (pdf.length > maxLetterBytes) throw invalid({ content: [letterTooLarge] });
}

async function countPrintablePages(app: Deps, serviceId: string, pdf: Buffer): Promise<number> {
  const { message, page_count, invalid_pages } = await readPages(
    app,
    app.pdfThreads.forRequest(serviceId),
    pdf,
    'attachment',
  );
  if (message !== null) {
    throw invalid({ content: [message], ...(invalid_pages && { invalid_pages: invalid_pages.map(String) }) });
  }
  // The letter itself has at least one page.
  if (page_count === null || page_count >= maxPages) throw invalid({ content: ['letter-too-long'] });
  return page_count;
}

function createLetterAttachment(app: Deps, request: NewAttachment, pages: Buffer): Promise<LetterAttachment> {
  return inTransaction(app.db, async (tx) => {
    await allowLongPauses(tx);
    const template = await getTemplateToAttachTo(tx, request.template_id);
    if (template.template_type !== 'letter') throw invalid('Cannot add an attachment to a non-letter template');
    if (template.letter_attachment) throw invalid('template-already-has-attachment');
    const now = timestamp(app.clock.now());
    await insertLetterAttachment(tx, {
      id: request.upload_id,
      service_id: template.service,
      template_id: template.id,
      original_filename: withoutHiddenCharacters(request.original_filename),
      page_count: request.page_count,
      created_by_id: request.created_by_id,
      created_at: now,
    });
    await setTemplateAttachment(tx, template.id, request.upload_id, now);
    const attachment = await getLetterAttachment(tx, request.upload_id);
    await app.files.put(letterAttachmentPath(template.service, attachment.id), pages);
    return attachment;
  });
}

export async function getLetterAttachment(db: Db | Tx, attachmentId: string) {
  const attachment = await selectLetterAttachment(db, attachmentId);
  if (!attachment) throw notFound();
  return attachment;
}

/** Keeps the file, because letters of earlier template versions are still printed with it. */
export function archiveLetterAttachment(app: Platform, attachmentId: string, archivedById: string): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    const { template_id } = await getLetterAttachment(tx, attachmentId);
    await getTemplateToAttachTo(tx, template_id);
    const { archived_at } = await getLetterAttachment(tx, attachmentId);
    if (archived_at !== null) throw invalid('letter-attachment-already-archived');
    const now = timestamp(app.clock.now());
    await archiveAttachmentRow(tx, attachmentId, { archived_by_id: archivedById, archived_at: now });
    await setTemplateAttachment(tx, template_id, null, now);
  });
}

/**
 * Returns pictures of the pages that cannot be printed, with the forbidden area in red. They are data URLs, because a refused file is not
 * stored.
 */
export async function markedPages(
  { pdfThreads, country }: Platform & { pdfThreads: PdfThreads },
  serviceId: string,
  pdf: Uint8Array,
  pages: number[],
): Promise<string[]> {
  const tasks = pdfThreads.forRequest(serviceId);
  const pictures: string[] = [];
  for (const page of pages.slice(0, maxPictures)) {
    const options = { decoration: 'red-overlay', kind: 'attachment', geometry: country.letter.geometry } as const;
    const picture = await tasks.run('pageToPng', pdf, page, options);
    pictures.push(`data:image/png;base64,${Buffer.from(picture).toString('base64')}`);
  }
  return pictures;
}

const maxPictures = 3;
