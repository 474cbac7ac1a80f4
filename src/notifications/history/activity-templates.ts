import type { Platform } from '../../platform/platform.ts';
import type { TemplateRow } from '../../templates/template-row.ts';
import { findVersionsOfTemplates } from '../../templates/templates.ts';

interface TemplateReference {
  template_id: string;
  template_version: number;
}

/** Loads the template version of each message in one query. Not cached, because senders and attachments change. */
export async function templatesOf(
  { db }: Platform,
  messages: TemplateReference[],
): Promise<(message: TemplateReference) => TemplateRow> {
  const versions = new Map(
    messages.map((message) => [keyOf(message), { id: message.template_id, version: message.template_version }]),
  );
  const rows = await findVersionsOfTemplates(db, [...versions.values()]);
  const found = new Map(rows.map((row) => [keyOf({ template_id: row.id, template_version: row.version }), row]));
  return (message) => {
    const row = found.get(keyOf(message));
    if (!row) throw new Error(`Template ${message.template_id} has no version ${message.template_version}`);
    return row;
  };
}

function keyOf({ template_id, template_version }: TemplateReference): string {
  return `${template_id} ${template_version}`;
}
