import type { Platform } from '../../platform/platform.ts';
import type { VirusScanner } from '../../platform/storage/virus-scan.ts';
import { languagesInUse, templateLanguages } from '../languages/languages.ts';
import { getServiceRules } from '../template-checks.ts';
import type { CurrentTemplateRow, TemplateRow } from '../template-row.ts';
import { emailFilePath } from '../template-row.ts';
import { selectTemplateNames } from '../templates.sql.ts';
import { createTemplate } from '../templates.ts';
import { createEmailFile, updateEmailFile } from './template-email-files.ts';

type Deps = Platform & { virusScanner: VirusScanner };

interface CopyTarget {
  service_id: string;
  folder: string | null;
  created_by: string;
}

/** Copies a template with its files. Senders belong to a service, so a copy in another service uses that service's default. */
export async function copyTemplate(app: Deps, template: TemplateRow, to: CopyTarget): Promise<CurrentTemplateRow> {
  const { service_id, folder, created_by } = to;
  const isSameService = template.service === service_id;
  const languages = languagesInUse(template);
  // A service without the permission gets a copy with only the template's own text.
  const canHaveLanguages = (await getServiceRules(app.db, service_id)).permissions.includes(templateLanguages);
  const copy = await createTemplate(app, service_id, {
    name: nameOfCopy(template.name, new Set(await selectTemplateNames(app.db, service_id))),
    template_type: template.template_type,
    content: template.content,
    created_by,
    process_type: template.process_type,
    ...(template.subject === null ? {} : { subject: template.subject }),
    ...(folder === null ? {} : { parent_folder_id: folder }),
    ...(template.postage === null ? {} : { postage: template.postage }),
    ...(isSameService ? { reply_to: template.reply_to } : {}),
    ...(template.letter_languages === null
      ? {}
      : {
          letter_languages: template.letter_languages,
          letter_welsh_subject: template.letter_welsh_subject,
          letter_welsh_content: template.letter_welsh_content,
        }),
    has_unsubscribe_link: template.has_unsubscribe_link,
    ...(languages && canHaveLanguages ? { languages } : {}),
  });
  for (const file of template.email_files) await copyFile(app, template, copy, file, created_by);
  return copy;
}

const maxNameLength = 255;

/** Returns "Welcome (copy)", then "Welcome (copy 2)". A copy of a copy is named after the original. */
function nameOfCopy(name: string, taken: ReadonlySet<string>): string {
  const [original = name] = name.split(/ \(copy(?: \d+)?\)$/);
  for (let number = 1; ; number++) {
    const ending = number === 1 ? ' (copy)' : ` (copy ${number})`;
    const candidate = `${original.slice(0, maxNameLength - ending.length)}${ending}`;
    if (!taken.has(candidate)) return candidate;
  }
}

async function copyFile(
  app: Deps,
  from: TemplateRow,
  to: CurrentTemplateRow,
  file: TemplateRow['email_files'][number],
  created_by_id: string,
): Promise<void> {
  const content = await app.files.get(emailFilePath(from.service, file.id));
  if (!content) throw new Error('The file of an email template is missing');
  const { filename, link_text, retention_period, validate_users_email } = file;
  const of = { service_id: to.service, template_id: to.id };
  const copied = await createEmailFile(app, of, {
    filename,
    link_text,
    retention_period,
    validate_users_email,
    created_by_id,
    content: content.toString('base64'),
  });
  await updateEmailFile(app, { ...of, email_file_id: copied.id }, { pending: false });
}
