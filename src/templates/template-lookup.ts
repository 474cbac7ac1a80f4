import type { CurrentTemplateRow } from './template-row.ts';

/** What a service finds under the id of a template. The caller decides how to respond. */
export type TemplateLookup<Template> =
  | { found: 'here'; template: Template }
  | { found: 'in-another-service' }
  | { found: 'nowhere' };

/** Finds archived templates, but not hidden ones. */
export function lookUp(row: CurrentTemplateRow | undefined, serviceId: string): TemplateLookup<CurrentTemplateRow> {
  if (!row) return { found: 'nowhere' };
  if (row.service !== serviceId) return { found: 'in-another-service' };
  return row.hidden ? { found: 'nowhere' } : { found: 'here', template: row };
}
