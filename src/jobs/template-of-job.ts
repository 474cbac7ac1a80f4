import { findTemplate } from '../templates/compiled-templates.ts';
import type { TemplateRow } from '../templates/template-row.ts';
import type { JobDeps } from './job-deps.ts';

/** The version that a job sends. Files of the newest version can change without a new one, so it is not read from the versions. */
export async function findTemplateOfJob(
  app: Pick<JobDeps, 'compiledTemplates'>,
  { service_id, template_id, template_version }: { service_id: string; template_id: string; template_version: number },
): Promise<TemplateRow | undefined> {
  const newest = await findTemplate(app, service_id, template_id);
  if (newest.found !== 'here') return undefined;
  if (newest.template.row.version === template_version) return newest.template.row;
  return (await app.compiledTemplates.findVersion(template_id, template_version, null))?.row;
}
