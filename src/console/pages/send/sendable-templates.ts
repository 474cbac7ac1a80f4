import type { Db } from '../../../platform/db/database.ts';
import { notFound } from '../../../platform/failure.ts';
import { listReplyTos, listSmsSenders } from '../../../services/senders/senders.ts';
import { findTemplate, type ReadyTemplate } from '../../../templates/compiled-templates.ts';
import { listFolders } from '../../../templates/folders/template-folders.ts';
import { listTemplates } from '../../../templates/templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { Library } from '../templates/library.ts';

/** The folders that the person sees as a member. Operators see no additional ones here. */
export async function openSendableLibrary(app: ConsoleApp, serviceId: string, userId: string): Promise<Library> {
  const folders = await listFolders(app.db, serviceId);
  return new Library(folders, ({ users_with_permission }) => users_with_permission.includes(userId));
}

/** Lists templates in folders that the person sees, and at the root. */
export async function listSendableTemplates(app: ConsoleApp, serviceId: string, userId: string) {
  const library = await openSendableLibrary(app, serviceId, userId);
  return (await listTemplates(app, serviceId)).filter(({ folder }) => library.sees(folder));
}

/** Returns a template that the service can send and the person may see. */
export async function getSendableTemplate(
  app: ConsoleApp,
  serviceId: string,
  userId: string,
  templateId: string,
): Promise<ReadyTemplate> {
  const found = await findTemplate(app, serviceId, templateId);
  if (found.found !== 'here' || found.template.row.archived) throw notFound();
  const { folder } = found.template.row;
  if (folder !== null && !(await openSendableLibrary(app, serviceId, userId)).sees(folder)) throw notFound();
  return found.template;
}

export interface SenderChoice {
  id: string;
  text: string;
  is_default: boolean;
  receives_replies: boolean;
}

/** Lists the senders of the template's channel. The default is the template's own, or else the service's. Letters have none. */
export async function listSenderChoices(db: Db, { row }: ReadyTemplate): Promise<SenderChoice[]> {
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
