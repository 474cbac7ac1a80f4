import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { compileRow, type ReadyTemplate } from '../compiled-templates.ts';
import { replyToTextOf } from '../template-record.ts';
import type { EmailFile } from '../template-row.ts';
import { selectTemplateById } from '../template-rows.sql.ts';
import { insertTemplate, selectTestTemplateId, updateTemplates } from '../templates.sql.ts';
import type { TemplateDraft } from './template-draft.ts';

/** In lists of messages and statistics. */
const testTemplateName = 'Test from the editor';

interface TestedDraft extends TemplateDraft {
  reply_to: string | null;
  email_files: EmailFile[];
}

/**
 * A message is rendered from a stored version, so a draft that is sent as a test is stored, too: as the next version of a
 * hidden template, one for each writer and channel.
 */
export async function storeTestTemplate(
  app: Platform,
  serviceId: string,
  userId: string,
  draft: TestedDraft,
): Promise<ReadyTemplate> {
  const now = app.clock.now();
  const { template_type, subject, content, has_unsubscribe_link, reply_to } = draft;
  const texts = { subject, content, has_unsubscribe_link, reply_to };
  const row = await inTransaction(app.db, async (tx) => {
    const which = { service_id: serviceId, template_type, created_by_id: userId, name: testTemplateName };
    const existing = await selectTestTemplateId(tx, which);
    const id = existing ?? newId(now);
    if (existing) await updateTemplates(tx, { id }, texts, timestamp(now));
    else {
      await insertTemplate(tx, {
        ...which,
        ...texts,
        id,
        hidden: true,
        folder: null,
        process_type: 'normal',
        postage: null,
        letter_languages: null,
        letter_welsh_subject: null,
        letter_welsh_content: null,
        created_at: timestamp(now),
      });
    }
    const stored = await selectTemplateById(tx, id);
    if (!stored) throw notFound();
    return stored;
  });
  const withFiles = { ...row, reply_to_text: replyToTextOf(row), email_files: draft.email_files };
  return { row: withFiles, compiled: compileRow(row) };
}
