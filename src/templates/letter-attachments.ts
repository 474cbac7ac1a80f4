import { timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { invalid, notFound } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { archiveAttachmentRow, insertLetterAttachment, selectLetterAttachment } from './letter-attachments.sql.ts';
import type { LetterAttachment } from './template-row.ts';
import { selectTemplateById } from './template-rows.sql.ts';
import { lockTemplate, updateTemplates } from './templates.sql.ts';

type Deps = Pick<Platform, 'db' | 'clock' | 'files'>;

/** Storage key of an attachment's pages. */
export function letterAttachmentPath(serviceId: string, attachmentId: string): string {
  return `letter-attachments/${serviceId}/${attachmentId}.pdf`;
}

export interface NewAttachmentRequest {
  upload_id: string;
  template_id: string;
  original_filename: string;
  page_count: number;
  created_by_id: string;
}

/** The caller has validated the pages. */
export function createLetterAttachment(
  app: Deps,
  request: NewAttachmentRequest,
  pages: Buffer,
): Promise<LetterAttachment> {
  return inTransaction(app.db, async (tx) => {
    await lockTemplate(tx, request.template_id);
    const template = await selectTemplateById(tx, request.template_id);
    if (!template || template.hidden) throw notFound();
    if (template.template_type !== 'letter') throw invalid('Cannot add an attachment to a non-letter template');
    if (template.letter_attachment) throw invalid('template-already-has-attachment');
    const now = timestamp(app.clock.now());
    await insertLetterAttachment(tx, {
      id: request.upload_id,
      service_id: template.service,
      template_id: template.id,
      original_filename: request.original_filename,
      page_count: request.page_count,
      created_by_id: request.created_by_id,
      created_at: now,
    });
    await updateTemplates(tx, { id: template.id }, { letter_attachment_id: request.upload_id }, now);
    const attachment = await getLetterAttachment(tx, request.upload_id);
    await app.files.put(letterAttachmentPath(template.service, attachment.id), pages);
    return attachment;
  });
}

export async function getServiceOfTemplate(db: Db, templateId: string): Promise<string> {
  const template = await selectTemplateById(db, templateId);
  if (!template || template.hidden) throw notFound();
  return template.service;
}

export async function getLetterAttachment(db: Db | Tx, attachmentId: string) {
  const attachment = await selectLetterAttachment(db, attachmentId);
  if (!attachment) throw notFound();
  return attachment;
}

/** Keeps the file, because letters of earlier template versions are still printed with it. */
export function archiveLetterAttachment(app: Deps, attachmentId: string, archivedById: string): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    const { template_id } = await getLetterAttachment(tx, attachmentId);
    await lockTemplate(tx, template_id);
    const { archived_at } = await getLetterAttachment(tx, attachmentId);
    if (archived_at !== null) throw invalid('letter-attachment-already-archived');
    const now = timestamp(app.clock.now());
    await archiveAttachmentRow(tx, attachmentId, { archived_by_id: archivedById, archived_at: now });
    await updateTemplates(tx, { id: template_id }, { letter_attachment_id: null }, now);
  });
}
