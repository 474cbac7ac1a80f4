import { notFound } from '../../../platform/failure.ts';
import { comparableKey } from '../../../protocol/comparable-key.ts';
import { findTemplate, type ReadyTemplate } from '../../../templates/compiled-templates.ts';
import { listFolders } from '../../../templates/folders/template-folders.ts';
import { listTemplates } from '../../../templates/templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { isOfAddress } from '../quick-start/fields.ts';

/** Templates in folders that the person sees, and in none. */
export async function listSendableTemplates(app: ConsoleApp, serviceId: string, userId: string) {
  const [templates, folders] = [await listTemplates(app, serviceId), await listFolders(app.db, serviceId)];
  const visible = new Set(
    folders.filter(({ users_with_permission }) => users_with_permission.includes(userId)).map(({ id }) => id),
  );
  return templates.filter(({ folder }) => folder === null || visible.has(folder));
}

/** One that the service can send with, and that the person sees. */
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

/** Placeholders that the recipient fills. */
export function isOfRecipient({ row }: ReadyTemplate, name: string): boolean {
  return isOfAddress(row.template_type, name) || comparableKey(name) === recipientKeys[row.template_type];
}

/** Placeholders that a person fills in: not those of the recipient, nor files of the template. */
export function fieldsOf(template: ReadyTemplate): string[] {
  const files = new Set(template.row.email_files.map(({ filename }) => comparableKey(filename)));
  return template.compiled.placeholders.filter(
    (name) => !isOfRecipient(template, name) && !files.has(comparableKey(name)),
  );
}
