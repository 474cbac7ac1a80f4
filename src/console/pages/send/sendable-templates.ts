import { notFound } from '../../../platform/failure.ts';
import type { Platform } from '../../../platform/platform.ts';
import { comparableKey } from '../../../protocol/comparable-key.ts';
import { listReplyTos, listSmsSenders } from '../../../services/senders/senders.ts';
import { findTemplate, type ReadyTemplate } from '../../../templates/compiled-templates.ts';
import { listFolders } from '../../../templates/folders/template-folders.ts';
import { listTemplates } from '../../../templates/templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { isAddressPlaceholder } from '../quick-start/api-request.ts';

/** Templates in folders that the person sees, and those in no folder. */
export async function listSendableTemplates(app: ConsoleApp, serviceId: string, userId: string) {
  const [templates, folders] = [await listTemplates(app, serviceId), await listFolders(app.db, serviceId)];
  const visible = new Set(
    folders.filter(({ users_with_permission }) => users_with_permission.includes(userId)).map(({ id }) => id),
  );
  return templates.filter(({ folder }) => folder === null || visible.has(folder));
}

/** A template that the service can send with, and that the person sees. */
export async function getSendableTemplate(
  app: ConsoleApp,
  serviceId: string,
  userId: string,
  templateId: string,
): Promise<ReadyTemplate> {
  const found = await findTemplate(app, serviceId, templateId);
  if (found.found !== 'here' || found.template.row.archived) throw notFound();
  const { folder } = found.template.row;
  if (folder === null) return found.template;
  const folders = await listFolders(app.db, serviceId);
  const seen = folders.find(({ id }) => id === folder)?.users_with_permission.includes(userId);
  if (!seen) throw notFound();
  return found.template;
}

const recipientKeys = { sms: 'phonenumber', email: 'emailaddress', letter: '' };

/** Whether a placeholder is filled from the recipient. */
export function isRecipientPlaceholder({ row }: ReadyTemplate, name: string): boolean {
  return isAddressPlaceholder(row.template_type, name) || comparableKey(name) === recipientKeys[row.template_type];
}

/** Placeholders that a person fills in: not those of the recipient, nor files of the template. */
export function listFields(template: ReadyTemplate): string[] {
  const files = new Set(template.row.email_files.map(({ filename }) => comparableKey(filename)));
  return template.compiled.placeholders.filter(
    (name) => !isRecipientPlaceholder(template, name) && !files.has(comparableKey(name)),
  );
}

export interface SenderChoice {
  id: string;
  text: string;
  is_default: boolean;
  receives_replies: boolean;
}

/** The senders of the template's channel; the usual one is the template's own, or the service's. Letters have none. */
export async function listSenderChoices({ db }: Platform, { row }: ReadyTemplate): Promise<SenderChoice[]> {
  const choices = await listSenders(db, row.template_type, row.service);
  const isUsual = ({ id, is_default }: SenderChoice) => (row.reply_to === null ? is_default : id === row.reply_to);
  return choices.map((choice) => ({ ...choice, is_default: isUsual(choice) }));
}

async function listSenders(
  db: ConsoleApp['db'],
  channel: ReadyTemplate['row']['template_type'],
  serviceId: string,
): Promise<SenderChoice[]> {
  switch (channel) {
    case 'sms':
      return (await listSmsSenders(db, serviceId)).map(({ id, sms_sender, is_default, inbound_number_id }) => ({
        id,
        text: sms_sender,
        is_default,
        receives_replies: inbound_number_id !== null,
      }));
    case 'email':
      return (await listReplyTos(db, serviceId)).map(({ id, email_address, is_default }) => ({
        id,
        text: email_address,
        is_default,
        receives_replies: false,
      }));
    case 'letter':
      return [];
  }
}
