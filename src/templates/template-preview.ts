import type { Db } from '../platform/db/database.ts';
import { invalidField } from '../platform/failure.ts';
import type { Personalisation } from '../rendering/personalisation.ts';
import type { CompiledTemplate } from '../rendering/template.ts';
import { compileRow } from './compiled-templates.ts';
import type { CurrentTemplateRow } from './template-row.ts';
import { getTemplate } from './templates.ts';

/** Message body in API responses: SMS without the service name prefix, other bodies as Markdown. */
export function renderPreview(
  compiled: CompiledTemplate,
  personalisation: Personalisation,
): { subject: string | null; body: string } {
  if (compiled.template_type === 'sms') return { subject: null, body: compiled.render(personalisation).text };
  return { subject: compiled.subject(personalisation), body: compiled.body(personalisation) };
}

/** Renders the subject and content of a template with values. */
export async function previewTemplate(
  db: Db,
  serviceId: string,
  templateId: string,
  personalisation: Personalisation,
): Promise<CurrentTemplateRow> {
  const template = await getTemplate(db, serviceId, templateId);
  const compiled = compileRow(template);
  const missing = compiled.missing(personalisation);
  if (missing.length > 0) throw invalidField('template', `Missing personalisation: ${missing.join(', ')}`);
  const { subject, body } = renderPreview(compiled, personalisation);
  return { ...template, subject, content: body };
}
