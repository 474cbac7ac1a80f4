import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { notFound } from '../../platform/failure.ts';
import type { CurrentTemplateRow } from '../template-row.ts';
import { selectTemplateById } from '../template-rows.sql.ts';
import { lockTemplate, updateTemplates } from '../templates.sql.ts';

export async function getServiceOfTemplate(db: Db, templateId: string): Promise<string> {
  return (await getVisibleTemplate(db, templateId)).service;
}

/** Locks the template, so that concurrent requests change its attachment one after the other. */
export async function getTemplateToAttachTo(tx: Tx, templateId: string): Promise<CurrentTemplateRow> {
  await lockTemplate(tx, templateId);
  return getVisibleTemplate(tx, templateId);
}

/** Creates a new version of the template. */
export async function setTemplateAttachment(
  tx: Tx,
  templateId: string,
  attachmentId: string | null,
  now: Timestamp,
): Promise<void> {
  await updateTemplates(tx, { id: templateId }, { letter_attachment_id: attachmentId }, now);
}

async function getVisibleTemplate(db: Db | Tx, templateId: string): Promise<CurrentTemplateRow> {
  const template = await selectTemplateById(db, templateId);
  if (!template || template.hidden) throw notFound();
  return template;
}
